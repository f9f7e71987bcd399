import { isActive } from '@/lib/history/assemble';
import { isPastSteps, isReleasing, type Situation } from '@/lib/rollout/argo/situation';
import { plannedPods, plannedShares } from '@/lib/rollout/argo/weights';
import { podRow } from '@/lib/rollout/pod-row';
import { type RolloutPod } from '@/lib/rollout/rollout';

export interface ReleasePods {
  /** By the index of the step, from 1. */
  bySteps: ReadonlyMap<number, readonly RolloutPod[]>;
  /** Of the new revision, in no step that can be told. */
  unassigned: readonly RolloutPod[];
}

/**
 * The pods that each step brought. Argo Rollouts marks no pod with its step and keeps no time of a step, so this is certain only
 * where one step alone, of those that have begun, asked for pods.
 */
export function podsOfRelease(situation: Situation): ReleasePods {
  const { facts, current } = situation;
  const bySteps = new Map<number, readonly RolloutPod[]>();
  const isShown = isReleasing(situation) || situation.stage === 'completed';
  if (facts === null || current === null || !isShown) return { bySteps, unassigned: [] };
  const { history } = facts;
  const pods = facts.pods
    .filter((pod) => isActive(pod) && history.revisionOfPod.get(pod.uid)?.id === current.id)
    .map((pod) => podRow(pod, current))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (!isReleasing(situation)) return { bySteps, unassigned: pods };
  const [step, ...others] = growingSteps(situation);
  if (step === undefined || others.length > 0) return { bySteps, unassigned: pods };
  bySteps.set(step, pods);
  return { bySteps, unassigned: [] };
}

/** Those that have begun and ask for more pods than there were; the end of all steps is none of them. */
function growingSteps(situation: Situation): number[] {
  const { rollout, index } = situation;
  if (rollout.strategy === 'blueGreen') return [1];
  if (isPastSteps(situation) || rollout.promoteFull) return [];
  let most = 0;
  return plannedShares(rollout)
    .slice(0, index)
    .flatMap((share, offset) => {
      const planned = plannedPods(rollout, share);
      if (planned <= most) return [];
      most = planned;
      return [offset + 1];
    });
}
