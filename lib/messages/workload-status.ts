import type { Blocker } from '@/lib/api/pods';
import type { RolloutState } from '@/lib/api/rollout-values';
import { Evidence } from '@/lib/engine/evidence';
import type { WorkloadFacts } from '@/lib/engine/facts';
import { decideState } from '@/lib/engine/state';
import type { WorkloadStatus } from '@/lib/engine/status';
import { findUnderRollout } from '@/lib/engine/under-rollout';
import { formatCount, uncapitalize } from '@/lib/format/text';
import { describeState } from '@/lib/messages/workload-state';

/** The status of a workload by its own facts, without the progressive rollout that moves it. */
export function deriveStatus(facts: WorkloadFacts): WorkloadStatus {
  const evidence = new Evidence(facts);
  const verdict = decideState(evidence);
  const { state, reason, since, blockers } = verdict;
  const status: WorkloadStatus = {
    state,
    reason,
    ...describeState(evidence, verdict),
    since,
    pods: facts.counts,
    blockers,
    kubectl: facts.kubectl,
  };
  if (reason === 'unobserved' || reason === 'unobservedLong') status.unobserved = true;
  return status;
}

/** What is known of the progressive rollout that moves a workload. */
export interface GuidingRollout {
  state: RolloutState;
  message: string;
  since: string | null;
  /** The workload is its own rollout, so that its own pause is a pause. */
  isWorkload: boolean;
  /** Pods of the rollout that the workload does not count. */
  blockers: readonly Blocker[];
}

/** The status of a workload that a progressive rollout moves. */
export function deriveStatusUnderRollout(status: WorkloadStatus, rollout: GuidingRollout): WorkloadStatus {
  if (rollout.isWorkload && status.state === 'paused') return status;
  const row = findUnderRollout(status, rollout.state);
  if (row === undefined) return status;
  const { state, reason, says } = row;
  if (says === 'workload') return { ...status, state, reason };
  const { ready, desired } = status.pods;
  const message = rollout.message.replace(/\.$/, '');
  const counts =
    ready > desired
      ? `${ready} pods are ready, ${desired} desired`
      : `${ready} of ${formatCount(desired, 'pod')} ${desired === 1 ? 'is' : 'are'} ready`;
  return {
    ...status,
    state,
    reason,
    message: uncapitalize(message),
    // The state stands before the sentence.
    sentence: `${message.replace(/^Failed in/, 'In')}. ${counts}.`,
    since: rollout.since,
    blockers: state === 'stuck' ? [...status.blockers, ...rollout.blockers] : status.blockers,
  };
}
