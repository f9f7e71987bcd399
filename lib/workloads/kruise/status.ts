import { type JsonObject } from '@/lib/kube/json';
import { isActive } from '@/lib/history/assemble';
import {
  blockedSince,
  blockersOf,
  type Clocked,
  describeStarting,
  isStuck,
  reasonInFull,
  reasonOf,
  shortened,
} from '@/lib/workloads/blockers';
import { type StatusInput } from '@/lib/workloads/kind';
import { partitionWords, type Rolling } from '@/lib/workloads/kruise/rolling';
import { holdingRollout } from '@/lib/workloads/kruise/rollout-marks';
import { type KruiseRules } from '@/lib/workloads/kruise/rules';
import { type PodSummary } from '@/lib/workloads/pod';
import { conditionAt, numberAt, textAt } from '@/lib/workloads/read';
import { type WorkloadStatus } from '@/lib/workloads/status';
import {
  allReadySince,
  joined,
  plain,
  stillServing,
  targetReadiness,
  type Verdict,
} from '@/lib/workloads/status-words';
import { unobserved } from '@/lib/workloads/unobserved';
import { called, capitalised, count, listed } from '@/lib/workloads/words';
import { type Workload } from '@/lib/workloads/workload';

/** What the controller has counted. */
export interface Counts {
  updated: number;
  ready: number;
  available: number;
}

export interface StatusRules {
  rules: KruiseRules;
  counts: Counts;
  kubectl: WorkloadStatus['kubectl'];
}

interface Sight extends StatusInput, Clocked, StatusRules {
  rolling: Rolling;
  desired: number;
  /** Pods that the partition lets go to the target. */
  wanted: number;
}

/** Types of conditions with which controllers of OpenKruise tell that pods cannot be made, or cannot be changed. */
const CREATE_FAILURES = ['FailedScale', 'FailedCreatePod'];
const UPDATE_FAILURES = ['FailedUpdate', 'FailedUpdatePod'];

/**
 * The status of a workload of OpenKruise: complete, rolling, held by its partition or its Rollout, paused, waiting under
 * OnDelete, stuck by its pods, degraded, or unknown while the controller has not seen the spec.
 */
export function kruiseStatus(input: StatusInput & Clocked, own: StatusRules): WorkloadStatus {
  const { workload } = input;
  const { rules, counts, kubectl } = own;
  const desired = rules.desiredOf(workload);
  const sight = {
    ...input,
    ...own,
    rolling: rules.rollingOf(workload),
    desired,
    wanted: Math.max(0, desired - rules.keptOf(workload)),
  };
  const { ready, updated, available } = counts;
  return { ...judge(sight), pods: { desired, ready, updated, available }, kubectl };
}

/** Controllers of OpenKruise count from generation 1, and a status that nobody wrote has none. */
export function isObserved({ status, generation }: Workload): boolean {
  const observed = numberAt(status, 'observedGeneration') ?? 0;
  return observed !== 0 && observed >= generation;
}

function judge(sight: Sight): Verdict {
  const { workload, rolling, desired, wanted, counts } = sight;
  if (workload.deletedAt !== null)
    return plain('unknown', 'being deleted', `${workload.name} is being deleted.`, workload.deletedAt);
  if (!isObserved(workload)) return unobserved(workload, sight.now);
  if (desired === 0) return nothingWanted(sight);
  if (rolling.isPaused) return paused(sight);
  if (rolling.isOnDelete && outdatedPods(sight).length > 0) return onDelete(sight);
  const isServing = counts.ready >= desired && counts.available >= desired;
  if (!isServing) return unfinished(sight);
  const isGoalReached = counts.updated >= wanted || sight.rules.alsoHolds(workload) !== null;
  if (!rolling.isOnDelete && !isGoalReached) return unfinished(sight);
  return counts.updated < desired && !rolling.isOnDelete ? held(sight) : complete(sight);
}

function nothingWanted({ workload, rules }: Sight): Verdict {
  return rules.unit === 'node'
    ? plain('complete', 'no node wanted', `No node is to run a pod of ${workload.name}.`, null)
    : plain('complete', 'scaled to 0', `${workload.name} is scaled to 0; no pod runs.`, null);
}

function paused(sight: Sight): Verdict {
  const { history, pods, counts, desired, now } = sight;
  const on = history.target === null ? 'the present template' : called(history.target);
  const subject = history.target === null ? on : `revision ${on}`;
  return {
    state: 'paused',
    message: `${counts.updated} of ${count(desired, 'pod')} on ${on}`,
    sentence: `Updates wait until it is resumed; scaling goes on. ${counts.updated} of ${count(desired, 'pod')} ${counts.updated === 1 ? 'runs' : 'run'} ${subject}, ${counts.ready} are ready.`,
    since: null,
    blockers: blockersOf(history, pods, { proven: true, now }),
  };
}

function outdatedPods({ history, pods }: Sight): PodSummary[] {
  return pods.filter((pod) => isActive(pod) && history.revisionOfPod.get(pod.uid)?.id !== history.target?.id);
}

function onDelete(sight: Sight): Verdict {
  const { history, pods, counts, desired, now } = sight;
  const outdated = outdatedPods(sight);
  const names = listed(outdated.map(({ name }) => name));
  const [verb, them] = outdated.length === 1 ? ['runs', 'it'] : ['run', 'them'];
  const to = history.target === null ? 'the present template' : `revision ${called(history.target)}`;
  return {
    state: 'waiting',
    message: `${count(outdated.length, 'pod')} to delete: ${names}`,
    sentence: `The strategy is OnDelete: ${names} ${verb} an older revision until somebody deletes ${them}; what is created then runs ${to}. ${counts.ready} of ${count(desired, 'pod')} are ready.`,
    since: null,
    blockers: blockersOf(history, pods, { proven: true, now }),
  };
}

function unfinished(sight: Sight): Verdict {
  return failed(sight) ?? orderStuck(sight) ?? podsStuck(sight) ?? moving(sight);
}

/** The controller says itself that it cannot go on, and no pod is on its way. */
function failed(sight: Sight): Verdict | null {
  const { history, pods, desired, counts, wanted, now } = sight;
  const missing = pods.filter(isActive).length < desired;
  const [verb, failure] = missing
    ? (['created', failureOf(sight, CREATE_FAILURES)] as const)
    : (['updated', counts.updated < wanted ? failureOf(sight, UPDATE_FAILURES) : null] as const);
  if (failure === null || describeStarting(pods, now) !== null) return null;
  const said = textAt(failure, 'message') ?? textAt(failure, 'reason') ?? textAt(failure, 'type') ?? '';
  const reason = /exceeded quota/i.test(said) ? 'the quota allows no more pods' : `pods cannot be ${verb}`;
  const subject = targetReadiness(history.target);
  return {
    state: 'stuck',
    message: `${subject}; ${reason}`,
    sentence: joined(`${capitalised(subject)}: ${shortened(said)}.`, stillServing(history, desired)),
    since: textAt(failure, 'lastTransitionTime') ?? null,
    blockers: blockersOf(history, pods, { proven: true, now }),
  };
}

/**
 * Such a condition is never taken back, so that one that is older than the rollout says nothing of it; and a write that
 * met another one is tried again at once.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/cloneset/cloneset_controller.go
 */
function failureOf({ workload, history }: Sight, types: readonly string[]): JsonObject | null {
  const begun = history.target?.activations.at(-1)?.from ?? history.target?.createdAt ?? '';
  for (const type of types) {
    const failure = conditionAt(workload.status, type);
    if (failure?.status !== 'True' || isConflict(textAt(failure, 'message') ?? '')) continue;
    if ((textAt(failure, 'lastTransitionTime') ?? '') >= begun) return failure;
  }
  return null;
}

function isConflict(message: string): boolean {
  return message.includes('the object has been modified');
}

/** A pod of another revision that must be deleted by hand before anything else happens. */
function orderStuck(sight: Sight): Verdict | null {
  const { workload, history, pods, rules, counts, desired, now } = sight;
  const pod = rules.blocking(workload, outdatedPods(sight), pods);
  if (pod?.block == null || !isStuck(pod.block, now) || history.target === null) return null;
  const blockers = blockersOf(history, [pod], { proven: true, now });
  const revision = history.revisionOfPod.get(pod.uid);
  const on = revision === undefined ? 'another revision' : `revision ${called(revision)}`;
  return {
    state: 'stuck',
    message: `${pod.name} blocks the update: ${reasonOf(blockers)}`,
    sentence: `${pod.name} runs ${on} and is not ready: ${reasonInFull(blockers)}. An ordered update waits for it and does not replace it, so it must be deleted; ${counts.ready} of ${count(desired, 'pod')} are ready.`,
    since: blockedSince(blockers),
    blockers,
  };
}

/**
 * Pods of the target are blocked, and none of the others is on its way. With every pod updated and some of them ready
 * the update is over, and what is missing is called degraded.
 */
function podsStuck(sight: Sight): Verdict | null {
  const { history, pods, counts, desired, wanted, now } = sight;
  const mine = pods.filter((pod) => history.revisionOfPod.get(pod.uid)?.target === true);
  const blockers = blockersOf(history, mine, { proven: true, now });
  if (blockers.length === 0 || describeStarting(mine, now) !== null) return null;
  const reason = reasonOf(blockers);
  const inFull = reasonInFull(blockers);
  const names = listed(blockers.map(({ pod }) => pod));
  const since = blockedSince(blockers);
  if (counts.updated >= wanted && (history.target?.pods.ready ?? 0) > 0) {
    return {
      state: 'degraded',
      message: `${counts.available} of ${desired} available; ${names}: ${reason}`,
      sentence: `The update is over, but only ${counts.available} of ${count(desired, 'pod')} are available: ${names}, ${inFull}.`,
      since,
      blockers,
    };
  }
  const subject = targetReadiness(history.target);
  return {
    state: 'stuck',
    message: `${names}: ${reason}`,
    sentence: joined(`${capitalised(subject)}: ${inFull}.`, stillServing(history, desired)),
    since,
    blockers,
  };
}

function moving(sight: Sight): Verdict {
  const { history, pods, counts, desired, wanted, rolling, now } = sight;
  if (history.target === null) {
    const message = 'the controller has not recorded the present template yet';
    return plain('rolling', message, `${capitalised(message)}.`, null);
  }
  const starting = describeStarting(pods, now);
  const goal = rolling.isOnDelete ? desired : wanted;
  const head =
    counts.updated < goal
      ? `${counts.updated} of ${goal} updated`
      : `${counts.available} of ${desired} available`;
  return {
    state: 'rolling',
    message: starting === null ? head : `${head}; ${starting}`,
    sentence: joined(
      `${counts.updated} of ${count(goal, 'pod')} to update run revision ${called(history.target)}${inPlaceWords(sight)}, ${counts.ready} of ${desired} are ready.`,
      stillServing(history, desired),
    ),
    since: history.target.activations.at(-1)?.from ?? null,
    blockers: blockersOf(history, pods, { proven: true, now }),
  };
}

/** ", 2 of them updated in place": pods of the target that are older than its record. */
function inPlaceWords({ history, pods }: Sight): string {
  const { target } = history;
  if (target === null) return '';
  const kept = pods.filter(
    (pod) =>
      isActive(pod) &&
      history.revisionOfPod.get(pod.uid)?.target === true &&
      pod.createdAt < target.createdAt,
  );
  return kept.length === 0 ? '' : `, ${kept.length} of them updated in place`;
}

function held(sight: Sight): Verdict {
  const { workload, rules, history, counts, desired, rolling } = sight;
  const on = history.target === null ? 'the present template' : `revision ${called(history.target)}`;
  const partition = partitionWords(rolling) ?? rules.alsoHolds(workload) ?? 'partition';
  const rollout = holdingRollout(workload);
  const rest = describeHeld(sight);
  const holder = rollout === null ? partition : `Rollout ${rollout}, ${partition}`;
  const subject = rollout === null ? `the ${partition} holds` : `Rollout ${rollout} holds`;
  const noun = rules.unit === 'node' ? 'node' : 'pod';
  return {
    state: 'held',
    message: `${holder}: ${rest}`,
    sentence: `${counts.updated} of ${count(desired, noun)} ${counts.updated === 1 ? 'runs' : 'run'} ${on} and all are ready; ${subject} the rest${rollout === null ? '' : ` by its ${partition}`}: ${rest}.`,
    since: null,
    blockers: [],
  };
}

/** "4 pods stay on 1", "es-0 and es-1 stay on 11". */
function describeHeld(sight: Sight): string {
  const { workload, rules, history, counts, desired } = sight;
  const outdated = outdatedPods(sight);
  if (outdated.length === 0) return `${count(desired - counts.updated, 'pod')} not updated`;
  const { pods: known } = rules.staying(workload, outdated, rules.partitionOf(workload));
  const revisions = new Set(outdated.map((pod) => history.revisionOfPod.get(pod.uid)));
  const on = [...revisions].map((revision) =>
    revision === undefined ? 'a lost revision' : called(revision),
  );
  const who =
    known === null || known.length > 3
      ? count(outdated.length, 'pod')
      : listed(outdated.map(({ name }) => name));
  return `${who} ${outdated.length === 1 ? 'stays' : 'stay'} on ${listed(on)}`;
}

function complete({ history, pods, desired, rules }: Sight): Verdict {
  const on = history.target === null ? 'the present template' : `revision ${called(history.target)}`;
  const isNode = rules.unit === 'node';
  const sentence =
    desired === 1
      ? isNode
        ? `The one node that shall run a pod runs ${on}, and the pod is ready.`
        : `The one pod runs ${on} and is ready.`
      : isNode
        ? `All ${desired} nodes run ${on}, and every pod is ready.`
        : `All ${desired} pods run ${on} and are ready.`;
  return plain('complete', `${desired} of ${desired} ready`, sentence, allReadySince(pods, desired));
}
