import { type Rollout } from '@/lib/rollout/rollout';
import { type Blocker, type WorkloadState, type WorkloadStatus } from '@/lib/workloads/status';
import { count } from '@/lib/workloads/words';

/** States in which a workload is in trouble by its own facts: they say more than its release does. */
const troubles: readonly WorkloadState[] = ['stuck', 'deadlineExceeded', 'degraded', 'unknown'];

/**
 * The status of a workload that a rollout in steps moves. The workload alone does not show that its release has failed or
 * stalled, nor that a pause, an OnDelete or old pods beside new ones are the release's own. `blockers`: pods of the release
 * that the workload does not count.
 */
export function statusUnder(
  status: WorkloadStatus,
  rollout: Rollout,
  blockers: readonly Blocker[],
): WorkloadStatus {
  if (status.unobserved === true || troubles.includes(status.state)) return status;
  switch (rollout.state) {
    case 'failed':
      return told(status, 'failed', rollout);
    case 'stalled':
      return { ...told(status, 'stuck', rollout), blockers: [...status.blockers, ...blockers] };
    case 'waiting':
    case 'paused':
      return isStill(status) ? told(status, 'held', rollout) : status;
    case 'starting':
    case 'progressing':
    case 'completing':
    case 'rollingBack':
    case 'disabling':
    case 'terminating':
      return isStopped(status.state) ? told(status, 'held', rollout) : status;
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

/** Every pod that is to serve does: what else there is waits with the release. */
function isStill({ state, pods }: WorkloadStatus): boolean {
  return isStopped(state) || (state === 'rolling' && pods.available >= pods.desired);
}

function told(status: WorkloadStatus, state: WorkloadState, rollout: Rollout): WorkloadStatus {
  const { name, message, since } = rollout;
  const said = `Rollout ${name}: ${message.charAt(0).toLowerCase()}${message.slice(1).replace(/\.$/, '')}`;
  const { ready, desired } = status.pods;
  return {
    ...status,
    state,
    message: said,
    sentence: `${said}. ${ready} of ${count(desired, 'pod')} ${desired === 1 ? 'is' : 'are'} ready.`,
    since,
  };
}
