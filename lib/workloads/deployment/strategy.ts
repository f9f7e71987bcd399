import { amount, resolveAmount } from '@/lib/workloads/amount';
import { type Json, type JsonObject } from '@/lib/kube/json';
import { markObject } from '@/lib/workloads/kruise/rollout-marks';
import { numberAt, objectAt, textAt } from '@/lib/workloads/read';
import { type Workload } from '@/lib/workloads/workload';

/** How many pods above and below the desired number a rolling update may go. */
export interface Leeway {
  surge: number;
  unavailable: number;
}

/** Without annotations, the spec is taken at its word. */
type Described = Pick<Workload, 'spec'> & Partial<Pick<Workload, 'annotations'>>;

/** "RollingUpdate, surge 25%, unavailable 25%", "Recreate", "In steps, 25% updated, surge 25%, unavailable 25%". */
export function describeDeploymentStrategy(workload: Described): string {
  const steps = stepStrategyOf(workload);
  if (steps === null && isRecreate(workload)) return 'Recreate';
  const { maxSurge = '25%', maxUnavailable = '25%' } = rollingUpdateOf(workload);
  const rolling = `surge ${amount(maxSurge)}, unavailable ${amount(maxUnavailable)}`;
  switch (steps?.kind) {
    case undefined:
      return `RollingUpdate, ${rolling}`;
    case 'partition':
      return `In steps, ${amount(steps.updated)} updated, ${rolling}${steps.isPaused ? ', paused' : ''}`;
    case 'blueGreen':
      return `Blue-green, ${rolling}`;
  }
}

/** What a Rollout keeps in annotations while it has another strategy in the spec. */
type StepStrategy =
  /** `updated`: how many pods run the new template, the opposite of what a CloneSet's partition says. */
  { kind: 'partition'; updated: Json; isPaused: boolean } | { kind: 'blueGreen' };

/** https://github.com/openkruise/rollouts/blob/master/api/v1alpha1/deployment_types.go */
export function stepStrategyOf({
  annotations = {},
}: Partial<Pick<Workload, 'annotations'>>): StepStrategy | null {
  const steps = markObject(annotations, 'deployment-strategy');
  if (steps !== undefined) {
    const updated = steps.partition ?? 0;
    return { kind: 'partition', updated, isPaused: steps.paused === true };
  }
  return markObject(annotations, 'original-deployment-strategy') === undefined ? null : { kind: 'blueGreen' };
}

/** As people wrote it, also while a Rollout has put something else in its place. */
function rollingUpdateOf({ spec, annotations = {} }: Described): JsonObject {
  const kept = markObject(annotations, 'deployment-strategy');
  const original = markObject(annotations, 'original-deployment-strategy');
  return objectAt(kept, 'rollingUpdate') ?? original ?? objectAt(spec, 'strategy', 'rollingUpdate') ?? {};
}

/** Pods end before others start. A Rollout in partition style writes this type too, and never means it. */
export function isRecreate(workload: Described): boolean {
  if (stepStrategyOf(workload) !== null) return false;
  return textAt(workload.spec, 'strategy', 'type') === 'Recreate';
}

export function desiredReplicas({ spec }: Pick<Workload, 'spec'>): number {
  return numberAt(spec, 'replicas') ?? 1;
}

/**
 * The surge rounds up and the unavailable part down; both 0 would never move, so one may then be missing.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go (ResolveFenceposts)
 */
export function leewayOf(workload: Described): Leeway {
  const desired = desiredReplicas(workload);
  const rolling = rollingUpdateOf(workload);
  const at = (member: string) => rolling[member] ?? '25%';
  const surge = resolveAmount(at('maxSurge'), desired, Math.ceil);
  const unavailable = resolveAmount(at('maxUnavailable'), desired, Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}
