import { type JsonObject } from '@/lib/kube/json';
import { amount, resolveAmount } from '@/lib/workloads/amount';
import { numberAt, objectAt, objectsAt, textAt } from '@/lib/workloads/read';
import { type TemplatePlace } from '@/lib/workloads/template-place';
import { count } from '@/lib/workloads/words';
import { type Workload } from '@/lib/workloads/workload';

type Described = Pick<Workload, 'spec'>;

/** With `workloadRef` the template is that of another object, and the Rollout records nothing of its own. */
export const rolloutTemplatePlace: TemplatePlace = {
  members: ['template'],
  isElsewhere: (spec) => objectAt(spec, 'workloadRef') !== undefined,
  of: (spec) => objectAt(spec, 'template') ?? (objectAt(spec, 'workloadRef') === undefined ? undefined : {}),
};

export function argoStrategyOf({ spec }: Described): 'canary' | 'blueGreen' | null {
  if (objectAt(spec, 'strategy', 'blueGreen') !== undefined) return 'blueGreen';
  return objectAt(spec, 'strategy', 'canary') === undefined ? null : 'canary';
}

export function replicasOf({ spec }: Described): number {
  return numberAt(spec, 'replicas') ?? 1;
}

/** The object whose template is rolled out; null where the Rollout has a template of its own. */
export function referencedWorkload({
  spec,
}: Described): { apiVersion: string; kind: string; name: string } | null {
  const reference = objectAt(spec, 'workloadRef');
  if (reference === undefined) return null;
  return {
    apiVersion: textAt(reference, 'apiVersion') ?? '',
    kind: textAt(reference, 'kind') ?? '',
    name: textAt(reference, 'name') ?? '',
  };
}

export function stepsOfSpec({ spec }: Described): JsonObject[] {
  return argoStrategyOf({ spec }) === 'canary' ? objectsAt(spec, 'strategy', 'canary', 'steps') : [];
}

/** The surge rounds up; both being 0 would never move, so one pod may then be missing. */
export function leewayOf({ spec }: Described): { surge: number; unavailable: number } {
  const desired = replicasOf({ spec });
  const canary = objectAt(spec, 'strategy', 'canary');
  const surge = resolveAmount(canary?.maxSurge ?? '25%', desired, Math.ceil);
  const unavailable = resolveAmount(canary?.maxUnavailable ?? '25%', desired, Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** "Canary in 5 steps, surge 25%, unavailable 25%", "Blue-green, promoted by hand". */
export function describeArgoStrategy({ spec }: Described): string {
  switch (argoStrategyOf({ spec })) {
    case 'blueGreen':
      return `Blue-green, ${promotionWords(spec)}`;
    case 'canary': {
      const canary = objectAt(spec, 'strategy', 'canary');
      const steps = stepsOfSpec({ spec }).length;
      const how = steps === 0 ? 'Canary without steps' : `Canary in ${count(steps, 'step')}`;
      return `${how}, surge ${amount(canary?.maxSurge ?? '25%')}, unavailable ${amount(canary?.maxUnavailable ?? '25%')}`;
    }
    case null:
      return 'No strategy';
  }
}

function promotionWords(spec: JsonObject): string {
  const blueGreen = objectAt(spec, 'strategy', 'blueGreen');
  if (blueGreen?.autoPromotionEnabled === false) {
    const seconds = numberAt(blueGreen, 'autoPromotionSeconds') ?? 0;
    return seconds > 0 ? `promoted after ${count(seconds, 'second')}` : 'promoted by hand';
  }
  return 'promoted by itself';
}
