import 'server-only';
import { sql } from 'kysely';
import { type Lease, type RetentionPolicy } from '@/server/archive/archive';
import { requireLease } from '@/server/archive/lease';
import { OPEN } from '@/server/archive/records';
import { type ArchiveDatabase } from '@/server/archive/schema';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface Expired {
  bodies: number;
  series: number;
}

/**
 * Lets go of bodies and pod series that the policy no longer keeps; rows, sentences, reviews and comments stay for
 * good. Kept in any case: what the cluster still has, what is open, and what somebody pinned, reviewed or commented.
 */
export async function expire(
  { engine, db }: ArchiveDatabase,
  lease: Lease,
  { days, perWorkload }: RetentionPolicy,
  nowMs: number,
): Promise<Expired> {
  // Zero stands for no limit.
  const since = days === 0 ? Number.MIN_SAFE_INTEGER : nowMs - days * DAY_MS;
  const count = perWorkload === 0 ? Number.MAX_SAFE_INTEGER : perWorkload;
  return db.transaction().execute(async (transaction) => {
    await requireLease(transaction, engine, lease);
    // Of each workload the latest come first: revisions by when they were pruned, records by their activation.
    // Worked out once: neither engine would find that the parts of a union ask for the same.
    const keptRecords = sql`kept_record as materialized (
      select ranked.seq, ranked.from_hash, ranked.to_hash from (
        select seq, from_hash, to_hash, started_ms, pinned, reviewed, outcome, row_number() over (
          partition by workload_uid order by activation desc, id desc) as place
        from record) as ranked
      where (ranked.place <= ${count} and ranked.started_ms >= ${since})
        or ranked.pinned = 1 or ranked.reviewed = 1 or ranked.outcome = ${OPEN}
        or exists (select 1 from comment where comment.seq = ranked.seq))`;
    const keptRevisions = sql`kept_revision as materialized (
      select ranked.hash from (
        select revision.hash, revision.pruned_ms, life.deleted_ms, row_number() over (
          partition by revision.workload_uid
          order by revision.pruned_ms desc nulls first, revision.first_seen_ms desc, revision.id desc) as place
        from revision left join life on life.uid = revision.workload_uid) as ranked
      where (ranked.pruned_ms is null and ranked.deleted_ms is null)
        or (ranked.place <= ${count} and coalesce(ranked.pruned_ms, ranked.deleted_ms) >= ${since}))`;
    const bodies = await sql`
      with ${keptRecords}, ${keptRevisions}
      delete from body where hash not in (
        select hash from kept_revision
        union select to_hash from kept_record
        union select from_hash from kept_record where from_hash is not null)`.execute(transaction);
    const series = await sql`
      with ${keptRecords}
      update record_document set samples = null
      where samples is not null and seq not in (select seq from kept_record)`.execute(transaction);
    return {
      bodies: Number(bodies.numAffectedRows ?? 0n),
      series: Number(series.numAffectedRows ?? 0n),
    };
  });
}
