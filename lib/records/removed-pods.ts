import { isAtOrAfter } from '@/lib/records/times';
import { countPods, PODS_MAX } from '@/lib/records/step-pods';
import type { Gap, KnownPod, RecorderMemory, Observation } from '@/lib/records/observation';
import type { RemovedPod, RecordedStep } from '@/lib/api/record';
import { createWave } from '@/lib/records/wave';

type Steps = readonly RecordedStep[];

/**
 * The pods to remember for the next observation. While no target is recorded, removed pods stay, for the
 * rollout that begins then: `Recreate` removes all pods before it creates the first one.
 */
export function podsToRemember(
  { pods }: RecorderMemory,
  observation: Observation,
  gap: Gap | null,
): RecorderMemory['pods'] {
  const currentPods = observation.activePods.map((pod) => ({ ...pod, goneAt: null }));
  return observation.target === null
    ? [...findMissingPods(pods, observation, gap), ...currentPods]
    : currentPods;
}

/** The pods of other revisions than the target that existed at the last observation and no longer do. */
export function findRemovedPods(
  { pods }: RecorderMemory,
  observation: Observation,
  gap: Gap | null,
): readonly KnownPod[] {
  return findMissingPods(pods, observation, gap).filter(({ hash }) => hash !== observation.target?.hash);
}

function findMissingPods(
  pods: RecorderMemory['pods'],
  { activePods, at }: Observation,
  gap: Gap | null,
): RecorderMemory['pods'] {
  const currentPods = new Set(activePods.map(({ uid }) => uid));
  return pods.flatMap((pod) =>
    currentPods.has(pod.uid) ? [] : [pod.goneAt === null && gap === null ? { ...pod, goneAt: at } : pod],
  );
}

/**
 * The steps with the pods that went. One that was replaced under its name, or in its group, belongs to the step of its
 * successor. Of others, each wave gets as many as it created, in order, whenever they went; one more begins the next
 * wave once the last one is ready. So the count does not depend on the frequency of observations. With a partition they
 * belong to the current position. A pod that its controller created again meanwhile, and that went again, is listed
 * once.
 */
export function assignRemovedPods(
  steps: Steps,
  removed: readonly KnownPod[],
  start: string | null,
  isReady: (step: RecordedStep) => boolean,
): Steps {
  const inOrder = removed.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const assignedNames = new Set(steps.flatMap((step) => step.removed.map(({ name }) => name)));
  const successors = successorsIn(steps);
  let result = steps;
  for (const pod of inOrder) {
    if (assignedNames.has(pod.name)) continue;
    assignedNames.add(pod.name);
    const at = successors.get(nameKey(pod)) ?? successors.get(groupKey(pod)) ?? openStep(result, isReady);
    result = assignRemovedPod(result, pod, start, at);
  }
  return result;
}

/** The step with the pods that it replaced. */
export function addRemovedToStep(step: RecordedStep, pods: readonly RemovedPod[]): RecordedStep {
  const listed = pods.slice(0, Math.max(0, PODS_MAX - step.removed.length));
  const removed = [
    ...step.removed,
    ...listed.map(({ name, uid, hash, goneAt }) => ({ name, uid, hash, goneAt })),
  ];
  const more = (step.moreRemoved ?? 0) + step.removed.length + pods.length - removed.length;
  return { ...step, removed, ...(more > 0 && { moreRemoved: more }) };
}

/** Every pod that went, listed or not. */
export function countRemovedPods({
  removed,
  moreRemoved = 0,
}: {
  removed: readonly unknown[];
  moreRemoved?: number;
}): number {
  return removed.length + moreRemoved;
}

function assignRemovedPod(
  steps: Steps,
  pod: RemovedPod,
  start: string | null,
  stepIndex: number | null,
): Steps {
  if (stepIndex !== null)
    return steps.map((step, at) => (at === stepIndex ? addRemovedToStep(step, [pod]) : step));
  const isBefore = pod.goneAt !== null && start !== null && !isAtOrAfter(pod.goneAt, start);
  return [...steps, addRemovedToStep(createWave(steps, isBefore ? start : pod.goneAt), [pod])];
}

type NamedPod = Pick<KnownPod, 'name' | 'group'>;

const nameKey = ({ name }: NamedPod) => `pod ${name}`;
const groupKey = ({ group }: NamedPod) => `group ${group ?? ''}`;

/** The last step with new pods of each name and of each group. */
function successorsIn(steps: Steps): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [index, { pods }] of steps.entries()) {
    for (const pod of pods) {
      found.set(nameKey(pod), index);
      if (pod.group !== undefined) found.set(groupKey(pod), index);
    }
  }
  return found;
}

/** Whether its new pods have the names of those that they replaced: then no other pod belongs to it. */
function keepsNames({ pods, removed }: RecordedStep): boolean {
  const names = new Set(pods.map(({ name }) => name));
  return removed.some(({ name }) => names.has(name));
}

/** Index of the step that a pod without a successor belongs to; null where that has yet to begin. */
function openStep(steps: Steps, isReady: (step: RecordedStep) => boolean): number | null {
  const last = steps.at(-1);
  if (last === undefined) return null;
  if (last.kind === 'wave') {
    const open = steps.findIndex(
      (step) => step.kind === 'wave' && countRemovedPods(step) < countPods(step) && !keepsNames(step),
    );
    if (open !== -1) return open;
    if (isReady(last)) return null;
  }
  return steps.length - 1;
}
