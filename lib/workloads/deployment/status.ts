import { formatRevision, type Revision } from '@/lib/history/revision';
import {
  blockedSince,
  blockersOf,
  describeStarting,
  describeReasonInFull,
  describeReason,
  shortenMessage,
} from '@/lib/workloads/blockers';
import { desiredReplicas, isRecreate, rollingLimitsOf } from '@/lib/workloads/deployment/strategy';
import { controllingRolloutOf } from '@/lib/workloads/kruise-rollout-metadata';
import type { StatusInput } from '@/lib/workloads/kind';
import { conditionAt, numberAt, textAt } from '@/lib/kube/read';
import type { WorkloadStatus } from '@/lib/workloads/status';
import type { Blocker } from '@/lib/api/pods';
import {
  joinSentences,
  allPodsReady,
  stateWithoutBlockers,
  describeServing,
  describeTargetReadiness,
  type DerivedState,
} from '@/lib/workloads/derived-state';
import { awaitedRevisionState, deletedState, unobservedState } from '@/lib/workloads/common-states';
import { capitalize, formatCount } from '@/lib/format/text';
import type { Workload } from '@/lib/history/workload';
import { isObserved } from '@/lib/workloads/observed-generation';

interface DeploymentCounts {
  desired: number;
  total: number;
  updated: number;
  ready: number;
  available: number;
}

/**
 * The status of a Deployment, from the same facts and in the same order as `kubectl rollout status`, and more
 * detailed.
 * https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollout_status.go
 */
export function deploymentStatus(input: StatusInput): WorkloadStatus {
  const { workload } = input;
  const counts = countsOf(workload);
  const { desired, ready, updated, available } = counts;
  return {
    ...deriveState(input, counts),
    pods: { desired, ready, updated, available },
    kubectl: kubectlStatus(workload, counts),
  };
}

function deriveState(input: StatusInput, counts: DeploymentCounts): DerivedState {
  const { workload } = input;
  if (workload.deletedAt !== null) return deletedState(workload);
  if (!isObserved(workload)) return unobservedState(workload, input.now);
  // Without desired pods, nothing waits for anything.
  if (counts.desired === 0 && counts.total === 0) return complete(input, counts);
  const rollout = controllingRolloutOf(workload);
  if (rollout !== null && workload.spec.paused === true) return heldByRollout(input, counts, rollout);
  if (workload.spec.paused === true) return paused(input, counts);
  const progressing = conditionAt(workload.status, 'Progressing');
  if (progressing?.reason === 'ProgressDeadlineExceeded') return deadlineExceeded(input, counts);
  if (isComplete(counts)) return complete(input, counts);
  const isOver = progressing?.reason === 'NewReplicaSetAvailable' && !hasOldPods(input);
  return isOver ? degraded(input, counts) : inProgress(input, counts);
}

/** A Rollout moves the Deployment itself, and pauses it until all that its rollout needed is deleted. */
function heldByRollout(input: StatusInput, counts: DeploymentCounts, rollout: string): DerivedState {
  const { history, pods } = input;
  const blockers = blockersOf(history, pods, { proven: true });
  if (history.target === null) {
    return {
      state: 'held',
      message: `Rollout ${rollout} runs the new template on separate pods first; ${counts.ready} of ${counts.desired} ready`,
      sentence: `Rollout ${rollout} runs the new template on separate pods first, so it has no revision yet. ${counts.ready} of ${formatCount(counts.desired, 'pod')} of the Deployment are ready.`,
      since: null,
      blockers,
    };
  }
  const evidence = findStuckEvidence(input, { all: false });
  if (evidence !== null) return stuck(input, counts, evidence);
  const on = formatRevision(history.target);
  return {
    state: 'held',
    message: `Rollout ${rollout}: ${counts.updated} of ${counts.desired} pods on revision ${on}`,
    sentence: joinSentences(
      `Rollout ${rollout} updates the Deployment in steps: ${counts.updated} of ${formatCount(counts.desired, 'pod')} ${counts.updated === 1 ? 'runs' : 'run'} revision ${on}, ${counts.ready} are ready.`,
      describeServing(history, counts.desired),
    ),
    since: null,
    blockers,
  };
}

function paused(input: StatusInput, counts: DeploymentCounts): DerivedState {
  const { history, workload } = input;
  const condition = conditionAt(workload.status, 'Progressing');
  const since =
    condition?.reason === 'DeploymentPaused' ? (textAt(condition, 'lastUpdateTime') ?? null) : null;
  const blockers = blockersOf(history, input.pods, { proven: true });
  if (history.target === null) {
    return {
      state: 'paused',
      message: `the current template is not rolled out; ${counts.ready} of ${counts.desired} ready`,
      sentence: 'The current template has no revision until the Deployment is resumed.',
      since,
      blockers,
    };
  }
  const on = formatRevision(history.target);
  return {
    state: 'paused',
    message: `${counts.updated} of ${counts.desired} pods on revision ${on}`,
    sentence: `${counts.updated < counts.desired ? 'The rollout continues when it is resumed.' : 'No rollout starts until it is resumed.'} ${podsOn(input, counts, on)}.`,
    since,
    blockers,
  };
}

/** Past its deadline: stuck where the pods or the quota give a reason. */
function deadlineExceeded(input: StatusInput, counts: DeploymentCounts): DerivedState {
  const evidence = findStuckEvidence(input, { all: true });
  if (evidence !== null) return stuck(input, counts, evidence);
  const condition = conditionAt(input.workload.status, 'Progressing');
  const since = textAt(condition, 'lastTransitionTime') ?? null;
  const seconds = numberAt(input.workload.spec, 'progressDeadlineSeconds') ?? 600;
  const { target } = input.history;
  return {
    state: 'deadlineExceeded',
    message: `progress deadline (${deadlineText(seconds, ' min', ' s')}) exceeded; ${counts.available} of ${counts.desired} available`,
    sentence: joinSentences(
      target === null || target.pods.total === 0
        ? `${capitalize(describeTargetReadiness(target))} within the ${deadlineText(seconds, '-minute', '-second')} progress deadline.`
        : `${target.pods.ready} of ${formatCount(target.pods.total, 'pod')} of revision ${formatRevision(target)} became ready within the ${deadlineText(seconds, '-minute', '-second')} progress deadline.`,
      describeServing(input.history, counts.desired),
    ),
    since,
    blockers: blockersOf(input.history, input.pods, { proven: false }),
  };
}

/** "10-minute", "90-second"; with other units "10 min". */
function deadlineText(seconds: number, minuteUnit: string, secondUnit: string): string {
  return seconds > 0 && seconds % 60 === 0 ? `${seconds / 60}${minuteUnit}` : `${seconds}${secondUnit}`;
}

function inProgress(input: StatusInput, counts: DeploymentCounts): DerivedState {
  const evidence = canProgress(input) ? null : findStuckEvidence(input, { all: false });
  if (evidence !== null) return stuck(input, counts, evidence);
  const { history } = input;
  if (history.target === null) return awaitedRevisionState();
  const on = formatRevision(history.target);
  const starting = describeStarting(input.pods);
  const head =
    counts.updated < counts.desired
      ? `${counts.updated} of ${counts.desired} updated`
      : counts.total > counts.updated
        ? `${formatCount(counts.total - counts.updated, 'old pod')} terminating`
        : `${counts.available} of ${counts.desired} available`;
  return {
    state: 'rolling',
    message: starting === null ? head : `${head}; ${starting}`,
    sentence: joinSentences(`${podsOn(input, counts, on)}.`, describeServing(history, counts.desired)),
    since: history.target.activations.at(-1)?.from ?? null,
    blockers: blockersOf(history, input.pods, { proven: true }),
  };
}

interface StuckEvidence {
  reason: string;
  inFull: string;
  since: string | null;
  blockers: readonly Blocker[];
}

/**
 * Evidence that the rollout cannot continue. With `all`, one blocked pod is enough; otherwise every pod of
 * the target that is not ready must be blocked, since the others may still become ready.
 */
function findStuckEvidence(input: StatusInput, { all }: { all: boolean }): StuckEvidence | null {
  const failure = conditionAt(input.workload.status, 'ReplicaFailure');
  if (failure?.status === 'True') {
    const reportedMessage = textAt(failure, 'message') ?? textAt(failure, 'reason') ?? 'ReplicaFailure';
    const isQuota = /exceeded quota/i.test(reportedMessage);
    return {
      reason: isQuota ? 'quota exceeded' : 'pods cannot be created',
      inFull: shortenMessage(reportedMessage),
      since: textAt(failure, 'lastTransitionTime') ?? null,
      blockers: blockersOf(input.history, input.pods, { proven: true }),
    };
  }
  const targetPods = input.pods.filter((pod) => input.history.revisionOfPod.get(pod.uid)?.target === true);
  const blockers = blockersOf(input.history, targetPods, { proven: true });
  if (blockers.length === 0 || (!all && describeStarting(targetPods) !== null)) return null;
  const since = blockedSince(blockers);
  return { reason: describeReason(blockers), inFull: describeReasonInFull(blockers), since, blockers };
}

function stuck(input: StatusInput, counts: DeploymentCounts, evidence: StuckEvidence): DerivedState {
  const { history } = input;
  const subject = describeTargetReadiness(history.target);
  return {
    state: 'stuck',
    message: `${subject}; ${evidence.reason}`,
    sentence: joinSentences(
      `${capitalize(subject)}: ${evidence.inFull}.`,
      describeServing(history, counts.desired),
    ),
    since: evidence.since,
    blockers: evidence.blockers,
  };
}

function complete(input: StatusInput, counts: DeploymentCounts): DerivedState {
  const { history, workload } = input;
  if (counts.desired === 0) {
    return stateWithoutBlockers('complete', 'scaled to 0', `${workload.name} is scaled to 0.`, null);
  }
  const on = history.target === null ? 'the current template' : `revision ${formatRevision(history.target)}`;
  return stateWithoutBlockers(
    'complete',
    `${counts.ready} of ${counts.desired} ready`,
    allPodsReady(counts.desired, on),
    completeSince(input),
  );
}

/** The later of the end of the rollout and the time when the last pod became ready. */
function completeSince({ workload, pods }: StatusInput): string | null {
  const condition = conditionAt(workload.status, 'Progressing');
  const ended =
    condition?.reason === 'NewReplicaSetAvailable' ? textAt(condition, 'lastUpdateTime') : undefined;
  if (ended === undefined) return null;
  return pods.reduce(
    (latest, { readyAt }) => (readyAt !== null && readyAt > latest ? readyAt : latest),
    ended,
  );
}

function degraded(input: StatusInput, counts: DeploymentCounts): DerivedState {
  const { history, workload } = input;
  const blockers = blockersOf(history, input.pods, { proven: true });
  const reason = blockers.length > 0 ? describeReason(blockers) : describeStarting(input.pods);
  const head = `${counts.available} of ${counts.desired} available`;
  const condition = conditionAt(workload.status, 'Available');
  const on = history.target === null ? 'the current template' : `revision ${formatRevision(history.target)}`;
  return {
    state: 'degraded',
    message: reason === null ? head : `${head}; ${reason}`,
    sentence: `The rollout of ${on} completed, but only ${counts.available} of ${formatCount(counts.desired, 'pod')} are available${reason === null ? '' : `: ${reason}`}.`,
    since:
      condition?.status === 'False'
        ? (textAt(condition, 'lastTransitionTime') ?? null)
        : blockedSince(blockers),
    blockers,
  };
}

/**
 * Whether the controller can still start or end a pod: the new ReplicaSet has room to grow, or an old one to
 * shrink.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/rolling.go
 */
function canProgress({ workload, history }: StatusInput): boolean {
  const target = history.target?.source.scale;
  if (target == null) return false;
  const desired = desiredReplicas(workload);
  if (isRecreate(workload)) return target.desired < desired;
  const { surge, unavailable } = rollingLimitsOf(workload);
  const old = history.revisions.flatMap(({ target: isTarget, source }) =>
    isTarget || source.scale === null ? [] : [source.scale],
  );
  const sum = (of: (scale: { desired: number; available: number }) => number) =>
    [target, ...old].reduce((total, scale) => total + of(scale), 0);
  const total = sum((scale) => scale.desired);
  if (target.desired < desired && total < desired + surge) return true;
  const leastAvailable = desired - unavailable;
  const mayEnd = total - leastAvailable - (target.desired - target.available);
  if (mayEnd <= 0 || old.every((scale) => scale.desired === 0)) return false;
  return (
    sum((scale) => scale.available) > leastAvailable || old.some((scale) => scale.desired > scale.available)
  );
}

function hasOldPods({ history }: StatusInput): boolean {
  return history.revisions.some((revision: Revision) => !revision.target && revision.pods.total > 0);
}

function isComplete({ desired, total, updated, available }: DeploymentCounts): boolean {
  return updated >= desired && total <= updated && available >= updated;
}

function countsOf({ spec, status }: Workload): DeploymentCounts {
  return {
    desired: desiredReplicas({ spec }),
    total: numberAt(status, 'replicas') ?? 0,
    updated: numberAt(status, 'updatedReplicas') ?? 0,
    ready: numberAt(status, 'readyReplicas') ?? 0,
    available: numberAt(status, 'availableReplicas') ?? 0,
  };
}

function kubectlStatus(workload: Workload, counts: DeploymentCounts): WorkloadStatus['kubectl'] {
  const waiting = (what: string) => ({
    text: `Waiting for deployment "${workload.name}" rollout to finish: ${what}...`,
    verdict: 'waiting' as const,
  });
  if (!isObserved(workload))
    return { text: 'Waiting for deployment spec update to be observed...', verdict: 'waiting' };
  if (conditionAt(workload.status, 'Progressing')?.reason === 'ProgressDeadlineExceeded')
    return { text: `error: deployment "${workload.name}" exceeded its progress deadline`, verdict: 'error' };
  const { desired, total, updated, available } = counts;
  if (updated < desired) return waiting(`${updated} out of ${desired} new replicas have been updated`);
  if (total > updated) return waiting(`${total - updated} old replicas are pending termination`);
  if (available < updated) return waiting(`${available} of ${updated} updated replicas are available`);
  return { text: `deployment "${workload.name}" successfully rolled out`, verdict: 'done' };
}

/**
 * "3 of 4 pods run revision 8; 5 pods are ready in total": by the pods themselves, which the page also shows.
 * The controller counts them later; its count is used where no pods are known.
 */
function podsOn({ workload, history, pods }: StatusInput, counts: DeploymentCounts, on: string): string {
  const updated = pods.length === 0 ? counts.updated : (history.target?.pods.total ?? 0);
  const ready =
    pods.length === 0
      ? counts.ready
      : history.revisions.reduce((sum, revision) => sum + revision.pods.ready, 0);
  const verb = updated === 1 ? 'runs' : 'run';
  return `${updated} of ${formatCount(counts.desired, 'pod')} of ${workload.name} ${verb} revision ${on}; ${formatCount(ready, 'pod')} ${ready === 1 ? 'is' : 'are'} ready in total`;
}
