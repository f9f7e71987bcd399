import { type Action } from '@/lib/api/action';
import { type WorkloadDetail } from '@/lib/api/workloads';

/**
 * Ready and total pods of the target; null before any pod changed. Counted from the workload where it is known,
 * because `progress.ready` includes ready pods of other revisions.
 */
export function readyCount(
  { progress, state }: Pick<Action, 'progress' | 'state'>,
  detail: WorkloadDetail | undefined,
): { ready: number; desired: number } | null {
  if (progress === null) return null;
  if (!detail || state === 'done') return { ready: progress.ready, desired: progress.desired };
  const ready = detail.workload.pods.byRevision.reduce(
    (sum, group) => sum + (group.target ? group.ready : 0),
    0,
  );
  return { ready: Math.min(ready, progress.desired), desired: progress.desired };
}
