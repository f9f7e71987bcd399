import { type Action } from '@/lib/api/action';
import { type WorkloadDetail } from '@/lib/api/workloads';

/** Whether it is a completed rollback whose fields the next apply of another manager would conflict with. */
export function isReleasable(
  action: Action | undefined,
  workload: WorkloadDetail['workload'] | undefined,
): boolean {
  const isOffered = workload?.controls.some((control) => control.action === 'releaseFields') === true;
  return isOffered && action?.action === 'rollback' && action.state === 'done';
}
