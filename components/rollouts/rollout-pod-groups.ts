import type { RolloutItem, RolloutPod } from '@/lib/api/rollouts';
import type { PodItem } from '@/lib/api/pods';
import { stepNoun } from '@/lib/rollout/style-text';
import { capitalize } from '@/lib/format/text';
import { podCountText } from '@/components/rollouts/rollout-labels';

/** Pods that belong together, those in trouble first. */
export interface StepPodGroup {
  /** The step that created them; null where that is unknown or does not apply. */
  index: number | null;
  title: string;
  remark: string;
  revision: number | null;
  target: boolean;
  /** The total; `pods` may hold fewer. */
  count: number;
  ready: number;
  pods: readonly RolloutPod[];
}

/** The pods of the new revision by the step that created them, the newest step first, those of unknown step last. */
export function groupPodsByStep({
  steps,
  unassignedPods,
  unassignedPodCount,
  revisions,
  style,
}: RolloutItem): StepPodGroup[] {
  const revision = revisions.updated?.number ?? null;
  const noun = capitalize(stepNoun({ style }));
  const groups = steps
    // Where the system labels no pods with a step, a missing step has no meaning.
    .filter(({ podCount, state, does }) => podCount > 0 || (state !== 'planned' && does === null))
    .map(({ index, pods, podCount }): StepPodGroup => ({
      index,
      title: `${noun} ${index}`,
      remark: podCount === 0 ? 'no pods' : `${podCountText(podCount)}, ${readyText(pods, podCount)}`,
      revision,
      target: true,
      count: podCount,
      ready: readyOf(pods, podCount),
      pods: pods.toSorted(byTrouble),
    }))
    .toReversed();
  if (unassignedPodCount === 0) return groups;
  return [
    ...groups,
    {
      index: null,
      title: 'Not assigned to a step',
      remark: `${podCountText(unassignedPodCount)}, ${readyText(unassignedPods, unassignedPodCount)}`,
      revision,
      target: true,
      count: unassignedPodCount,
      ready: readyOf(unassignedPods, unassignedPodCount),
      pods: unassignedPods.toSorted(byTrouble),
    },
  ];
}

/** The pods of the workload that neither run the new revision nor belong to a step. */
export function groupStablePods(rollout: RolloutItem, all: readonly PodItem[]): StepPodGroup[] {
  const { revisions, steps, unassignedPods } = rollout;
  const assignedUids = new Set(
    [...steps.flatMap(({ pods }) => pods), ...unassignedPods].map(({ uid }) => uid),
  );
  const pods = all
    .filter(
      ({ uid, revisionId }) =>
        !assignedUids.has(uid) && (revisionId === null || revisionId !== (revisions.updated?.id ?? '')),
    )
    .map(({ uid, name, ip, node, phase, ready, createdAt, restarts, revision, revisionId }): RolloutPod => ({
      uid,
      name,
      ip,
      node,
      phase,
      ready,
      readyAt: null,
      createdAt,
      restarts,
      blocked: null,
      revision,
      revisionId,
    }));
  if (pods.length === 0) return [];
  return [
    {
      index: null,
      title: 'Stable',
      remark: `${podCountText(pods.length)}, ${readyText(pods, pods.length)}`,
      revision: revisions.stable?.number ?? null,
      target: false,
      count: pods.length,
      ready: readyOf(pods, pods.length),
      pods: pods.toSorted(byTrouble),
    },
  ];
}

/** Pods that are not listed are assumed to be like the listed ones. */
function readyOf(pods: readonly RolloutPod[], count: number): number {
  const ready = pods.filter((pod) => pod.ready).length;
  return ready === pods.length ? count : ready;
}

function readyText(pods: readonly RolloutPod[], count: number): string {
  const ready = readyOf(pods, count);
  if (ready === count) return count === 1 ? 'ready' : 'all ready';
  return ready === 0 ? 'none ready' : `${ready.toLocaleString('en')} ready`;
}

function byTrouble(a: RolloutPod, b: RolloutPod): number {
  return Number(a.ready) - Number(b.ready) || a.name.localeCompare(b.name, 'en', { numeric: true });
}
