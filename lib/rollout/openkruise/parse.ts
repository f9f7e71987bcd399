import type { Immutable } from '@/lib/immutable';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { objectFacts } from '@/lib/rollout/common-shape';
import {
  batchReleases,
  ROLLBACK_IN_BATCH,
  ROLLING_STYLE,
  kruiseRollouts,
  TRAFFIC_ROUTING,
  trafficRoutings,
} from '@/lib/rollout/openkruise/resources';
import { boundedText, boundedName } from '@/lib/rollout/bounded';
import { findWorkloadResource } from '@/lib/rollout/resource-types';
import type { StepPause, Traffic } from '@/lib/api/rollout-fields';
import type { WorkloadTarget } from '@/lib/rollout/rollout-facts';
import { numberAt, objectAt, objectsAt, textAt, valueAt } from '@/lib/kube/read';

/** The CRD allows 50 steps; a writer that bypasses it must not fill Shiplog's memory. */
const STEPS_MAX = 100;
const RULES_MAX = 16;
export const ROUTES_MAX = 10;
const TEXT_CHARS_MAX = 1_000;

export interface KruiseStep {
  /** An amount of pods as written: `3`, `"20%"`; null where there is none. */
  replicas: number | string | null;
  traffic: Traffic | null;
  pause: StepPause;
}

/** The progress of one rollout: `status.canaryStatus` or `status.blueGreenStatus`. */
export type KruiseProgress = NonNullable<ReturnType<typeof progressOf>>;

/**
 * A Rollout of either version, reduced to what the rules need; see openkruise/rollouts
 * api/v1beta1/rollout_types.go.
 */
export type KruiseRollout = Immutable<ReturnType<typeof parseKruiseRollout>>;

/** Extracts what the rules need, cut to a bounded size; unexpected content counts as absent. Never throws. */
export function parseKruiseRollout(object: KubeObject) {
  const { metadata, spec, status } = object;
  // By its shape: a server that does not convert stores it as written in every version.
  const isAlpha = objectAt(spec, 'workloadRef') === undefined;
  const workload = workloadOf(objectAt(spec, 'workloadRef') ?? objectAt(spec, 'objectRef', 'workloadRef'));
  const strategy = strategyOf(spec);
  const body = strategy === null ? undefined : objectAt(spec, 'strategy', strategy);
  const annotations = metadata.annotations ?? {};
  const trafficRouting = annotations[TRAFFIC_ROUTING];
  const extraWorkload = isAlpha
    ? isCanaryByAnnotation(annotations[ROLLING_STYLE], workload)
    : valueAt(body, 'enableExtraWorkloadForCanary') === true;
  const routes = objectsAt(body, 'trafficRoutings').slice(0, ROUTES_MAX).flatMap(routesOf);
  const rollbackInBatch = annotations[ROLLBACK_IN_BATCH] === 'true';
  const isPartition = strategy === 'canary' && !(extraWorkload && workload.resource === 'deployments.apps');
  return {
    ...objectFacts(object, kruiseRollouts.id),
    workload,
    rollsBackInSteps: rollbackInBatch && isPartition && routes.length === 0,
    relatedObjects: [
      { resource: batchReleases.id, name: metadata.name },
      ...(trafficRouting === undefined ? [] : [{ resource: trafficRoutings.id, name: trafficRouting }]),
    ],
    strategy,
    /** `enableExtraWorkloadForCanary`, or the equivalent annotation of v1alpha1. */
    extraWorkload,
    paused: valueAt(spec, 'strategy', 'paused') === true,
    disabled: spec?.disabled === true,
    rollbackInBatch,
    steps: objectsAt(body, 'steps').slice(0, STEPS_MAX).map(stepOf),
    routes,
    observedGeneration: numberAt(status, 'observedGeneration') ?? null,
    phase: boundedName(status, 'phase') ?? '',
    message: boundedText(status, 'message'),
    progress: progressOf(status),
  };
}

export function workloadOf(reference: JsonObject | undefined): WorkloadTarget {
  const apiVersion = boundedName(reference, 'apiVersion') ?? '';
  const kind = boundedName(reference, 'kind') ?? '';
  return {
    resource: findWorkloadResource(apiVersion, kind),
    apiVersion,
    kind,
    name: boundedName(reference, 'name') ?? '',
  };
}

/**
 * v1alpha1 has no flag: without the annotation a Deployment gets a canary of its own, and no other kind can.
 */
function isCanaryByAnnotation(style: string | undefined, { resource }: WorkloadTarget): boolean {
  if (style === undefined || style === '') return resource === 'deployments.apps';
  return style.toLowerCase() === 'canary';
}

function strategyOf(spec: JsonObject | undefined): 'canary' | 'blueGreen' | null {
  if (objectAt(spec, 'strategy', 'blueGreen') !== undefined) return 'blueGreen';
  return objectAt(spec, 'strategy', 'canary') === undefined ? null : 'canary';
}

function stepOf(step: JsonObject): KruiseStep {
  const replicas = step.replicas;
  const weight = numberAt(step, 'weight');
  const requested = typeof replicas === 'number' || typeof replicas === 'string' ? replicas : undefined;
  const bounded = typeof requested === 'string' ? requested.slice(0, 20) : requested;
  return {
    // The conversion of v1alpha1 does the same for a step that has a weight alone.
    replicas: bounded ?? (weight === undefined ? null : `${weight}%`),
    traffic: trafficOf(step, weight),
    pause: pauseOf(step),
  };
}

/** Matches take precedence over a weight. */
function trafficOf(step: JsonObject, weight: number | undefined): Traffic | null {
  const matches = objectsAt(step, 'matches').slice(0, RULES_MAX);
  if (matches.length > 0) return { kind: 'matches', rules: matches.map(ruleOf) };
  const percent = weight ?? percentOf(textAt(step, 'traffic'));
  return percent === null ? null : { kind: 'weight', percent };
}

function percentOf(text: string | undefined): number | null {
  const digits = text === undefined ? undefined : /^(\d{1,3})%$/.exec(text.trim())?.[1];
  return digits === undefined ? null : Number(digits);
}

export function ruleOf(match: JsonObject): string {
  const parts = [
    ...(objectAt(match, 'path') === undefined ? [] : [conditionText('path', objectAt(match, 'path'))]),
    ...objectsAt(match, 'headers').map((entry) =>
      conditionText(`header ${boundedName(entry, 'name') ?? ''}`, entry),
    ),
    ...objectsAt(match, 'queryParams').map((entry) =>
      conditionText(`parameter ${boundedName(entry, 'name') ?? ''}`, entry),
    ),
  ];
  return parts.slice(0, RULES_MAX).join(' and ').slice(0, TEXT_CHARS_MAX);
}

function conditionText(what: string, entry: JsonObject | undefined): string {
  const how = { RegularExpression: '~', PathPrefix: '^' }[textAt(entry, 'type') ?? ''] ?? '=';
  return `${what} ${how} ${boundedName(entry, 'value') ?? ''}`;
}

/** No pause, an empty one, and one without a duration all wait for a person. */
function pauseOf(step: JsonObject): StepPause {
  const seconds = numberAt(step, 'pause', 'duration');
  if (seconds === undefined) return { kind: 'approval' };
  return seconds <= 0 ? { kind: 'none' } : { kind: 'time', seconds };
}

/** What a `TrafficRoutingRef` names. */
export function routesOf(routing: JsonObject): { kind: string; name: string }[] {
  const named: [string, string | null][] = [
    ['Service', boundedName(routing, 'service')],
    ['Ingress', boundedName(routing, 'ingress', 'name')],
    ['HTTPRoute', boundedName(routing, 'gateway', 'httpRouteName')],
    ...objectsAt(routing, 'customNetworkRefs')
      .slice(0, ROUTES_MAX)
      .map((entry): [string, string | null] => [
        boundedName(entry, 'kind') ?? '',
        boundedName(entry, 'name'),
      ]),
  ];
  return named.flatMap(([kind, name]) => (name === null ? [] : [{ kind, name }]));
}

function progressOf(status: JsonObject | undefined) {
  const blueGreen = objectAt(status, 'blueGreenStatus');
  const progress = blueGreen ?? objectAt(status, 'canaryStatus');
  if (progress === undefined) return null;
  const prefix = blueGreen === undefined ? 'canary' : 'updated';
  return {
    rolloutId: boundedName(progress, 'observedRolloutID'),
    /** For a Deployment a hash of OpenKruise's own. */
    updatedRevision: boundedName(progress, `${prefix}Revision`),
    stableRevision: boundedName(progress, 'stableRevision'),
    podTemplateHash: boundedName(progress, 'podTemplateHash'),
    stepIndex: numberAt(progress, 'currentStepIndex') ?? 0,
    nextStepIndex: numberAt(progress, 'nextStepIndex') ?? null,
    stepState: boundedName(progress, 'currentStepState') ?? '',
    finalisingStep: boundedName(progress, 'finalisingStep') ?? '',
    updated: numberAt(progress, `${prefix}Replicas`) ?? 0,
    ready: numberAt(progress, `${prefix}ReadyReplicas`) ?? 0,
    message: boundedText(progress, 'message'),
    lastUpdateTime: boundedName(progress, 'lastUpdateTime'),
  };
}
