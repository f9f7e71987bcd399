import type { JsonObject } from '@/lib/kube/json';
import { formatAmount, resolveLimits, type RollingLimits } from '@/lib/kube/amount';
import { numberAt, objectAt, objectsAt, textAt } from '@/lib/kube/read';
import type { TemplateLocation } from '@/lib/workloads/template-location';
import { formatCount } from '@/lib/format/text';
import type { Workload } from '@/lib/history/workload';

type SpecOnly = Pick<Workload, 'spec'>;

/** With `workloadRef` another object holds the template, and the Rollout records none. */
export const argoTemplateLocation: TemplateLocation = {
  members: ['template'],
  isElsewhere: (spec) => objectAt(spec, 'workloadRef') !== undefined,
  of: (spec) => objectAt(spec, 'template') ?? (objectAt(spec, 'workloadRef') === undefined ? undefined : {}),
};

export function argoStrategyOf({ spec }: SpecOnly): 'canary' | 'blueGreen' | null {
  if (objectAt(spec, 'strategy', 'blueGreen') !== undefined) return 'blueGreen';
  return objectAt(spec, 'strategy', 'canary') === undefined ? null : 'canary';
}

export function replicasOf({ spec }: SpecOnly): number {
  return numberAt(spec, 'replicas') ?? 1;
}

/** The object whose template is rolled out; null where the Rollout has a template of its own. */
export function referencedWorkload({
  spec,
}: SpecOnly): { apiVersion: string; kind: string; name: string } | null {
  const reference = objectAt(spec, 'workloadRef');
  if (reference === undefined) return null;
  return {
    apiVersion: textAt(reference, 'apiVersion') ?? '',
    kind: textAt(reference, 'kind') ?? '',
    name: textAt(reference, 'name') ?? '',
  };
}

export function stepsOfSpec({ spec }: SpecOnly): JsonObject[] {
  return argoStrategyOf({ spec }) === 'canary' ? objectsAt(spec, 'strategy', 'canary', 'steps') : [];
}

export function rollingLimitsOf({ spec }: SpecOnly): RollingLimits {
  return resolveLimits(objectAt(spec, 'strategy', 'canary') ?? {}, replicasOf({ spec }));
}

/** "Canary in 5 steps, surge 25%, unavailable 25%", "Blue-green, promoted by hand". */
export function describeArgoStrategy({ spec }: SpecOnly): string {
  switch (argoStrategyOf({ spec })) {
    case 'blueGreen':
      return `Blue-green, ${formatPromotion(spec)}`;
    case 'canary': {
      const canary = objectAt(spec, 'strategy', 'canary');
      const steps = stepsOfSpec({ spec }).length;
      const how = steps === 0 ? 'Canary without steps' : `Canary in ${formatCount(steps, 'step')}`;
      return `${how}, surge ${formatAmount(canary?.maxSurge ?? '25%')}, unavailable ${formatAmount(canary?.maxUnavailable ?? '25%')}`;
    }
    case null:
      return 'No strategy';
  }
}

function formatPromotion(spec: JsonObject): string {
  const blueGreen = objectAt(spec, 'strategy', 'blueGreen');
  if (blueGreen?.autoPromotionEnabled === false) {
    const seconds = numberAt(blueGreen, 'autoPromotionSeconds') ?? 0;
    return seconds > 0 ? `promoted after ${formatCount(seconds, 'second')}` : 'promoted manually';
  }
  return 'promoted automatically';
}
