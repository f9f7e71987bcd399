import { isSince, later, ms } from '@/lib/ledger/moments';
import { type Observation, type ObservedPod } from '@/lib/ledger/observation';
import { addRemoved } from '@/lib/ledger/removals';
import { type Outcome, type RemovedPod, type RolloutStep, type StepPod } from '@/lib/ledger/record';
import { count } from '@/lib/workloads/words';

type Steps = readonly RolloutStep[];

/**
 * The steps of a rollout with what is seen of its pods now: one for each position of a partition, else one for each wave.
 * A wave is the pods that were created before any of them was ready; the first one after that begins the next. It
 * follows from the times of the pods alone, so it does not matter how often one looked.
 */
export function addToSteps(
  steps: Steps,
  observation: Observation,
  removed: readonly RemovedPod[],
  start: string | null,
  isGap: boolean,
): Steps {
  const refreshed = steps.map((step) => withPods(step, observation.targetPods));
  const moved = movePartition(refreshed, observation, start, isGap);
  const known = new Set(moved.flatMap(({ pods }) => pods.map(({ uid }) => uid)));
  const arrived = observation.targetPods
    .filter(({ uid, createdAt }) => !known.has(uid) && (start === null || isSince(createdAt, start)))
    .toSorted((a, b) => ms(a.createdAt) - ms(b.createdAt) || (a.name < b.name ? -1 : 1))
    .slice(0, roomFor(observation, known));
  const grown = addRemoved(arrived.reduce(addPod, moved), removed, start);
  return grown.map((step) => settled(step, observation));
}

/** The steps of a rollout that has ended. */
export function endSteps(steps: Steps, outcome: Outcome, endedAt: string | null): Steps {
  const state = outcome === 'completed' ? outcome : outcome === 'unknown' ? outcome : 'abandoned';
  return steps.map((step) => {
    // It may have ended long before the rollout did.
    if (step.state === 'running') return { ...step, state, endedAt: state === 'unknown' ? null : endedAt };
    return step.state === 'planned' ? { ...step, state: notReached(outcome) } : step;
  });
}

/** Of a step that had not begun when the rollout ended. */
function notReached(outcome: Outcome): RolloutStep['state'] {
  if (outcome === 'completed') return 'skipped';
  return outcome === 'unknown' ? 'unknown' : 'planned';
}

function withPods(step: RolloutStep, pods: readonly ObservedPod[]): RolloutStep {
  return {
    ...step,
    pods: step.pods.map((known) => {
      const now = pods.find(({ uid }) => uid === known.uid);
      if (now === undefined) return known;
      return { ...stepPodOf(now), readyAt: known.readyAt ?? now.readyAt };
    }),
  };
}

function movePartition(
  steps: Steps,
  { partition, partitionOf, desiredPods, at }: Observation,
  start: string | null,
  isGap: boolean,
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
  const { partition, desiredPods, targetPods, completion } = observation;
  if (partition === null || partition === 0 || completion !== null) return targetPods.length;
  return Math.max(0, desiredPods - partition - targetPods.filter(({ uid }) => known.has(uid)).length);
}

function addPod(steps: Steps, pod: ObservedPod): Steps {
  const last = steps.at(-1);
  if (last === undefined || (last.kind === 'wave' && isAfter(pod, last))) {
    const index = steps.length + 1;
    const wave = {
      index,
      name: `Wave ${index}`,
      kind: 'wave' as const,
      planned: null,
      startedAt: pod.createdAt,
      endedAt: null,
      state: 'running' as const,
      pods: [stepPodOf(pod)],
      removed: [],
    };
    return [...steps, wave];
  }
  return [...steps.slice(0, -1), { ...last, pods: [...last.pods, stepPodOf(pod)] }];
}

/** A pod that took the target in place may have been ready all the while, which tells nothing of the wave. */
function isAfter(pod: ObservedPod, { pods, startedAt }: RolloutStep): boolean {
  const isWithin = (time: string) =>
    ms(time) <= ms(pod.createdAt) && (startedAt === null || ms(time) >= ms(startedAt));
  return pods.some(({ readyAt }) => readyAt !== null && isWithin(readyAt));
}

/** A wave is over when its pods were ready, a partition when it holds the rest. */
function settled(step: RolloutStep, { state, at }: Observation): RolloutStep {
  if (step.state !== 'running') return step;
  const readyAts = step.pods.map(({ readyAt }) => readyAt);
  const lastReady = readyAts.reduce(
    (a, b) => (a === null || b === null ? null : later(a, b)),
    readyAts[0] ?? null,
  );
  if (step.kind === 'wave') {
    if (lastReady === null) return step;
    return { ...step, state: 'completed', endedAt: later(lastReady, step.startedAt) };
  }
  if (state !== 'held' && state !== 'complete') return step;
  return { ...step, state: 'completed', endedAt: later(lastReady ?? step.startedAt ?? at, step.startedAt) };
}

function stepPodOf({ name, uid, ip, node, readyAt, restarts }: ObservedPod): StepPod {
  return { name, uid, ip, node, readyAt, restarts };
}
