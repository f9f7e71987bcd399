import { formatAmount, resolveLimits, type RollingLimits } from '@/lib/kube/amount';
import type { Json, JsonObject } from '@/lib/kube/json';
import { readRolloutAnnotation } from '@/lib/workloads/kruise-rollout-metadata';
import { numberAt, objectAt, textAt } from '@/lib/kube/read';
import type { Workload } from '@/lib/history/workload';

/** Without annotations, the spec is used as it is. */
type StrategyInput = Pick<Workload, 'spec'> & Partial<Pick<Workload, 'annotations'>>;

/** "RollingUpdate, surge 25%, unavailable 25%", "Recreate", "In steps, 25% updated, surge 25%, unavailable 25%". */
export function describeDeploymentStrategy(workload: StrategyInput): string {
  const steps = stepStrategyOf(workload);
  if (steps === null && isRecreate(workload)) return 'Recreate';
  const { maxSurge = '25%', maxUnavailable = '25%' } = rollingUpdateOf(workload);
  const rolling = `surge ${formatAmount(maxSurge)}, unavailable ${formatAmount(maxUnavailable)}`;
  switch (steps?.kind) {
    case undefined:
      return `RollingUpdate, ${rolling}`;
    case 'partition':
      return `In steps, ${formatAmount(steps.updated)} updated, ${rolling}${steps.isPaused ? ', paused' : ''}`;
    case 'blueGreen':
      return `Blue-green, ${rolling}`;
  }
}

/** Annotations in which a Rollout saves the strategy while the spec has another one. */
type StepStrategy =
  /** `updated`: how many pods run the new template, the opposite of a CloneSet's partition. */
  { kind: 'partition'; updated: Json; isPaused: boolean } | { kind: 'blueGreen' };

/** https://github.com/openkruise/rollouts/blob/master/api/v1alpha1/deployment_types.go */
function stepStrategyOf({ annotations = {} }: Partial<Pick<Workload, 'annotations'>>): StepStrategy | null {
  const steps = readRolloutAnnotation(annotations, 'deployment-strategy');
  if (steps !== undefined) {
    const updated = steps.partition ?? 0;
    return { kind: 'partition', updated, isPaused: steps.paused === true };
  }
  return readRolloutAnnotation(annotations, 'original-deployment-strategy') === undefined
    ? null
    : { kind: 'blueGreen' };
}

/** The strategy as the user wrote it, also while a Rollout has replaced it. */
function rollingUpdateOf({ spec, annotations = {} }: StrategyInput): JsonObject {
  const rolloutStrategy = readRolloutAnnotation(annotations, 'deployment-strategy');
  const original = readRolloutAnnotation(annotations, 'original-deployment-strategy');
  return (
    objectAt(rolloutStrategy, 'rollingUpdate') ??
    original ??
    objectAt(spec, 'strategy', 'rollingUpdate') ??
    {}
  );
}

/** Pods end before others start. A Rollout in partition style writes this type too, without that meaning. */
export function isRecreate(workload: StrategyInput): boolean {
  if (stepStrategyOf(workload) !== null) return false;
  return textAt(workload.spec, 'strategy', 'type') === 'Recreate';
}

export function desiredReplicas({ spec }: Pick<Workload, 'spec'>): number {
  return numberAt(spec, 'replicas') ?? 1;
}

export function rollingLimitsOf(workload: StrategyInput): RollingLimits {
  return resolveLimits(rollingUpdateOf(workload), desiredReplicas(workload));
}
