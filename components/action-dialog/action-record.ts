import type { Action } from '@/lib/api/action';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { isAtOrAfter } from '@/lib/records/times';

/** Id of the record of the rollout that the action began or acted on; null until there is one. */
export function recordOf(
  { action, startedAt }: Action,
  workload: WorkloadDetail['workload'] | undefined,
): string | null {
  const record = workload?.lastRollout?.record ?? null;
  if (record === null) return null;
  const begins = action === 'rollback' || action === 'restart';
  const reached = begins ? record.startedAt : (record.endedAt ?? startedAt);
  return reached !== null && isAtOrAfter(reached, startedAt) ? record.id : null;
}
