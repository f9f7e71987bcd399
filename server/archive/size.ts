import 'server-only';
import { type ArchiveSize } from '@/server/archive/archive';
import { toColumn } from '@/server/archive/codec';
import { type ArchiveDatabase, type ArchiveDb } from '@/server/archive/schema';

export async function sizeOf({ db, bytes }: ArchiveDatabase): Promise<ArchiveSize> {
  const counts = await db
    .selectNoFrom((of) => [
      of
        .selectFrom('record')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .as('records'),
      of
        .selectFrom('revision')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .as('revisions'),
    ])
    .executeTakeFirstOrThrow();
  return {
    bytes: await bytes(),
    records: counts.records ?? 0,
    revisions: counts.revisions ?? 0,
  };
}

/** When the first rollout of the cluster began whose start, or a bound of it, is known. */
export async function oldestOf(db: ArchiveDb, cluster: string): Promise<string | null> {
  const oldest = await db
    .selectFrom('record')
    .where('cluster', '=', toColumn(cluster))
    .where('started_ms', '>', 0)
    .orderBy('started_ms')
    .limit(1)
    .select('started_ms')
    .executeTakeFirst();
  return oldest === undefined ? null : new Date(oldest.started_ms).toISOString();
}
