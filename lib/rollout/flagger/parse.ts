import type { Json, JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { objectFacts } from '@/lib/rollout/object-facts';
import { conditionsOf, boundedName } from '@/lib/rollout/bounded';
import { canaries, targetResource } from '@/lib/rollout/flagger/resources';
import type { ConditionItem } from '@/lib/api/common';
import type { RolloutObject } from '@/lib/rollout/rollout-facts';
import { numberAt, objectAt, objectsAt } from '@/lib/kube/read';

const STEPS_MAX = 100;
const GATES_MAX = 10;

/** A Canary of Flagger, reduced to what the rules need; see flagger pkg/apis/flagger/v1beta1. */
export interface FlaggerCanary extends RolloutObject {
  suspended: boolean;
  skipsAnalysis: boolean;
  /** Weights of the canary in order; empty where requests are not shared out by weight. */
  weights: readonly number[];
  /** Checks of a rollout that is not shared out by weight; null otherwise. */
  iterations: number | null;
  threshold: number | null;
  gates: readonly { type: string; name: string }[];
  phase: string;
  weight: number;
  failedChecks: number;
  iteration: number;
  lastTransitionTime: string | null;
  conditions: readonly ConditionItem[];
}

/** Never throws; unexpected content counts as absent. */
export function parseCanary(object: KubeObject): FlaggerCanary {
  const { spec, status } = object;
  const apiVersion = boundedName(spec, 'targetRef', 'apiVersion') ?? '';
  const kind = boundedName(spec, 'targetRef', 'kind') ?? '';
  const analysis = objectAt(spec, 'analysis');
  return {
    resource: canaries.id,
    ...objectFacts(object),
    // Flagger reports none.
    observedGeneration: null,
    workload: {
      resource: targetResource(apiVersion, kind),
      apiVersion,
      kind,
      name: boundedName(spec, 'targetRef', 'name') ?? '',
    },
    relatedObjects: [],
    suspended: spec?.suspend === true,
    skipsAnalysis: spec?.skipAnalysis === true,
    weights: weightsOf(analysis),
    iterations: numberAt(analysis, 'iterations') ?? null,
    threshold: numberAt(analysis, 'threshold') ?? null,
    gates: objectsAt(analysis, 'webhooks')
      .map((hook) => ({ type: boundedName(hook, 'type') ?? '', name: boundedName(hook, 'name') ?? '' }))
      .filter(({ type }) => type.startsWith('confirm-') || type === 'rollback')
      .slice(0, GATES_MAX),
    phase: boundedName(status, 'phase') ?? '',
    weight: numberAt(status, 'canaryWeight') ?? 0,
    failedChecks: numberAt(status, 'failedChecks') ?? 0,
    iteration: numberAt(status, 'iterations') ?? 0,
    lastTransitionTime: boundedName(status, 'lastTransitionTime'),
    conditions: conditionsOf(status),
  };
}

function weightsOf(analysis: JsonObject | undefined): number[] {
  const listed = analysis?.stepWeights;
  if (Array.isArray(listed)) return listed.filter(isNumber).slice(0, STEPS_MAX);
  const step = numberAt(analysis, 'stepWeight') ?? 0;
  if (step <= 0) return [];
  const most = numberAt(analysis, 'maxWeight') ?? 100;
  const count = Math.min(STEPS_MAX, Math.floor(most / step));
  return Array.from({ length: count }, (_, offset) => step * (offset + 1));
}

function isNumber(value: Json): value is number {
  return typeof value === 'number';
}
