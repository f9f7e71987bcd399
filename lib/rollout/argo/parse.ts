import type { Immutable } from '@/lib/immutable';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject, ObjectMeta } from '@/lib/kube/object';
import { objectFacts } from '@/lib/rollout/common-shape';
import { customResource } from '@/lib/rollout/resource-types';
import { stepOf } from '@/lib/rollout/argo/step';
import { boundedText, boundedName } from '@/lib/rollout/bounded';
import {
  abortReasonOf,
  isGenerationObserved,
  observedGenerationOf,
  pauseConditionsOf,
  phaseOf,
} from '@/lib/workloads/argo-rollout/phase';
import { argoRollouts, REVISION } from '@/lib/workloads/argo-rollout/resource';
import {
  argoStrategyOf,
  rollingLimitsOf,
  referencedWorkload,
  replicasOf,
  stepsOfSpec,
} from '@/lib/workloads/argo-rollout/spec';
import { numberAt, objectAt, objectsAt } from '@/lib/kube/read';

export const analysisRuns = customResource(argoRollouts.group, 'analysisruns', 'AnalysisRun', ['v1alpha1']);
export const experiments = customResource(argoRollouts.group, 'experiments', 'Experiment', ['v1alpha1']);

/** The API sets no limits, so any writer could fill Shiplog's memory. */
const STEPS_MAX = 100;
const ROUTES_MAX = 10;

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

/** A Rollout of Argo, reduced to what the rules need; see argo-rollouts pkg/apis/rollouts/v1alpha1/types.go. */
export type ArgoRollout = Immutable<ReturnType<typeof parseArgoRollout>>;

/** Extracts what the rules need, cut to a bounded size; unexpected content counts as absent. Never throws. */
export function parseArgoRollout(object: KubeObject) {
  const { metadata } = object;
  const spec = object.spec ?? {};
  const status = object.status ?? {};
  const annotations = metadata.annotations ?? {};
  const generation = metadata.generation ?? 0;
  const argoObject = { generation, annotations, spec, status };
  const reading = phaseOf(argoObject);
  const { surge, unavailable } = rollingLimitsOf({ spec });
  const canary = objectAt(spec, 'strategy', 'canary');
  const runs = runsOf(status);
  const experiment = boundedName(status, 'canary', 'currentExperiment');
  return {
    ...objectFacts(object, argoRollouts.id),
    observedGeneration: isGenerationObserved(argoObject) ? generation : observedGenerationOf(argoObject),
    workload: {
      resource: argoRollouts.id,
      apiVersion: object.apiVersion,
      kind: argoRollouts.kind,
      name: metadata.name,
    },
    relatedObjects: [
      ...runs.map(({ name }) => ({ resource: analysisRuns.id, name })),
      ...(experiment === null ? [] : [{ resource: experiments.id, name: experiment }]),
    ],
    strategy: argoStrategyOf({ spec }),
    steps: stepsOfSpec({ spec }).slice(0, STEPS_MAX).map(stepOf),
    desired: replicasOf({ spec }),
    surge,
    unavailable,
    /** Weight that means all traffic. */
    maxWeight: maxWeightOf(canary),
    /** A traffic router shares requests out by weight, rather than by the number of pods. */
    isRouted: objectAt(canary, 'trafficRouting') !== undefined,
    blueGreen: blueGreenOf(spec),
    paused: spec.paused === true,
    restartAt: boundedName(spec, 'restartAt'),
    restartedAt: boundedName(status, 'restartedAt'),
    /** The object whose template is rolled out, where it is not its own. */
    reference: referencedWorkload({ spec }),
    routes: routesOf(spec),
    /** Of the Rollout itself, as the controller last wrote it. */
    revision: boundedName(annotations, REVISION),
    /** The status is of an earlier spec. */
    isBehind: reading.isBehind,
    phase: reading.phase.slice(0, 100),
    message: boundedText({ message: reading.message }, 'message'),
    /** The phase that the status names, whichever spec it has observed. */
    statedPhase: boundedName(status, 'phase') ?? reading.phase,
    hasStatus: Object.keys(status).length > 0,
    currentHash: boundedName(status, 'currentPodHash'),
    stableHash: boundedName(status, 'stableRS'),
    /** Counts from 0; the number of steps when all are done. */
    stepIndex: numberAt(status, 'currentStepIndex') ?? null,
    stepHash: boundedName(status, 'currentStepHash'),
    aborted: status.abort === true,
    /** See {@link abortReasonOf}; `abortedBy` is the field manager of a person's abort, where managedFields show it. */
    abortReason: abortReasonOf({ status }),
    abortedBy: abortedBy(metadata),
    abortedAt: boundedName(status, 'abortedAt'),
    pauses: pauseConditionsOf({ status }).slice(0, 5),
    controllerPause: status.controllerPause === true,
    promoteFull: status.promoteFull === true,
    /** Of the canary, in parts of `maxWeight`. */
    weight: numberAt(status, 'canary', 'weights', 'canary', 'weight') ?? null,
    activeHash: boundedName(status, 'blueGreen', 'activeSelector'),
    previewHash: boundedName(status, 'blueGreen', 'previewSelector'),
    runs,
    experiment,
    plugins: pluginsOf(status),
    counts: {
      updated: numberAt(status, 'updatedReplicas') ?? null,
      ready: numberAt(status, 'readyReplicas') ?? null,
      available: numberAt(status, 'availableReplicas') ?? null,
    },
  };
}

/** The controller writes everything else of the status as well. */
function abortedBy({ managedFields = [] }: ObjectMeta): string | null {
  const isByHand = (status: JsonObject | undefined) =>
    status?.['f:abort'] !== undefined && status['f:phase'] === undefined;
  const writer = managedFields.find(({ fieldsV1 }) => isByHand(objectAt(fieldsV1, 'f:status')));
  return boundedName({ ...writer }, 'manager');
}

function maxWeightOf(canary: JsonObject | undefined): number {
  const max = numberAt(canary, 'trafficRouting', 'maxTrafficWeight') ?? 100;
  return max > 0 ? max : 100;
}

function blueGreenOf(spec: JsonObject) {
  const plan = objectAt(spec, 'strategy', 'blueGreen');
  return {
    /** Null: as many as desired. */
    previewReplicas: numberAt(plan, 'previewReplicaCount') ?? null,
    isAutomatic: plan?.autoPromotionEnabled !== false,
    automaticSeconds: numberAt(plan, 'autoPromotionSeconds') ?? 0,
  };
}

const RUNS: readonly [NamedRun['role'], string, string][] = [
  ['step', 'canary', 'currentStepAnalysisRunStatus'],
  ['background', 'canary', 'currentBackgroundAnalysisRunStatus'],
  ['prePromotion', 'blueGreen', 'prePromotionAnalysisRunStatus'],
  ['postPromotion', 'blueGreen', 'postPromotionAnalysisRunStatus'],
];

function runsOf(status: JsonObject): NamedRun[] {
  return RUNS.flatMap(([role, strategy, member]) => {
    const run = objectAt(status, strategy, member);
    const name = boundedName(run, 'name');
    return name === null
      ? []
      : [{ role, name, status: boundedName(run, 'status'), message: boundedText(run, 'message') }];
  });
}

/** One step can have several entries: one that ran, and one that reverted it. */
function pluginsOf(status: JsonObject): PluginRun[] {
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

/** The traffic routers, by their names in the plan. */
function routesOf(spec: JsonObject): { kind: string; name: string }[] {
  const canary = objectAt(spec, 'strategy', 'canary');
  const blueGreen = objectAt(spec, 'strategy', 'blueGreen');
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
