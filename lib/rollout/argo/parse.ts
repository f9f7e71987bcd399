import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { objectFacts } from '@/lib/rollout/object-facts';
import { analysisRuns, experiments } from '@/lib/rollout/argo/resources';
import { type ArgoStep, stepOf } from '@/lib/rollout/argo/step';
import { conditionsOf, textOf, word, writtenAt } from '@/lib/rollout/bounded';
import { type RolloutCondition } from '@/lib/rollout/rollout';
import { type RolloutObject } from '@/lib/rollout/system';
import {
  isGenerationObserved,
  observedGenerationOf,
  pauseConditionsOf,
  phaseOf,
} from '@/lib/workloads/argo-rollout/phase';
import { argoRollouts, REVISION } from '@/lib/workloads/argo-rollout/resource';
import {
  argoStrategyOf,
  leewayOf,
  referencedWorkload,
  replicasOf,
  stepsOfSpec,
} from '@/lib/workloads/argo-rollout/spec';
import { numberAt, objectAt, objectsAt } from '@/lib/workloads/read';

/** Nothing in the API bounds them; whoever can write does not get to fill our memory. */
const STEPS_MAX = 100;
const ROUTES_MAX = 10;

/** A run that the status names, with what it says of it. */
export interface NamedRun {
  role: 'step' | 'background' | 'prePromotion' | 'postPromotion';
  name: string;
  status: string | null;
  message: string | null;
}

/** What the status says of a step that a plugin makes. */
export interface PluginRun {
  /** Of its step, from 0. */
  index: number;
  name: string;
  phase: string | null;
  message: string | null;
  disabled: boolean;
  /** Asked to take back what it did. */
  isUndoing: boolean;
}

/** A Rollout of Argo, as far as it is needed; see argo-rollouts pkg/apis/rollouts/v1alpha1/types.go. */
export interface ArgoRollout extends RolloutObject {
  /** Last write of what is no status, where managedFields tell. */
  specWrittenAt: string | null;
  strategy: 'canary' | 'blueGreen' | null;
  steps: readonly ArgoStep[];
  desired: number;
  surge: number;
  unavailable: number;
  /** Weight that stands for all traffic. */
  maxWeight: number;
  /** Something shares requests out by weight, rather than by the number of pods. */
  isRouted: boolean;
  blueGreen: {
    /** Null: as many as desired. */
    previewReplicas: number | null;
    isAutomatic: boolean;
    automaticSeconds: number;
  };
  paused: boolean;
  restartAt: string | null;
  restartedAt: string | null;
  /** The object whose template is rolled out, where it is not its own. */
  reference: { apiVersion: string; kind: string; name: string } | null;
  routes: readonly { kind: string; name: string }[];
  /** Of the Rollout itself, as the controller last wrote it. */
  revision: string | null;
  phase: string;
  message: string | null;
  /** The phase that the status names, whatever it has seen of the spec. */
  statedPhase: string;
  /** The status is of an earlier spec. */
  isBehind: boolean;
  hasStatus: boolean;
  currentHash: string | null;
  stableHash: string | null;
  /** Counts from 0; the number of steps when all are done. */
  stepIndex: number | null;
  stepHash: string | null;
  aborted: boolean;
  abortedAt: string | null;
  pauses: readonly { reason: string; since: string | null }[];
  controllerPause: boolean;
  promoteFull: boolean;
  /** Of the canary, in parts of {@link maxWeight}. */
  weight: number | null;
  activeHash: string | null;
  previewHash: string | null;
  runs: readonly NamedRun[];
  experiment: string | null;
  plugins: readonly PluginRun[];
  counts: { updated: number | null; ready: number | null; available: number | null };
  conditions: readonly RolloutCondition[];
}

/** Takes out what the rules need, cut to a bounded size; anything unexpected counts as absent. Never throws. */
export function parseRollout(object: KubeObject): ArgoRollout {
  const { metadata } = object;
  const spec = object.spec ?? {};
  const status = object.status ?? {};
  const annotations = metadata.annotations ?? {};
  const generation = metadata.generation ?? 0;
  const standing = { generation, annotations, spec, status };
  const reading = phaseOf(standing);
  const { surge, unavailable } = leewayOf({ spec });
  const canary = objectAt(spec, 'strategy', 'canary');
  const runs = runsOf(status);
  const experiment = word(status, 'canary', 'currentExperiment');
  return {
    resource: argoRollouts.id,
    ...objectFacts(object),
    observedGeneration: isGenerationObserved(standing) ? generation : observedGenerationOf(standing),
    workload: {
      resource: argoRollouts.id,
      apiVersion: object.apiVersion,
      kind: argoRollouts.kind,
      name: metadata.name,
    },
    beside: [
      ...runs.map(({ name }) => ({ resource: analysisRuns.id, name })),
      ...(experiment === null ? [] : [{ resource: experiments.id, name: experiment }]),
    ],
    specWrittenAt: writtenAt(object, 'spec'),
    strategy: argoStrategyOf({ spec }),
    steps: stepsOfSpec({ spec }).slice(0, STEPS_MAX).map(stepOf),
    desired: replicasOf({ spec }),
    surge,
    unavailable,
    maxWeight: maxWeightOf(canary),
    isRouted: objectAt(canary, 'trafficRouting') !== undefined,
    blueGreen: blueGreenOf(spec),
    paused: spec.paused === true,
    restartAt: word(spec, 'restartAt'),
    restartedAt: word(status, 'restartedAt'),
    reference: referencedWorkload({ spec }),
    routes: routesOf(spec),
    revision: word(annotations, REVISION),
    ...reading,
    phase: reading.phase.slice(0, 100),
    message: textOf({ message: reading.message }, 'message'),
    statedPhase: word(status, 'phase') ?? reading.phase,
    hasStatus: Object.keys(status).length > 0,
    currentHash: word(status, 'currentPodHash'),
    stableHash: word(status, 'stableRS'),
    stepIndex: numberAt(status, 'currentStepIndex') ?? null,
    stepHash: word(status, 'currentStepHash'),
    aborted: status.abort === true,
    abortedAt: word(status, 'abortedAt'),
    pauses: pauseConditionsOf({ status }).slice(0, 5),
    controllerPause: status.controllerPause === true,
    promoteFull: status.promoteFull === true,
    weight: numberAt(status, 'canary', 'weights', 'canary', 'weight') ?? null,
    activeHash: word(status, 'blueGreen', 'activeSelector'),
    previewHash: word(status, 'blueGreen', 'previewSelector'),
    runs,
    experiment,
    plugins: pluginsOf(status),
    counts: {
      updated: numberAt(status, 'updatedReplicas') ?? null,
      ready: numberAt(status, 'readyReplicas') ?? null,
      available: numberAt(status, 'availableReplicas') ?? null,
    },
    conditions: conditionsOf(status),
  };
}

function maxWeightOf(canary: JsonObject | undefined): number {
  const max = numberAt(canary, 'trafficRouting', 'maxTrafficWeight') ?? 100;
  return max > 0 ? max : 100;
}

function blueGreenOf(spec: JsonObject): ArgoRollout['blueGreen'] {
  const plan = objectAt(spec, 'strategy', 'blueGreen');
  return {
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
    const name = word(run, 'name');
    return name === null
      ? []
      : [{ role, name, status: word(run, 'status'), message: textOf(run, 'message') }];
  });
}

/** Of one step there may be several entries: one that ran, and one that took it back. */
function pluginsOf(status: JsonObject): PluginRun[] {
  return objectsAt(status, 'canary', 'stepPluginStatuses')
    .slice(0, 2 * STEPS_MAX)
    .flatMap((entry) => {
      const index = numberAt(entry, 'index');
      if (index === undefined) return [];
      return [
        {
          index,
          name: word(entry, 'name') ?? '',
          phase: word(entry, 'phase'),
          message: textOf(entry, 'message'),
          disabled: entry.disabled === true,
          isUndoing: entry.operation === 'Abort' || entry.operation === 'Terminate',
        },
      ];
    });
}

/** What shares the requests out, by the names that the plan has for it. */
function routesOf(spec: JsonObject): { kind: string; name: string }[] {
  const canary = objectAt(spec, 'strategy', 'canary');
  const blueGreen = objectAt(spec, 'strategy', 'blueGreen');
  const routing = objectAt(canary, 'trafficRouting');
  const named: [string, string | null][] = [
    ['Service', word(canary, 'stableService')],
    ['Service', word(canary, 'canaryService')],
    ['Service', word(blueGreen, 'activeService')],
    ['Service', word(blueGreen, 'previewService')],
    ['Ingress', word(routing, 'nginx', 'stableIngress')],
    ['Ingress', word(routing, 'alb', 'ingress')],
    ['VirtualService', word(routing, 'istio', 'virtualService', 'name')],
    ...objectsAt(routing, 'istio', 'virtualServices').map((entry): [string, string | null] => [
      'VirtualService',
      word(entry, 'name'),
    ]),
    ['TrafficSplit', word(routing, 'smi', 'trafficSplitName')],
    ['TraefikService', word(routing, 'traefik', 'weightedTraefikServiceName')],
    ['HTTPRoute', word(routing, 'plugins', 'argoproj-labs/gatewayAPI', 'httpRoute')],
  ];
  return named.flatMap(([kind, name]) => (name === null ? [] : [{ kind, name }])).slice(0, ROUTES_MAX);
}
