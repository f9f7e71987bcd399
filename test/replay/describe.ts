import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { WorkloadStatus } from '@/lib/engine/status';

/** The row text of a workload: `held: partition 3: …`. */
export function describeStatus(status: WorkloadStatus | null): string {
  return status === null ? 'not there' : `${status.state}: ${status.message}`;
}

/** The row text of a Rollout: `waiting 1/3: Step 1 of 3 is waiting for approval.` */
export function describeRollout(rollout: ProgressiveRollout | null): string {
  if (rollout === null) return 'not there';
  const { state, message, step } = rollout;
  return `${state} ${step.index}/${step.total}: ${message}`;
}
