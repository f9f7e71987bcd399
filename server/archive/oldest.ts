import 'server-only';
import { toColumn } from '@/server/archive/column-values';
import { type ArchiveDb } from '@/server/archive/migrations/schema';

/** When the first rollout of the cluster began whose start, or a bound of it, is known. */
export async function oldestStartOf(db: ArchiveDb, cluster: string): Promise<string | null> {
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
