import { isSince } from '@/lib/ledger/moments';
import { type Gap, type Memory, type Observation } from '@/lib/ledger/observation';
import { type RemovedPod, type RolloutStep } from '@/lib/ledger/record';

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
 * the next wave once all pods of the last one were ready. So the count does not depend on how often one looked. Of a
 * partition they belong to the present position.
 */
export function addRemoved(steps: Steps, removed: readonly RemovedPod[], start: string | null): Steps {
  const inOrder = removed.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return inOrder.reduce((sum, pod) => addOne(sum, pod, start), steps);
}

function addOne(steps: Steps, pod: RemovedPod, start: string | null): Steps {
  const place = placeIn(steps);
  if (place !== null)
    return steps.map((step, at) => (at === place ? { ...step, removed: [...step.removed, pod] } : step));
  const index = steps.length + 1;
  const isBefore = pod.goneAt !== null && start !== null && !isSince(pod.goneAt, start);
  const wave = {
    index,
    name: `Wave ${index}`,
    kind: 'wave' as const,
    planned: null,
    startedAt: isBefore ? start : pod.goneAt,
    endedAt: null,
    state: 'running' as const,
    pods: [],
    removed: [pod],
  };
  return [...steps, wave];
}

/** Index of the step that a pod went for; null where that has yet to begin. */
function placeIn(steps: Steps): number | null {
  const last = steps.at(-1);
  if (last === undefined) return null;
  if (last.kind === 'wave') {
    const open = steps.findIndex(
      ({ kind, pods, removed }) => kind === 'wave' && removed.length < pods.length,
    );
    if (open !== -1) return open;
    const isOver = last.pods.length > 0 && last.pods.every(({ readyAt }) => readyAt !== null);
    if (isOver) return null;
  }
  return steps.length - 1;
}
