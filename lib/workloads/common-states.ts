import { isActive } from '@/lib/history/assemble';
import { formatRevision } from '@/lib/history/revision';
import type { PodSummary } from '@/lib/history/pod';
import type { Workload } from '@/lib/history/workload';
import type { Blocker } from '@/lib/api/pods';
import { capitalize, formatCount, formatList } from '@/lib/format/text';
import {
  blockedSince,
  blockersOf,
  describeReason,
  describeReasonInFull,
  describeStarting,
  isStuck,
  type TimeInput,
} from '@/lib/workloads/blockers';
import {
  describeServing,
  describeTargetReadiness,
  joinSentences,
  stateWithoutBlockers,
  type DerivedState,
} from '@/lib/workloads/derived-state';
import type { StatusInput } from '@/lib/workloads/kind';

/** A controller observes an edit within a second or two; one that takes this long is overloaded, or does not run. */
const OBSERVED_WITHIN_MS = 30_000;

/** The status of a workload whose controller has not observed the last edit. Without `now` it is unknown. */
export function unobservedState({ editedAt, createdAt }: Workload, now: string | undefined): DerivedState {
  const since = editedAt ?? createdAt;
  if (now !== undefined && Date.parse(now) - Date.parse(since) < OBSERVED_WITHIN_MS) {
    const message = 'waiting for the controller to observe the last change';
    const sentence = 'Waiting for the controller to observe the last change.';
    return { ...stateWithoutBlockers('rolling', message, sentence, since), unobserved: true };
  }
  return {
    ...stateWithoutBlockers(
      'unknown',
      'the controller has not observed the last change',
      'The controller has not observed the last change, so the state of its rollout is unknown.',
      null,
    ),
    unobserved: true,
  };
}

export function deletedState({ name, deletedAt }: Workload): DerivedState {
  return stateWithoutBlockers('unknown', 'being deleted', `${name} is being deleted.`, deletedAt);
}

/** While no revision has the current template. */
export function awaitedRevisionState(): DerivedState {
  const message = 'waiting for the controller to create a revision';
  return stateWithoutBlockers('rolling', message, `${capitalize(message)}.`, null);
}

type PodFacts = Pick<StatusInput, 'history' | 'pods'> & TimeInput;
type PodCounts = Readonly<Record<'ready' | 'desired', number>>;

/** Active pods of another revision than the target. */
export function outdatedPods({ history, pods }: PodFacts): PodSummary[] {
  return pods.filter((pod) => isActive(pod) && history.revisionOfPod.get(pod.uid)?.id !== history.target?.id);
}

/** Under OnDelete, while there are outdated pods. */
export function waitingForDeletion(facts: PodFacts, { ready, desired }: PodCounts): DerivedState {
  const { history, pods, now } = facts;
  const outdated = outdatedPods(facts);
  const names = formatList(outdated.map(({ name }) => name));
  const verb = outdated.length === 1 ? 'runs' : 'run';
  const to = history.target === null ? 'the current template' : `revision ${formatRevision(history.target)}`;
  return {
    state: 'waiting',
    message: `${formatCount(outdated.length, 'pod')} to delete: ${names}`,
    sentence: `The update strategy is OnDelete: ${names} ${verb} an older revision until deleted; the new ${outdated.length === 1 ? 'pod' : 'pods'} will run ${to}. ${ready} of ${formatCount(desired, 'pod')} are ready.`,
    since: null,
    blockers: blockersOf(history, pods, { proven: true, now }),
  };
}

/** A pod of another revision, which an ordered update waits for, that a person must delete before anything else happens. */
export function stuckByOrder(
  { history, now }: PodFacts,
  pod: PodSummary | null | undefined,
  { ready, desired }: PodCounts,
): DerivedState | null {
  if (pod?.block == null || !isStuck(pod.block, now) || history.target === null) return null;
  const blockers = blockersOf(history, [pod], { proven: true, now });
  const revision = history.revisionOfPod.get(pod.uid);
  const on = revision === undefined ? 'another revision' : `revision ${formatRevision(revision)}`;
  return {
    state: 'stuck',
    message: `${pod.name} blocks the update: ${describeReason(blockers)}`,
    sentence: `${pod.name} runs ${on} and is not ready: ${describeReasonInFull(blockers)}. The ordered update waits for it and does not replace it: delete the pod to continue. ${ready} of ${formatCount(desired, 'pod')} are ready.`,
    since: blockedSince(blockers),
    blockers,
  };
}

/** The blocked pods of the target, where none of the others can still become ready; else none. */
export function lastingBlockers({ history, pods, now }: PodFacts): readonly Blocker[] {
  const targetPods = pods.filter((pod) => history.revisionOfPod.get(pod.uid)?.target === true);
  return describeStarting(targetPods, now) === null
    ? blockersOf(history, targetPods, { proven: true, now })
    : [];
}

/** Pods of the target are blocked for good. */
export function stuckByPods(
  { history }: PodFacts,
  blockers: readonly Blocker[],
  { desired }: Pick<PodCounts, 'desired'>,
): DerivedState {
  const subject = capitalize(describeTargetReadiness(history.target));
  return {
    state: 'stuck',
    message: `${formatList(blockers.map(({ pod }) => pod))}: ${describeReason(blockers)}`,
    sentence: joinSentences(
      `${subject}: ${describeReasonInFull(blockers)}.`,
      describeServing(history, desired),
    ),
    since: blockedSince(blockers),
    blockers,
  };
}
