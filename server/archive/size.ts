import 'server-only';
import { type ArchiveSize } from '@/server/archive/archive';
import { type ArchiveDatabase } from '@/server/archive/schema';

/** The oldest is the first record whose start, or a bound of it, is known. */
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
      of
        .selectFrom('record')
        .where('started_ms', '>', 0)
        .orderBy('started_ms')
        .limit(1)
        .select('started_ms')
        .as('oldest'),
    ])
    .executeTakeFirstOrThrow();
  return {
    bytes: await bytes(),
    records: counts.records ?? 0,
    revisions: counts.revisions ?? 0,
    oldestAt: counts.oldest === null ? null : new Date(counts.oldest).toISOString(),
  };
}
