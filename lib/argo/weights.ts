import type { ArgoRollout } from '@/lib/argo/reading';
import { percentOf } from '@/lib/argo/step';
import type { ArgoContext } from '@/lib/argo/context';
import type { Traffic } from '@/lib/api/rollout-fields';

/** The planned canary after a step. */
export interface PlannedShare {
  weight: number;
  /** Of a scale that is set apart from the weight. */
  scale: { replicas: number | null; weight: number | null } | null;
}

/** The plan after each step: what a step does not set is inherited from the previous one. */
export function plannedShares({ steps }: Pick<ArgoRollout, 'steps'>): PlannedShare[] {
  let share: PlannedShare = { weight: 0, scale: null };
  return steps.map((step) => {
    if (step.kind === 'setWeight') share = { ...share, weight: step.weight };
    if (step.kind === 'setCanaryScale') {
      const { replicas, weight } = step;
      share = { ...share, scale: replicas === null && weight === null ? null : { replicas, weight } };
    }
    return share;
  });
}

/** Pods of the canary for a share. A scale of its own counts only where traffic is routed by weight. */
export function plannedPods(rollout: ArgoRollout, { weight, scale }: PlannedShare): number {
  const { desired, isRouted, maxWeight } = rollout;
  if (!isRouted) return nearestPods(rollout, weight);
  if (scale?.replicas != null) return scale.replicas;
  const part = scale?.weight == null ? weight / maxWeight : scale.weight / 100;
  return Math.ceil(desired * part);
}

/**
 * Without traffic routing the pods themselves are the weight: as close to it as integers allow, with one pod
 * more where the surge allows it and that is closer; never none for some, nor all for less than all.
 * https://github.com/argoproj/argo-rollouts/blob/master/utils/replicaset/canary.go
 * (approximateWeightedCanaryStableReplicaCounts)
 */
function nearestPods({ desired, maxWeight, surge }: ArgoRollout, weight: number): number {
  if (desired === 0 || weight <= 0) return 0;
  if (weight >= maxWeight) return desired;
  const ideal = (desired * weight) / maxWeight;
  const totals = surge > 0 ? [desired, desired + 1] : [desired];
  const options = totals
    .flatMap((total) => [Math.ceil(ideal), Math.floor(ideal)].map((pods) => ({ pods, total })))
    .filter(({ pods, total }) => pods > 0 && pods < total);
  const missOf = ({ pods, total }: { pods: number; total: number }) =>
    Math.abs(weight / maxWeight - pods / total);
  const [best] = options.toSorted((a, b) => missOf(a) - missOf(b));
  return best?.pods ?? Math.ceil(ideal);
}

/**
 * The actual traffic, as in `kubectl argo rollouts get`.
 * https://github.com/argoproj/argo-rollouts/blob/master/pkg/kubectl-argo-rollouts/info/rollout_info.go
 */
export function actualTraffic(context: ArgoContext): { actual: Traffic | null; evidence: string | null } {
  const { rollout, current, facts } = context;
  if (rollout.strategy !== 'canary') return blueGreenTraffic(context);
  const { maxWeight, isRouted, weight } = rollout;
  if (isRouted) {
    if (weight === null) {
      const planned = plannedShares(rollout)[rollout.stepIndex ?? 0]?.weight;
      return planned === undefined
        ? { actual: null, evidence: null }
        : {
            actual: { kind: 'weight', percent: percentOf(planned, maxWeight) },
            evidence: 'Its status tells no weights: this is what the plan sets.',
          };
    }
    return {
      actual: { kind: 'weight', percent: percentOf(weight, maxWeight) },
      evidence: `The controller says that the canary has the weight ${weight} of ${maxWeight}.`,
    };
  }
  const updatedPods = current?.source.scale?.available;
  const all = facts?.history.revisions.reduce((sum, { source }) => sum + (source.scale?.available ?? 0), 0);
  if (updatedPods === undefined || all === undefined || all === 0) return { actual: null, evidence: null };
  return {
    actual: { kind: 'weight', percent: Math.floor((updatedPods * 100) / all) },
    evidence: `No traffic router is configured, so every available pod gets the same share of requests: ${updatedPods} of ${all} ${updatedPods === 1 ? 'is' : 'are'} new.`,
  };
}

function blueGreenTraffic({ rollout }: ArgoContext): { actual: Traffic | null; evidence: string | null } {
  const { activeHash, currentHash } = rollout;
  if (rollout.strategy !== 'blueGreen' || activeHash === null) return { actual: null, evidence: null };
  const isNew = activeHash === currentHash;
  return {
    actual: { kind: 'weight', percent: isNew ? 100 : 0 },
    evidence: `The active Service selects the pods of ${isNew ? 'the new' : 'the stable'} revision.`,
  };
}
