import type { Immutable } from '@/lib/immutable';
import type { Json, JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { objectFacts } from '@/lib/rollout/common-shape';
import { boundedName } from '@/lib/rollout/bounded';
import { customResource, findWorkloadResource } from '@/lib/rollout/resource-types';
import { numberAt, objectAt, objectsAt } from '@/lib/kube/read';

/** https://docs.flagger.app/usage/how-it-works */
export const canaries = customResource('flagger.app', 'canaries', 'Canary', ['v1beta1']);

const STEPS_MAX = 100;
const GATES_MAX = 10;

/** A Canary of Flagger, reduced to what the rules need; see flagger pkg/apis/flagger/v1beta1. */
export type FlaggerCanary = Immutable<ReturnType<typeof parseCanary>>;

/** Never throws; unexpected content counts as absent. */
export function parseCanary(object: KubeObject) {
  const { spec, status } = object;
  const apiVersion = boundedName(spec, 'targetRef', 'apiVersion') ?? '';
  const kind = boundedName(spec, 'targetRef', 'kind') ?? '';
  const analysis = objectAt(spec, 'analysis');
  return {
    ...objectFacts(object, canaries.id),
    workload: {
      // Of a Service, or of Knative's, Shiplog knows no history.
      resource: findWorkloadResource(apiVersion, kind, ['apps/Deployment', 'apps/DaemonSet']),
      apiVersion,
      kind,
      name: boundedName(spec, 'targetRef', 'name') ?? '',
    },
    suspended: spec?.suspend === true,
    skipsAnalysis: spec?.skipAnalysis === true,
    /** Weights of the canary in order; empty where requests are not shared out by weight. */
    weights: weightsOf(analysis),
    /** Checks of a rollout that is not shared out by weight; null otherwise. */
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
