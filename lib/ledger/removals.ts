import { isSince } from '@/lib/ledger/moments';
import { countPods, PODS_MAX } from '@/lib/ledger/pod-list';
import { type Gap, type Memory, type Observation } from '@/lib/ledger/observation';
import { type RemovedPod, type RolloutStep } from '@/lib/ledger/record';
import { newWave } from '@/lib/ledger/wave';

type Steps = readonly RolloutStep[];

/**
 * The pods to remember for the next look. While no target is recorded those that go stay, so that the rollout that
 * begins then can tell of them: `Recreate` has removed all before it brings the first one.
 */
export function rememberPods({ pods }: Memory, observation: Observation, gap: Gap | null): Memory['pods'] {
  const present = observation.activePods.map((pod) => ({ ...pod, goneAt: null }));
  return observation.target === null ? [...goneOf(pods, observation, gap), ...present] : present;
}

/** The pods of other revisions than the target that were there at the last look and no longer are. */
export function removedOf(
  { pods }: Memory,
  observation: Observation,
  gap: Gap | null,
): readonly RemovedPod[] {
  return goneOf(pods, observation, gap).filter(({ hash }) => hash !== observation.target?.hash);
}

function goneOf(pods: Memory['pods'], { activePods, at }: Observation, gap: Gap | null): Memory['pods'] {
  const present = new Set(activePods.map(({ uid }) => uid));
  return pods.flatMap((pod) =>
    present.has(pod.uid) ? [] : [pod.goneAt === null && gap === null ? { ...pod, goneAt: at } : pod],
  );
}

/**
 * The steps with the pods that went. Each wave takes in turn as many as it brought, whenever they went; one more begins
 * the next wave once the last one is ready. So the count does not depend on how often one looked. Of a partition they
 * belong to the present position. A pod that its controller made again meanwhile, and that went again, is told once.
 */
export function addRemoved(
  steps: Steps,
  removed: readonly RemovedPod[],
  start: string | null,
  isReady: (step: RolloutStep) => boolean,
): Steps {
  const inOrder = removed.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const told = new Set(steps.flatMap((step) => step.removed.map(({ name }) => name)));
  let sum = steps;
  for (const pod of inOrder) {
    if (told.has(pod.name)) continue;
    told.add(pod.name);
    sum = addOne(sum, pod, start, isReady);
  }
  return sum;
}

/** The step with pods that went for it. */
export function withRemoved(step: RolloutStep, pods: readonly RemovedPod[]): RolloutStep {
  const removed = [...step.removed, ...pods.slice(0, Math.max(0, PODS_MAX - step.removed.length))];
  const more = (step.moreRemoved ?? 0) + step.removed.length + pods.length - removed.length;
  return { ...step, removed, ...(more > 0 && { moreRemoved: more }) };
}

/** Every pod that went, listed or not. */
export function countRemoved({
  removed,
  moreRemoved = 0,
}: {
  removed: readonly unknown[];
  moreRemoved?: number;
}): number {
  return removed.length + moreRemoved;
}

function addOne(
  steps: Steps,
  pod: RemovedPod,
  start: string | null,
  isReady: (step: RolloutStep) => boolean,
): Steps {
  const place = placeIn(steps, isReady);
  if (place !== null) return steps.map((step, at) => (at === place ? withRemoved(step, [pod]) : step));
  const isBefore = pod.goneAt !== null && start !== null && !isSince(pod.goneAt, start);
  return [...steps, { ...newWave(steps, isBefore ? start : pod.goneAt), removed: [pod] }];
}

/** Index of the step that a pod went for; null where that has yet to begin. */
function placeIn(steps: Steps, isReady: (step: RolloutStep) => boolean): number | null {
  const last = steps.at(-1);
  if (last === undefined) return null;
  if (last.kind === 'wave') {
    const open = steps.findIndex((step) => step.kind === 'wave' && countRemoved(step) < countPods(step));
    if (open !== -1) return open;
    if (isReady(last)) return null;
  }
  return steps.length - 1;
}
