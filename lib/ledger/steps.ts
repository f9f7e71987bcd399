import { earlier, isSince, later, ms } from '@/lib/ledger/moments';
import { type Observation, type ObservedPod } from '@/lib/ledger/observation';
import { addPods, refreshPods, uidsOf } from '@/lib/ledger/pod-list';
import { addRemoved } from '@/lib/ledger/removals';
import { type Outcome, type RemovedPod, type RolloutStep, type StepPod } from '@/lib/ledger/record';
import { newWave } from '@/lib/ledger/wave';
import { count } from '@/lib/workloads/words';

type Steps = readonly RolloutStep[];

/** What is made in one go may be written in two seconds: the times of pods are whole ones. */
const AT_ONCE_MS = 1_000;

/** What is known of the rollout that the steps are of. */
export interface Course {
  start: string | null;
  /** Nobody watched since the last look. */
  isGap: boolean;
  /** Nothing ran before it. */
  isFirst: boolean;
}

/**
 * The steps of a rollout with what is seen of its pods now: one for each position of a partition, else one for each wave.
 * A wave is the pods that were created before any of them was ready; the first one after that begins the next. Pods of
 * a group come in one step, and it is the group that has to be ready. Where nothing ran before, nothing waits for
 * anything to be ready: that is one wave. It follows from the times of the pods alone, so it does not matter how often
 * one looked.
 */
export function addToSteps(
  steps: Steps,
  observation: Observation,
  removed: readonly RemovedPod[],
  course: Course,
): Steps {
  const { start } = course;
  const present = new Map(observation.targetPods.map((pod) => [pod.uid, stepPodOf(pod)]));
  const refreshed = steps.map((step) => refreshPods(step, present));
  const moved = movePartition(refreshed, observation, course);
  const known = new Set(moved.flatMap(uidsOf));
  const arrived = observation.targetPods
    .filter(({ uid, createdAt }) => !known.has(uid) && (start === null || isSince(createdAt, start)))
    .toSorted((a, b) => ms(a.createdAt) - ms(b.createdAt) || (a.name < b.name ? -1 : 1))
    .slice(0, roomFor(observation, known));
  const sight = sightOf(observation, course);
  const placed = arrived.reduce((sum, pod) => addPod(sum, pod, sight), moved);
  const grown = addRemoved(placed, removed, start, (step) => isReady(step, sight));
  return grown.map((step) => settled(step, observation, sight));
}

/** The steps of a rollout that has ended. */
export function endSteps(steps: Steps, outcome: Outcome, endedAt: string | null): Steps {
  const state = outcome === 'completed' ? outcome : outcome === 'unknown' ? outcome : 'abandoned';
  return steps.map((step) => {
    // It may have ended long before the rollout did, and is not over after it.
    if (step.state === 'completed' && step.endedAt !== null)
      return { ...step, endedAt: earlier(step.endedAt, endedAt) };
    if (step.state === 'running') return { ...step, state, endedAt: state === 'unknown' ? null : endedAt };
    // Of one that nobody watched to its end nothing says that it did not begin.
    return step.state === 'planned' ? { ...step, state: state === 'unknown' ? state : 'skipped' } : step;
  });
}

function movePartition(
  steps: Steps,
  { partition, partitionOf, desiredPods, at }: Observation,
  { start, isGap }: Course,
): Steps {
  const last = steps.at(-1);
  const isPartitioned = (partition !== null && partition > 0) || last?.kind === 'partition';
  const name = `Partition ${partition ?? 0}`;
  if (!isPartitioned || last?.name === name) return steps;
  const { noun, total } = partitionOf ?? { noun: 'pod', total: desiredPods };
  const step: RolloutStep = {
    index: steps.length + 1,
    name,
    kind: 'partition',
    planned: `${Math.max(0, total - (partition ?? 0))} of ${count(total, noun)}`,
    startedAt: last === undefined ? start : isGap ? null : at,
    endedAt: null,
    state: 'running',
    pods: [],
    removed: [],
  };
  return [...endSteps(steps, isGap ? 'unknown' : 'superseded', isGap ? null : at), step];
}

/**
 * How many more pods a partition lets through. The pods are watched apart from their workload, so those of its next
 * move may be seen before the move: they wait for it. A first revision is given to all of them whatever the partition.
 */
function roomFor(observation: Observation, known: ReadonlySet<string>): number {
  const { partition, partitionOf, desiredPods, targetPods, completion } = observation;
  if (partition === null || partition === 0 || completion !== null) return targetPods.length;
  const podsEach = partitionOf === undefined || partitionOf.total === 0 ? 1 : desiredPods / partitionOf.total;
  const placed = targetPods.filter(({ uid }) => known.has(uid)).length;
  return Math.max(0, desiredPods - partition * podsEach - placed);
}

interface Sight {
  isFirst: boolean;
  /** How many pods each group is to have. */
  sizes: ReadonlyMap<string, number>;
  /** When each pod was made, or took the target in place. */
  made: ReadonlyMap<string, string>;
  /** uids of pods that are not ready. */
  pending: ReadonlySet<string>;
}

function sightOf({ targetPods }: Observation, { isFirst }: Course): Sight {
  return {
    isFirst,
    sizes: new Map(targetPods.flatMap(({ group }) => (group ? [[group.key, group.size] as const] : []))),
    made: new Map(targetPods.map(({ uid, createdAt }) => [uid, createdAt])),
    pending: new Set(targetPods.flatMap(({ uid, readyAt }) => (readyAt === null ? [uid] : []))),
  };
}

function addPod(steps: Steps, pod: ObservedPod, sight: Sight): Steps {
  const place = placeOf(steps, pod, sight);
  const step = steps[place] ?? newWave(steps, pod.createdAt);
  // What comes for a wave that seemed to be over shows that it was not.
  const open = step.kind === 'wave' ? { ...step, state: 'running' as const, endedAt: null } : step;
  return steps.toSpliced(place, 1, addPods(open, [stepPodOf(pod)]));
}

/** The step that a pod came for; that after the last one where it begins a wave. */
function placeOf(steps: Steps, pod: ObservedPod, sight: Sight): number {
  const own = steps.findLastIndex(({ pods }) =>
    pods.some(({ name, group }) => name === pod.name || (group !== undefined && group === pod.group?.key)),
  );
  if (own !== -1) return own;
  const last = steps.at(-1);
  if (last === undefined) return 0;
  const isCreation = sight.isFirst && steps.every(({ removed }) => removed.length === 0);
  const isNext = last.kind === 'wave' && !isCreation && isAfter(pod, last, sight);
  return isNext ? steps.length : steps.length - 1;
}

/**
 * Whether a pod was made after a pod of the wave, or a whole group of it, was ready. One that took the target in place may
 * have been ready all the while, or in the same second for what it ran before, which tells nothing of the wave. Nor does
 * a pod that was ready as soon as it was made tell anything of those that were made with it.
 */
function isAfter(pod: ObservedPod, wave: RolloutStep, sight: Sight): boolean {
  const isBefore = ({ uid, readyAt }: StepPod) =>
    readyAt !== null &&
    !isMadeWith(pod, sight.made.get(uid) ?? wave.startedAt) &&
    (pod.isInPlace === true ? ms(readyAt) < ms(pod.createdAt) : ms(readyAt) <= ms(pod.createdAt)) &&
    (wave.startedAt === null || isSince(readyAt, wave.startedAt));
  if (pod.group === undefined) return wave.pods.some(isBefore);
  const groups = Map.groupBy(wave.pods, ({ group }) => group ?? '');
  return [...groups].some(([group, pods]) => isWhole(wave, group, sight) && pods.every(isBefore));
}

function isMadeWith({ createdAt }: ObservedPod, other: string | null): boolean {
  return other !== null && ms(createdAt) - ms(other) <= AT_ONCE_MS;
}

/** Whether every pod that came is ready, and every group of them whole. */
function isReady(step: RolloutStep, sight: Sight): boolean {
  const isDone = ({ readyAt, group }: StepPod) =>
    readyAt !== null && (group === undefined || isWhole(step, group, sight));
  return (
    step.pods.length > 0 &&
    step.pods.every(isDone) &&
    (step.unlisted ?? []).every((uid) => !sight.pending.has(uid))
  );
}

/** Whether all the pods of a group have come. */
function isWhole({ pods }: RolloutStep, group: string, { sizes }: Sight): boolean {
  return pods.filter((pod) => pod.group === group).length >= (sizes.get(group) ?? 0);
}

/** A wave is over when its pods were ready, a partition when it holds the rest. */
function settled(step: RolloutStep, { state, at }: Observation, sight: Sight): RolloutStep {
  if (step.state !== 'running') return step;
  const lastReady = step.pods.reduce<string | null>(
    (last, { readyAt }) => (readyAt === null ? last : later(readyAt, last)),
    null,
  );
  const isOver = isReady(step, sight);
  if (step.kind === 'wave') {
    if (!isOver || lastReady === null) return step;
    return { ...step, state: 'completed', endedAt: later(lastReady, step.startedAt) };
  }
  if (state !== 'held' && state !== 'complete') return step;
  const end = (isOver ? lastReady : null) ?? step.startedAt ?? at;
  return { ...step, state: 'completed', endedAt: later(end, step.startedAt) };
}

function stepPodOf({ name, uid, ip, node, readyAt, restarts, group }: ObservedPod): StepPod {
  return { name, uid, ip, node, readyAt, restarts, ...(group && { group: group.key }) };
}
