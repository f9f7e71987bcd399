import { earlierOf, isAtOrAfter, laterOf, ms } from '@/lib/records/times';
import type { KnownPod, Observation, ObservedPod } from '@/lib/records/observation';
import { addPods, refreshPods, uidsOf } from '@/lib/records/step-pods';
import { assignRemovedPods } from '@/lib/records/removed-pods';
import type { Outcome } from '@/lib/api/record-values';
import type { RecordedStep, StepPod } from '@/lib/api/record';
import { createWave } from '@/lib/records/wave';
import { formatCount } from '@/lib/format/text';

type Steps = readonly RecordedStep[];

/** Pods created together may have times two seconds apart: these are whole seconds. */
const SAME_WRITE_MS = 1_000;

/** What is known of the rollout of the steps. */
export interface RolloutContext {
  start: string | null;
  /** Not watched since the last observation. */
  isGap: boolean;
  /** Nothing ran before it. */
  isFirst: boolean;
}

/**
 * The steps of a rollout updated from an observation of its pods: one for each position of a partition, else
 * one for each wave. A wave is the pods that were created before any of them was ready; the first one after
 * that begins the next. Pods of a group come in one step, and the group has to be ready. Where nothing ran
 * before, no pod waits for another to be ready: that is one wave. The steps follow from the times of the pods
 * alone, so the frequency of observations does not matter.
 */
export function updateSteps(
  steps: Steps,
  observation: Observation,
  removed: readonly KnownPod[],
  rollout: RolloutContext,
): Steps {
  const { start } = rollout;
  const currentPods = new Map(observation.targetPods.map((pod) => [pod.uid, stepPodOf(pod)]));
  const refreshed = steps.map((step) => refreshPods(step, currentPods));
  const moved = movePartition(refreshed, observation, rollout);
  const known = new Set(moved.flatMap(uidsOf));
  const arrived = observation.targetPods
    .filter(({ uid, createdAt }) => !known.has(uid) && (start === null || isAtOrAfter(createdAt, start)))
    .toSorted((a, b) => ms(a.createdAt) - ms(b.createdAt) || (a.name < b.name ? -1 : 1))
    .slice(0, podsAllowed(observation, known));
  const context = createContext(observation, rollout);
  const placed = arrived.reduce((result, pod) => addPod(result, pod, context), moved);
  const grown = assignRemovedPods(placed, removed, start, (step) => isReady(step, context));
  return grown.map((step, index) => {
    const known = completeIfReady(step, observation, context);
    // The move of a partition recreates no pod: the wave before it is over when none of its pods is starting.
    const isLeft = grown[index + 1]?.kind === 'partition' && known.state === 'running';
    const isStarting = uidsOf(known).some((uid) => context.pending.has(uid));
    return isLeft && !isStarting ? leaveStep(known, observation, rollout) : known;
  });
}

/** The steps of a rollout that has ended. */
export function endSteps(steps: Steps, outcome: Outcome, endedAt: string | null): Steps {
  return steps.map((step) => endStep(step, outcome, endedAt));
}

function endStep(step: RecordedStep, outcome: Outcome, endedAt: string | null): RecordedStep {
  const state = outcome === 'completed' ? outcome : outcome === 'unknown' ? outcome : 'abandoned';
  // It may have ended long before the rollout did, but not after it.
  if (step.state === 'completed' && step.endedAt !== null)
    return { ...step, endedAt: earlierOf(step.endedAt, endedAt) };
  if (step.state === 'running') return { ...step, state, endedAt: state === 'unknown' ? null : endedAt };
  // Without a watch to its end, nothing shows that it did not begin.
  return step.state === 'planned' ? { ...step, state: state === 'unknown' ? state : 'skipped' } : step;
}

function movePartition(steps: Steps, observation: Observation, rollout: RolloutContext): Steps {
  const { partition, partitionPercent, partitionOf, desiredPods, at } = observation;
  const last = steps.at(-1);
  const isPartitioned = (partition !== null && partition > 0) || last?.kind === 'partition';
  const name = `Partition ${partitionPercent ?? partition ?? 0}`;
  if (!isPartitioned) return steps;
  const { noun, total } = partitionOf ?? { noun: 'pod', total: desiredPods };
  const planned = `${Math.max(0, total - (partition ?? 0))} of ${formatCount(total, noun)}`;
  // The same share of more pods is no move.
  if (last?.name === name)
    return last.planned === planned ? steps : [...steps.slice(0, -1), { ...last, planned }];
  const step: RecordedStep = {
    index: steps.length + 1,
    name,
    kind: 'partition',
    planned,
    startedAt: last === undefined ? rollout.start : rollout.isGap ? null : at,
    endedAt: null,
    state: 'running',
    pods: [],
    removed: [],
  };
  return [
    ...steps.map((each) => (each.kind === 'wave' ? each : leaveStep(each, observation, rollout))),
    step,
  ];
}

/** A step that the partition has moved on from. */
function leaveStep(step: RecordedStep, { at }: Observation, { isGap }: RolloutContext): RecordedStep {
  return isGap ? endStep(step, 'unknown', null) : endStep(step, 'superseded', at);
}

/**
 * How many more pods a partition allows. Pods and workload are watched separately, so the pods of its next
 * move may be observed before the move: they wait for it. A first revision goes to all pods whatever the
 * partition.
 */
function podsAllowed(observation: Observation, known: ReadonlySet<string>): number {
  const { partition, partitionOf, desiredPods, targetPods, completion } = observation;
  if (partition === null || partition === 0 || completion !== null) return targetPods.length;
  const podsEach = partitionOf === undefined || partitionOf.total === 0 ? 1 : desiredPods / partitionOf.total;
  const placed = targetPods.filter(({ uid }) => known.has(uid)).length;
  return Math.max(0, desiredPods - partition * podsEach - placed);
}

interface PodContext {
  isFirst: boolean;
  /** How many pods each group has when complete. */
  sizes: ReadonlyMap<string, number>;
  /** When each pod was created, or got the target in place. */
  createdAt: ReadonlyMap<string, string>;
  /** uids of pods that are not ready. */
  pending: ReadonlySet<string>;
}

function createContext({ targetPods }: Observation, { isFirst }: RolloutContext): PodContext {
  return {
    isFirst,
    sizes: new Map(targetPods.flatMap(({ group }) => (group ? [[group.key, group.size] as const] : []))),
    createdAt: new Map(targetPods.map(({ uid, createdAt }) => [uid, createdAt])),
    pending: new Set(targetPods.flatMap(({ uid, readyAt }) => (readyAt === null ? [uid] : []))),
  };
}

function addPod(steps: Steps, pod: ObservedPod, context: PodContext): Steps {
  const stepIndex = stepIndexFor(steps, pod, context);
  const step = steps[stepIndex] ?? createWave(steps, pod.createdAt);
  // A pod of a wave that seemed to be over shows that it was not.
  const open = step.kind === 'wave' ? { ...step, state: 'running' as const, endedAt: null } : step;
  return steps.toSpliced(stepIndex, 1, addPods(open, [stepPodOf(pod)]));
}

/** The step of a pod; that after the last one where it begins a wave. */
function stepIndexFor(steps: Steps, pod: ObservedPod, context: PodContext): number {
  const own = steps.findLastIndex(({ pods }) =>
    pods.some(({ name, group }) => name === pod.name || (group !== undefined && group === pod.group?.key)),
  );
  if (own !== -1) return own;
  const last = steps.at(-1);
  if (last === undefined) return 0;
  const isCreation = context.isFirst && steps.every(({ removed }) => removed.length === 0);
  const isNext = last.kind === 'wave' && !isCreation && beginsNextWave(pod, last, context);
  return isNext ? steps.length : steps.length - 1;
}

/**
 * Whether a pod was created after a pod of the wave, or a complete group of it, was ready. One that got the
 * target in place may have been ready throughout, or in the same second with its former template, which shows
 * nothing of the wave. Nor does a pod that was ready on creation show anything of those created with it.
 */
function beginsNextWave(pod: ObservedPod, wave: RecordedStep, context: PodContext): boolean {
  const isBefore = ({ uid, readyAt }: StepPod) =>
    readyAt !== null &&
    !isCreatedTogether(pod, context.createdAt.get(uid) ?? wave.startedAt) &&
    (pod.isInPlace === true ? ms(readyAt) < ms(pod.createdAt) : ms(readyAt) <= ms(pod.createdAt)) &&
    (wave.startedAt === null || isAtOrAfter(readyAt, wave.startedAt));
  if (pod.group === undefined) return wave.pods.some(isBefore);
  const groups = Map.groupBy(wave.pods, ({ group }) => group ?? '');
  return [...groups].some(([group, pods]) => isGroupComplete(wave, group, context) && pods.every(isBefore));
}

function isCreatedTogether({ createdAt }: ObservedPod, other: string | null): boolean {
  return other !== null && ms(createdAt) - ms(other) <= SAME_WRITE_MS;
}

/** Whether every pod that came is ready, and every group of them complete. */
function isReady(step: RecordedStep, context: PodContext): boolean {
  const isDone = ({ readyAt, group }: StepPod) =>
    readyAt !== null && (group === undefined || isGroupComplete(step, group, context));
  return (
    step.pods.length > 0 &&
    step.pods.every(isDone) &&
    (step.unlisted ?? []).every((uid) => !context.pending.has(uid))
  );
}

/** Whether all the pods of a group have come. */
function isGroupComplete({ pods }: RecordedStep, group: string, { sizes }: PodContext): boolean {
  return pods.filter((pod) => pod.group === group).length >= (sizes.get(group) ?? 0);
}

/** A wave is over when its pods were ready, a partition when it holds the rest. */
function completeIfReady(step: RecordedStep, { state, at }: Observation, context: PodContext): RecordedStep {
  if (step.state !== 'running') return step;
  const lastReady = step.pods.reduce<string | null>(
    (last, { readyAt }) => (readyAt === null ? last : laterOf(readyAt, last)),
    null,
  );
  const isOver = isReady(step, context);
  if (step.kind === 'wave') {
    if (!isOver || lastReady === null) return step;
    return { ...step, state: 'completed', endedAt: laterOf(lastReady, step.startedAt) };
  }
  if (state !== 'held' && state !== 'complete') return step;
  const end = (isOver ? lastReady : null) ?? step.startedAt ?? at;
  return { ...step, state: 'completed', endedAt: laterOf(end, step.startedAt) };
}

function stepPodOf({ name, uid, ip, node, readyAt, restarts, group }: ObservedPod): StepPod {
  return { name, uid, ip, node, readyAt, restarts, ...(group && { group: group.key }) };
}
