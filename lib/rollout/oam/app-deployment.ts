import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { objectFacts } from '@/lib/rollout/object-facts';
import { conditionsOf, word } from '@/lib/rollout/bounded';
import { readingAlone } from '@/lib/rollout/oam/actions';
import { appDeployments } from '@/lib/rollout/oam/resources';
import {
  type BesideSummary,
  type Rollout,
  type RolloutCondition,
  type RolloutState,
} from '@/lib/rollout/rollout';
import { type RolloutInput, type RolloutObject, type RolloutSystem } from '@/lib/rollout/system';
import { numberAt, objectAt, objectsAt, valueAt } from '@/lib/workloads/read';
import { count, listed } from '@/lib/workloads/words';

const ENTRIES_MAX = 50;

/** Pods of an application revision in one cluster; `cluster` null for the one that the object is in. */
interface Placement {
  revision: string;
  cluster: string | null;
  replicas: number;
}

/** An AppDeployment of KubeVela 1.0 and 1.1: revisions of an application side by side, in several clusters. */
export interface AppDeployment extends RolloutObject {
  phase: string;
  asked: readonly Placement[];
  placed: readonly Placement[];
  /** Shares of the requests: "shop-v2 20%". */
  weights: readonly string[];
  hosts: readonly string[];
  conditions: readonly RolloutCondition[];
}

/** It has neither batches nor a source: what is where, and which share of the requests it gets, is all that it tells. */
export const appDeploymentSystem: RolloutSystem<AppDeployment> = {
  id: 'oam-appdeployment',
  resource: appDeployments,
  beside: [],
  records: null,
  podLabels: [],
  parse,
  derive,
  validUntil: () => Infinity,
  seenText: ({ object: { uid, resourceVersion } }) => JSON.stringify([uid, resourceVersion]),
  routing: { refs: () => [], traffic: () => null },
  plan: () => ({
    kind: 'refused',
    findings: [{ severity: 'refusal', code: 'wrong_state', message: READING, action: null }],
  }),
  rightOf: () => null,
};

const READING = readingAlone(appDeployments)[0]?.reason ?? '';

/** Never throws; anything unexpected counts as absent. https://github.com/kubevela/kubevela/blob/v1.1.13/apis/core.oam.dev/v1beta1/appdeployment_types.go */
function parse(object: KubeObject): AppDeployment {
  const { metadata, spec, status } = object;
  return {
    resource: appDeployments.id,
    ...objectFacts(object),
    observedGeneration: null,
    workload: { resource: null, apiVersion: '', kind: 'Application', name: metadata.name },
    beside: [],
    phase: word(status, 'phase') ?? '',
    asked: objectsAt(spec, 'appRevisions')
      .flatMap((revision) =>
        objectsAt(revision, 'placement').map((entry) => ({
          revision: word(revision, 'revisionName') ?? '',
          cluster: clusterOf(objectAt(entry, 'clusterSelector')),
          replicas: numberAt(entry, 'distribution', 'replicas') ?? 0,
        })),
      )
      .slice(0, ENTRIES_MAX),
    placed: objectsAt(status, 'placement')
      .flatMap((revision) =>
        objectsAt(revision, 'clusters').map((entry) => ({
          revision: word(revision, 'revisionName') ?? '',
          cluster: word(entry, 'clusterName'),
          replicas: numberAt(entry, 'replicas') ?? 0,
        })),
      )
      .slice(0, ENTRIES_MAX),
    weights: objectsAt(spec, 'traffic', 'http')
      .flatMap((rule) => objectsAt(rule, 'weightedTargets'))
      .slice(0, ENTRIES_MAX)
      .map(weightOf),
    hosts: hostsOf(valueAt(spec, 'traffic', 'hosts')),
    conditions: conditionsOf(status),
  };
}

/** By name, or by its labels. */
function clusterOf(selector: JsonObject | undefined): string | null {
  const labels = Object.entries(objectAt(selector, 'labels') ?? {}).flatMap(([key, value]) =>
    typeof value === 'string' ? `${key}=${value}` : [],
  );
  return word(selector, 'name') ?? (labels.length === 0 ? null : labels.join(',').slice(0, 253));
}

/** A single target of a rule gets all, whatever it says. */
function weightOf(target: JsonObject): string {
  const component = word(target, 'componentName');
  const share = numberAt(target, 'weight');
  return `${word(target, 'revisionName') ?? 'unnamed'}${component === null ? '' : ` (${component})`}${share === undefined ? '' : ` ${share}%`}`;
}

function hostsOf(hosts: ReturnType<typeof valueAt>): string[] {
  if (!Array.isArray(hosts)) return [];
  return hosts
    .filter((host) => typeof host === 'string')
    .slice(0, ENTRIES_MAX)
    .map((host) => host.slice(0, 253));
}

const STATES: Readonly<Record<string, RolloutState>> = {
  Rolling: 'progressing',
  Completed: 'completed',
  Failed: 'failed',
};

function derive({ object: deployment }: RolloutInput<AppDeployment>): Rollout {
  const { phase, deletedAt, placed, asked } = deployment;
  const state: RolloutState =
    deletedAt !== null ? 'terminating' : phase === '' ? 'starting' : (STATES[phase] ?? 'unknown');
  return {
    system: 'oam-appdeployment',
    resource: deployment.resource,
    namespace: deployment.namespace,
    name: deployment.name,
    uid: deployment.uid,
    createdAt: deployment.createdAt,
    deletedAt,
    workload: { ...deployment.workload, state: 'unknown' },
    state,
    message: `${messageOf(state, phase)} ${placementText(asked)}`.trim(),
    waitsFor: null,
    since: null,
    phase,
    reported: { message: null, stepState: null, conditions: deployment.conditions },
    style: 'unknown',
    paused: false,
    disabled: false,
    step: { index: 0, total: 0, state: null, next: null },
    release: { id: null, startedAt: null },
    revisions: { stable: null, updated: null },
    replicas: {
      desired: asked.reduce((sum, { replicas }) => sum + replicas, 0),
      updated: null,
      ready: null,
    },
    steps: [],
    unassignedPods: [],
    auxiliaries: [],
    routes: deployment.hosts.map((name) => ({ kind: 'host', name })),
    beside: placed.map(placedSummary),
    ...(deployment.weights.length > 0 && {
      plan: [`Requests are shared out: ${listed(deployment.weights, ENTRIES_MAX)}.`],
    }),
    notes: [
      'AppDeployments are of KubeVela 1.0 and 1.1; their controller was taken out with v1.2, so what stands here may be as it was left.',
    ],
    actions: readingAlone(appDeployments),
  };
}

function messageOf(state: RolloutState, phase: string): string {
  switch (state) {
    case 'terminating':
      return 'Being deleted.';
    case 'starting':
      return 'A controller has yet to take up this AppDeployment.';
    case 'progressing':
      return 'Pods go from old revisions of the application to new ones.';
    case 'completed':
      return 'Everything is placed.';
    case 'failed':
      return 'Failed; its conditions say why.';
    default:
      return `In the phase ${phase}, which Shiplog does not know.`;
  }
}

/** "Asked for: 3 pods of shop-v2 in eu, 1 pod of shop-v1." */
function placementText(placements: readonly Placement[]): string {
  if (placements.length === 0) return '';
  const texts = placements.map(
    ({ revision, cluster, replicas }) =>
      `${count(replicas, 'pod')} of ${revision}${cluster === null ? '' : ` in ${cluster}`}`,
  );
  return `Asked for: ${listed(texts, 5)}.`;
}

function placedSummary({ revision, cluster, replicas }: Placement): BesideSummary {
  return {
    resource: 'applicationrevisions.core.oam.dev',
    kind: 'placed',
    name: revision,
    phase: cluster ?? 'this cluster',
    message: count(replicas, 'pod'),
  };
}
