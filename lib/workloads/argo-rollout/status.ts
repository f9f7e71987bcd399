import { revisionOfHash } from '@/lib/workloads/argo-rollout/history';
import { abortReasonOf, phaseOf, pauseConditionsOf } from '@/lib/workloads/argo-rollout/phase';
import { replicasOf, stepsOfSpec } from '@/lib/workloads/argo-rollout/spec';
import {
  blockedSince,
  blockersOf,
  describeStarting,
  describeReasonInFull,
  describeReason,
} from '@/lib/workloads/blockers';
import type { StatusInput } from '@/lib/workloads/kind';
import { conditionAt, numberAt, textAt } from '@/lib/kube/read';
import type { WorkloadStatus } from '@/lib/workloads/status';
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
import { formatRevision } from '@/lib/history/revision';
import type { Workload } from '@/lib/history/workload';

type Counts = WorkloadStatus['pods'];

/** The status of an Argo Rollout as a workload: the phase of its controller, with the pods that block it. */
export function argoRolloutStatus(input: StatusInput): WorkloadStatus {
  const pods = countsOf(input);
  const { phase, message } = phaseOf(input.workload);
  return {
    ...deriveState(input, pods),
    pods,
    kubectl: {
      command: 'kubectl argo rollouts status',
      text: message === null ? phase : `${phase} - ${message}`,
      verdict: phase === 'Healthy' ? 'done' : phase === 'Degraded' ? 'error' : 'waiting',
    },
  };
}

function deriveState(input: StatusInput, counts: Counts): DerivedState {
  const { workload } = input;
  if (workload.deletedAt !== null) return deletedState(workload);
  const phaseReading = phaseOf(workload);
  if (phaseReading.isBehind) return unobservedState(workload, input.now);
  if (workload.status.abort === true) return aborted(input, counts);
  switch (phaseReading.phase) {
    case 'Healthy':
      return isRestarting(workload) ? restarting(input, counts) : complete(input, counts);
    case 'Degraded':
      return degraded(input, counts, phaseReading.message);
    case 'Paused':
      return workload.spec.paused === true ? paused(input, counts) : held(input, counts);
    case 'Progressing':
      return inProgress(input, counts, phaseReading.message);
    default:
      return stateWithoutBlockers(
        'unknown',
        `unknown phase ${phaseReading.phase}`,
        `Shiplog does not know the phase ${phaseReading.phase}.`,
        null,
      );
  }
}

/** The controller writes the time of the restart once every older pod is deleted. */
function isRestarting({ spec, status }: Pick<Workload, 'spec' | 'status'>): boolean {
  const requestedAt = textAt(spec, 'restartAt');
  return requestedAt !== undefined && requestedAt !== (textAt(status, 'restartedAt') ?? '');
}

function restarting({ history, workload, pods }: StatusInput, { desired, ready }: Counts): DerivedState {
  const since = textAt(workload.spec, 'restartAt') ?? null;
  const left = since === null ? 0 : pods.filter(({ createdAt }) => createdAt < since).length;
  const message =
    left === 0
      ? `restarting; ${ready} of ${desired} ready`
      : `restarting; ${formatCount(left, 'pod')} older than that`;
  return {
    state: 'rolling',
    message,
    sentence: `The pods of ${workload.name} are being restarted on the same revision; ${ready} of ${formatCount(desired, 'pod')} are ready.`,
    since,
    blockers: blockersOf(history, pods, { proven: true }),
  };
}

function complete({ history, workload }: StatusInput, { desired, ready }: Counts): DerivedState {
  if (desired === 0)
    return stateWithoutBlockers('complete', 'scaled to 0', `${workload.name} is scaled to 0.`, null);
  const on = history.target === null ? 'the current template' : `revision ${formatRevision(history.target)}`;
  const sentence = allPodsReady(desired, on);
  const healthy = conditionAt(workload.status, 'Healthy');
  const since = healthy?.status === 'True' ? (textAt(healthy, 'lastTransitionTime') ?? null) : null;
  return stateWithoutBlockers('complete', `${ready} of ${desired} ready`, sentence, since);
}

/** The spec keeps the aborted template, so it does not describe what serves. */
function aborted(input: StatusInput, counts: Counts): DerivedState {
  const { history, workload } = input;
  const stable = revisionOfHash(history, textAt(workload.status, 'stableRS') ?? null);
  const servingText = stable === null ? 'the stable revision' : `revision ${formatRevision(stable)}`;
  const desiredText =
    history.target === null ? 'the current template' : `revision ${formatRevision(history.target)}`;
  const reason = abortReasonOf(workload);
  const because = reason === null ? '' : ` (${reason})`;
  return {
    state: 'degraded',
    message: `aborted${because}: ${servingText} serves, the spec requests ${desiredText}`,
    sentence: `The rollout of ${desiredText} was aborted${because}. ${capitalize(servingText)} serves with ${stable?.pods.ready ?? counts.ready} of ${formatCount(counts.desired, 'pod')}; the spec still requests ${desiredText}.`,
    since: textAt(workload.status, 'abortedAt') ?? null,
    blockers: blockersOf(history, input.pods, { proven: true }),
  };
}

function degraded(input: StatusInput, counts: Counts, reportedMessage: string | null): DerivedState {
  const { history, workload } = input;
  const blockers = blockersOf(history, input.pods, { proven: true });
  const progressing = conditionAt(workload.status, 'Progressing');
  const isLate = progressing?.reason === 'ProgressDeadlineExceeded';
  const since = textAt(progressing, 'lastTransitionTime') ?? blockedSince(blockers);
  const servingText = describeServing(history, counts.desired);
  if (isLate) {
    const subject = describeTargetReadiness(history.target);
    return {
      state: blockers.length > 0 ? 'stuck' : 'deadlineExceeded',
      message:
        blockers.length > 0
          ? `${subject}; ${describeReason(blockers)}`
          : `progress deadline exceeded; ${counts.available} of ${counts.desired} available`,
      sentence: joinSentences(
        `${capitalize(subject)}${blockers.length > 0 ? `: ${describeReasonInFull(blockers)}` : ' after the progress deadline'}.`,
        servingText,
      ),
      since,
      blockers,
    };
  }
  return {
    state: 'degraded',
    message: reportedMessage ?? `${counts.available} of ${counts.desired} available`,
    sentence: joinSentences(
      `Argo Rollouts reports: ${(reportedMessage ?? 'degraded').replace(/\.$/, '')}.`,
      servingText,
    ),
    since,
    blockers,
  };
}

function paused({ history, workload, pods }: StatusInput, counts: Counts): DerivedState {
  const on = history.target === null ? 'the current template' : `revision ${formatRevision(history.target)}`;
  return {
    state: 'paused',
    message: `${counts.updated} of ${counts.desired} pods on ${on}`,
    sentence: `${counts.updated < counts.desired ? 'The rollout continues when it is resumed.' : 'No rollout starts until it is resumed.'} ${counts.updated} of ${formatCount(counts.desired, 'pod')} run ${on}, ${counts.ready} are ready.`,
    since: pauseConditionsOf(workload)[0]?.since ?? null,
    blockers: blockersOf(history, pods, { proven: true }),
  };
}

/** Held by a pause of its own plan: time or a person ends it. */
function held(input: StatusInput, counts: Counts): DerivedState {
  const { history, workload, pods } = input;
  const on = history.target === null ? 'the current template' : `revision ${formatRevision(history.target)}`;
  const steps = stepsOfSpec(workload).length;
  const index = numberAt(workload.status, 'currentStepIndex');
  const position =
    steps > 0 && index !== undefined
      ? `at step ${Math.min(index + 1, steps)} of ${steps}`
      : 'before promotion';
  return {
    state: 'held',
    message: `${position}; ${counts.updated} of ${counts.desired} pods updated`,
    sentence: joinSentences(
      `The rollout of ${on} is paused ${position}: ${counts.updated} of ${formatCount(counts.desired, 'pod')} ${counts.updated === 1 ? 'runs' : 'run'} it.`,
      describeServing(history, counts.desired),
    ),
    since: pauseConditionsOf(workload)[0]?.since ?? null,
    blockers: blockersOf(history, pods, { proven: true }),
  };
}

function inProgress(input: StatusInput, counts: Counts, reportedMessage: string | null): DerivedState {
  const { history, workload } = input;
  if (history.target === null) return awaitedRevisionState();
  const own = input.pods.filter((pod) => history.revisionOfPod.get(pod.uid)?.target === true);
  const blockers = blockersOf(history, own, { proven: true });
  const starting = describeStarting(own);
  const servingText = describeServing(history, counts.desired);
  if (blockers.length > 0 && starting === null) {
    const subject = describeTargetReadiness(history.target);
    return {
      state: 'stuck',
      message: `${subject}; ${describeReason(blockers)}`,
      sentence: joinSentences(`${capitalize(subject)}: ${describeReasonInFull(blockers)}.`, servingText),
      since: blockedSince(blockers),
      blockers,
    };
  }
  const head = `${counts.updated} of ${counts.desired} updated`;
  const detail = starting ?? reportedMessage;
  return {
    state: 'rolling',
    message: detail === null ? head : `${head}; ${detail}`,
    sentence: joinSentences(
      `${counts.updated} of ${formatCount(counts.desired, 'pod')} of ${workload.name} run revision ${formatRevision(history.target)}, ${counts.ready} are ready.`,
      servingText,
    ),
    since: history.target.activations.at(-1)?.from ?? null,
    blockers: blockersOf(history, input.pods, { proven: true }),
  };
}

function countsOf({ workload: { spec, status } }: StatusInput): Counts {
  return {
    desired: replicasOf({ spec }),
    ready: numberAt(status, 'readyReplicas') ?? 0,
    updated: numberAt(status, 'updatedReplicas') ?? 0,
    available: numberAt(status, 'availableReplicas') ?? 0,
  };
}
