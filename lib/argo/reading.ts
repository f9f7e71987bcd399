import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject, ObjectMeta } from '@/lib/kube/object';
import { formatAmount, resolveLimits } from '@/lib/kube/amount';
import { numberAt, objectAt, objectsAt, textAt } from '@/lib/kube/read';
import { formatCount } from '@/lib/format/text';
import type { Immutable } from '@/lib/immutable';
import type { Workload } from '@/lib/history/workload';
import { analysisRuns, argoRollouts, experiments, REVISION } from '@/lib/argo/resource';
import { findAbortReason, readPhase } from '@/lib/argo/phase';
import { stepOf } from '@/lib/argo/step';
import { boundedName, boundedText, conditionsOf } from '@/lib/rollout/bounded';
import { objectFacts } from '@/lib/rollout/common-shape';
import type { TemplateLocation } from '@/lib/workloads/template-location';

/** With `workloadRef` another object holds the template, and the Rollout records none. */
export const argoTemplateLocation: TemplateLocation = {
  members: ['template'],
  isElsewhere: (spec) => objectAt(spec, 'workloadRef') !== undefined,
  of: (spec) => objectAt(spec, 'template') ?? (objectAt(spec, 'workloadRef') === undefined ? undefined : {}),
};

/** The API sets no limits, so any writer could fill Shiplog's memory. */
const STEPS_MAX = 100;
const ROUTES_MAX = 10;
const PAUSES_MAX = 5;

type ArgoObject = Pick<Workload, 'generation' | 'annotations' | 'spec' | 'status'>;

/** What spec and status say, as the kind and the system read it; see argo-rollouts pkg/apis/rollouts/v1alpha1/types.go. */
export type ArgoReading = Immutable<ReturnType<typeof readArgo>>;

/** An analysis run that the status names, with its result there. */
export interface NamedRun {
  role: 'step' | 'background' | 'prePromotion' | 'postPromotion';
  name: string;
  status: string | null;
  message: string | null;
}

/** What the status reports about a step of a plugin. */
export interface PluginRun {
  /** Index of its step, from 0. */
  index: number;
  name: string;
  phase: string | null;
  message: string | null;
  disabled: boolean;
  /** Requested to revert its work. */
  isUndoing: boolean;
}

/** Reads a Rollout once, for everything that is told of it, cut to a bounded size. Unexpected content counts as absent. */
export function readArgo({ generation, annotations, spec, status }: ArgoObject) {
  const canary = objectAt(spec, 'strategy', 'canary');
  const blueGreen = objectAt(spec, 'strategy', 'blueGreen');
  const strategy =
    blueGreen === undefined ? (canary === undefined ? null : ('canary' as const)) : ('blueGreen' as const);
  const desired = numberAt(spec, 'replicas') ?? 1;
  const written = {
    strategy,
    steps: strategy === 'canary' ? objectsAt(canary, 'steps').slice(0, STEPS_MAX).map(stepOf) : [],
    desired,
    ...resolveLimits(canary ?? {}, desired),
    /** Weight that means all traffic. */
    maxWeight: readMaxWeight(canary),
    /** A traffic router shares requests out by weight, rather than by the number of pods. */
    isRouted: objectAt(canary, 'trafficRouting') !== undefined,
    blueGreen: {
      /** Null: as many as desired. */
      previewReplicas: numberAt(blueGreen, 'previewReplicaCount') ?? null,
      isAutomatic: blueGreen?.autoPromotionEnabled !== false,
      automaticSeconds: numberAt(blueGreen, 'autoPromotionSeconds') ?? 0,
    },
    paused: spec.paused === true,
    restartAt: boundedName(spec, 'restartAt'),
    /** The object whose template is rolled out, where it is not its own. */
    reference: readReference(spec),
    routes: readRoutes(canary, blueGreen),
  };
  const reported = {
    conditions: conditionsOf(status),
    restartedAt: boundedName(status, 'restartedAt'),
    /** Of the Rollout itself, as the controller last wrote it. */
    revision: boundedName(annotations, REVISION),
    hasStatus: Object.keys(status).length > 0,
    currentHash: boundedName(status, 'currentPodHash'),
    stableHash: boundedName(status, 'stableRS'),
    /** Counts from 0; the number of steps when all are done. */
    stepIndex: numberAt(status, 'currentStepIndex') ?? null,
    stepHash: boundedName(status, 'currentStepHash'),
    aborted: status.abort === true,
    abortedAt: boundedName(status, 'abortedAt'),
    abortReason: findAbortReason(status),
    pauses: objectsAt(status, 'pauseConditions')
      .slice(0, PAUSES_MAX)
      .map((pause) => ({
        reason: boundedName(pause, 'reason') ?? '',
        since: boundedName(pause, 'startTime'),
      })),
    controllerPause: status.controllerPause === true,
    promoteFull: status.promoteFull === true,
    /** Of the canary, in parts of `maxWeight`. */
    weight: numberAt(status, 'canary', 'weights', 'canary', 'weight') ?? null,
    activeHash: boundedName(status, 'blueGreen', 'activeSelector'),
    previewHash: boundedName(status, 'blueGreen', 'previewSelector'),
    runs: readRuns(status),
    experiment: boundedName(status, 'canary', 'currentExperiment'),
    plugins: readPlugins(status),
    counts: {
      updated: numberAt(status, 'updatedReplicas') ?? null,
      ready: numberAt(status, 'readyReplicas') ?? null,
      available: numberAt(status, 'availableReplicas') ?? null,
    },
  };
  const known = { ...written, ...reported };
  return { ...known, ...readPhase({ generation, annotations, status }, known) };
}

/** A Rollout as the cache of progressive rollouts stores it. */
export type ArgoRollout = Immutable<ReturnType<typeof parseArgoRollout>>;

/** Never throws. */
export function parseArgoRollout(object: KubeObject) {
  const { apiVersion, metadata, spec = {}, status = {} } = object;
  const { annotations = {}, generation = 0, name } = metadata;
  const reading = readArgo({ generation, annotations, spec, status });
  const related = reading.runs.map((run) => ({ resource: analysisRuns.id, name: run.name }));
  if (reading.experiment !== null) related.push({ resource: experiments.id, name: reading.experiment });
  return {
    ...objectFacts(object, argoRollouts.id),
    ...reading,
    workload: { resource: argoRollouts.id, apiVersion, kind: argoRollouts.kind, name },
    relatedObjects: related,
    abortedBy: findAborter(metadata),
  };
}

/** The field manager of a person's abort, where managedFields show it: the controller writes the rest of the status, too. */
function findAborter({ managedFields = [] }: ObjectMeta): string | null {
  const isByHand = (status: JsonObject | undefined) =>
    status?.['f:abort'] !== undefined && status['f:phase'] === undefined;
  const writer = managedFields.find(({ fieldsV1 }) => isByHand(objectAt(fieldsV1, 'f:status')));
  return boundedName({ ...writer }, 'manager');
}

/** "Canary in 5 steps, surge 25%, unavailable 25%", "Blue-green, promoted by hand". */
export function describeArgoStrategy(
  { spec }: Pick<Workload, 'spec'>,
  { strategy, steps, blueGreen }: ArgoReading,
): string {
  if (strategy === null) return 'No strategy';
  if (strategy === 'blueGreen') {
    const { isAutomatic, automaticSeconds } = blueGreen;
    const byTime =
      automaticSeconds > 0
        ? `promoted after ${formatCount(automaticSeconds, 'second')}`
        : 'promoted manually';
    return `Blue-green, ${isAutomatic ? 'promoted automatically' : byTime}`;
  }
  const canary = objectAt(spec, 'strategy', 'canary');
  const how = steps.length === 0 ? 'Canary without steps' : `Canary in ${formatCount(steps.length, 'step')}`;
  return `${how}, surge ${formatAmount(canary?.maxSurge ?? DEFAULT_LIMIT)}, unavailable ${formatAmount(canary?.maxUnavailable ?? DEFAULT_LIMIT)}`;
}

const DEFAULT_LIMIT = '25%';

/** The object whose template is rolled out; null where the Rollout has a template of its own. */
export function readReference(spec: JsonObject): { apiVersion: string; kind: string; name: string } | null {
  const reference = objectAt(spec, 'workloadRef');
  if (reference === undefined) return null;
  return {
    apiVersion: textAt(reference, 'apiVersion') ?? '',
    kind: textAt(reference, 'kind') ?? '',
    name: textAt(reference, 'name') ?? '',
  };
}

function readMaxWeight(canary: JsonObject | undefined): number {
  const max = numberAt(canary, 'trafficRouting', 'maxTrafficWeight') ?? 100;
  return max > 0 ? max : 100;
}

const RUNS: readonly [NamedRun['role'], string, string][] = [
  ['step', 'canary', 'currentStepAnalysisRunStatus'],
  ['background', 'canary', 'currentBackgroundAnalysisRunStatus'],
  ['prePromotion', 'blueGreen', 'prePromotionAnalysisRunStatus'],
  ['postPromotion', 'blueGreen', 'postPromotionAnalysisRunStatus'],
];

function readRuns(status: JsonObject): NamedRun[] {
  return RUNS.flatMap(([role, strategy, member]) => {
    const run = objectAt(status, strategy, member);
    const name = boundedName(run, 'name');
    if (name === null) return [];
    return [{ role, name, status: boundedName(run, 'status'), message: boundedText(run, 'message') }];
  });
}

/** One step can have several entries: one that ran, and one that reverted it. */
function readPlugins(status: JsonObject): PluginRun[] {
  return objectsAt(status, 'canary', 'stepPluginStatuses')
    .slice(0, 2 * STEPS_MAX)
    .flatMap((entry) => {
      const index = numberAt(entry, 'index');
      if (index === undefined) return [];
      return [
        {
          index,
          name: boundedName(entry, 'name') ?? '',
          phase: boundedName(entry, 'phase'),
          message: boundedText(entry, 'message'),
          disabled: entry.disabled === true,
          isUndoing: entry.operation === 'Abort' || entry.operation === 'Terminate',
        },
      ];
    });
}

/** Services and traffic routers, by their names in the plan. */
function readRoutes(
  canary: JsonObject | undefined,
  blueGreen: JsonObject | undefined,
): { kind: string; name: string }[] {
  const routing = objectAt(canary, 'trafficRouting');
  const named: [string, string | null][] = [
    ['Service', boundedName(canary, 'stableService')],
    ['Service', boundedName(canary, 'canaryService')],
    ['Service', boundedName(blueGreen, 'activeService')],
    ['Service', boundedName(blueGreen, 'previewService')],
    ['Ingress', boundedName(routing, 'nginx', 'stableIngress')],
    ['Ingress', boundedName(routing, 'alb', 'ingress')],
    ['VirtualService', boundedName(routing, 'istio', 'virtualService', 'name')],
    ...objectsAt(routing, 'istio', 'virtualServices').map((entry): [string, string | null] => [
      'VirtualService',
      boundedName(entry, 'name'),
    ]),
    ['TrafficSplit', boundedName(routing, 'smi', 'trafficSplitName')],
    ['TraefikService', boundedName(routing, 'traefik', 'weightedTraefikServiceName')],
    ['HTTPRoute', boundedName(routing, 'plugins', 'argoproj-labs/gatewayAPI', 'httpRoute')],
  ];
  return named.flatMap(([kind, name]) => (name === null ? [] : [{ kind, name }])).slice(0, ROUTES_MAX);
}
