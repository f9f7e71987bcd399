import { isActive } from '@/lib/history/assemble';
import { isPastSteps, isReleasing, type ArgoContext } from '@/lib/rollout/argo/context';
import { plannedPods, plannedShares } from '@/lib/rollout/argo/weights';
import { comparePodNames, podRow, type StepPods } from '@/lib/rollout/common-shape';
import type { RolloutPod } from '@/lib/api/rollouts';

/**
 * The pods that each step added. Argo Rollouts labels no pod with its step and records no time of a step, so
 * this is certain only where exactly one of the started steps asked for pods.
 */
export function findArgoPods(context: ArgoContext): StepPods {
  const { facts, current } = context;
  const bySteps = new Map<number, readonly RolloutPod[]>();
  const isShown = isReleasing(context) || context.stage === 'completed';
  if (facts === null || current === null || !isShown) return { bySteps, unassigned: [] };
  const { history } = facts;
  const pods = facts.pods
    .filter((pod) => isActive(pod) && history.revisionOfPod.get(pod.uid)?.id === current.id)
    .map((pod) => podRow(pod, current))
    .sort(comparePodNames);
  if (!isReleasing(context)) return { bySteps, unassigned: pods };
  const [step, ...others] = growingSteps(context);
  if (step === undefined || others.length > 0) return { bySteps, unassigned: pods };
  bySteps.set(step, pods);
  return { bySteps, unassigned: [] };
}

/** The started steps that ask for more pods than there were; the end of all steps is not among them. */
function growingSteps(context: ArgoContext): number[] {
  const { rollout, index } = context;
  if (rollout.strategy === 'blueGreen') return [1];
  if (isPastSteps(context) || rollout.promoteFull) return [];
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
