import { type Action } from '@/lib/api/actions';
import { type WorkloadDetail } from '@/lib/api/workloads';

/**
 * How many pods of the target are ready, of how many; null before anything moved. Counted from the workload where it is
 * known: `progress.ready` counts ready pods of every revision, since those serve too.
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
