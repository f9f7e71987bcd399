import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { WorkloadStatus } from '@/lib/workloads/status';
import type { Blocker } from '@/lib/api/pods';
import type { WorkloadState } from '@/lib/api/workload-values';
import { formatCount, uncapitalize } from '@/lib/format/text';

/**
 * States of a workload that has a problem by its own facts: they are more precise than those of its rollout.
 */
const troubledStates: readonly WorkloadState[] = ['stuck', 'deadlineExceeded', 'degraded', 'unknown'];

/**
 * The status of a workload that a progressive rollout moves. The workload alone does not show that its
 * rollout has failed or stalled, nor that a pause, an OnDelete or old pods among new ones belong to the
 * rollout. `blockers`: pods of the rollout that the workload does not count.
 */
export function statusUnderRollout(
  status: WorkloadStatus,
  rollout: ProgressiveRollout,
  blockers: readonly Blocker[],
): WorkloadStatus {
  if (status.unobserved === true || troubledStates.includes(status.state)) return status;
  switch (rollout.state) {
    case 'failed':
      return withRolloutMessage(status, 'failed', rollout);
    case 'stalled':
      return { ...withRolloutMessage(status, 'stuck', rollout), blockers: [...status.blockers, ...blockers] };
    case 'waiting':
    case 'paused':
      return isStill(status) ? withRolloutMessage(status, 'held', rollout) : status;
    case 'starting':
    case 'progressing':
    case 'completing':
    case 'rollingBack':
    case 'disabling':
    case 'terminating':
      return isStopped(status.state) ? withRolloutMessage(status, 'held', rollout) : status;
    case 'idle':
    case 'completed':
    case 'rolledBack':
    case 'disabled':
    case 'missing':
    case 'unknown':
      return status;
    default:
      return rollout.state satisfies never;
  }
}

function isStopped(state: WorkloadState): boolean {
  return state === 'paused' || state === 'waiting';
}

/** Every pod that should serve does, or all are updated: the rest waits with the rollout. */
function isStill({ state, pods }: WorkloadStatus): boolean {
  return isStopped(state) || state === 'complete' || (state === 'rolling' && pods.available >= pods.desired);
}

function withRolloutMessage(
  status: WorkloadStatus,
  state: WorkloadState,
  rollout: ProgressiveRollout,
): WorkloadStatus {
  const { message, since } = rollout;
  const { ready, desired } = status.pods;
  return {
    ...status,
    state,
    message: uncapitalize(message).replace(/\.$/, ''),
    // The state stands before the sentence.
    sentence: `${message.replace(/^Failed in/, 'In').replace(/\.$/, '')}. ${ready > desired ? `${ready} pods are ready, ${desired} desired` : `${ready} of ${formatCount(desired, 'pod')} ${desired === 1 ? 'is' : 'are'} ready`}.`,
    since,
  };
}
