import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { identityFacts, objectFacts } from '@/lib/rollout/object-facts';
import { conditionsOf, boundedName } from '@/lib/rollout/bounded';
import { readOnlyActions } from '@/lib/rollout/oam/actions';
import { appDeployments } from '@/lib/rollout/oam/resources';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RelatedObjectSummary } from '@/lib/api/rollouts';
import type { ConditionItem } from '@/lib/api/common';
import type { RolloutState } from '@/lib/api/rollout-values';
import type { RolloutInput, RolloutSystem } from '@/lib/rollout/system';
import type { RolloutObject } from '@/lib/rollout/rollout-facts';
import { numberAt, objectAt, objectsAt, valueAt } from '@/lib/kube/read';
import { formatCount, formatList } from '@/lib/format/text';

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
  requested: readonly Placement[];
  placed: readonly Placement[];
  /** Shares of the requests: "shop-v2 20%". */
  weights: readonly string[];
  hosts: readonly string[];
  conditions: readonly ConditionItem[];
}

/**
 * It has neither batches nor a source: it reports only what runs where, and the share of the requests of
 * each.
 */
export const appDeploymentSystem: RolloutSystem<AppDeployment> = {
  id: 'oam-appdeployment',
  resource: appDeployments,
  relatedObjects: [],
  records: null,
  podLabels: [],
  parse,
  derive,
  validUntil: () => Infinity,
  preconditionText: ({ object: { uid, resourceVersion } }) => JSON.stringify([uid, resourceVersion]),
  routing: { refs: () => [], traffic: () => null },
  plan: () => ({
    kind: 'refused',
    findings: [{ severity: 'refusal', code: 'wrong_state', message: READ_ONLY_REASON, action: null }],
  }),
  rightOf: () => null,
};

const READ_ONLY_REASON = readOnlyActions(appDeployments)[0]?.reason ?? '';

/**
 * Never throws; unexpected content counts as absent.
 * https://github.com/kubevela/kubevela/blob/v1.1.13/apis/core.oam.dev/v1beta1/appdeployment_types.go
 */
function parse(object: KubeObject): AppDeployment {
  const { metadata, spec, status } = object;
  return {
    resource: appDeployments.id,
    ...objectFacts(object),
    observedGeneration: null,
    workload: { resource: null, apiVersion: '', kind: 'Application', name: metadata.name },
    relatedObjects: [],
    phase: boundedName(status, 'phase') ?? '',
    requested: objectsAt(spec, 'appRevisions')
      .flatMap((revision) =>
        objectsAt(revision, 'placement').map((entry) => ({
          revision: boundedName(revision, 'revisionName') ?? '',
          cluster: clusterOf(objectAt(entry, 'clusterSelector')),
          replicas: numberAt(entry, 'distribution', 'replicas') ?? 0,
        })),
      )
      .slice(0, ENTRIES_MAX),
    placed: objectsAt(status, 'placement')
      .flatMap((revision) =>
        objectsAt(revision, 'clusters').map((entry) => ({
          revision: boundedName(revision, 'revisionName') ?? '',
          cluster: boundedName(entry, 'clusterName'),
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
  return boundedName(selector, 'name') ?? (labels.length === 0 ? null : labels.join(',').slice(0, 253));
}

/** The only target of a rule gets all requests, whatever its weight. */
function weightOf(target: JsonObject): string {
  const component = boundedName(target, 'componentName');
  const share = numberAt(target, 'weight');
  return `${boundedName(target, 'revisionName') ?? 'unnamed'}${component === null ? '' : ` (${component})`}${share === undefined ? '' : ` ${share}%`}`;
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

function derive({ object: deployment }: RolloutInput<AppDeployment>): ProgressiveRollout {
  const { phase, deletedAt, placed, requested } = deployment;
  const state: RolloutState =
    deletedAt !== null ? 'terminating' : phase === '' ? 'starting' : (STATES[phase] ?? 'unknown');
  return {
    system: 'oam-appdeployment',
    ...identityFacts(deployment, 'unknown'),
    state,
    message: `${messageOf(state, phase)} ${placementText(requested)}`.trim(),
    waitsFor: null,
    since: null,
    phase,
    reported: { message: null, stepState: null, conditions: deployment.conditions },
    style: 'unknown',
    paused: false,
    disabled: false,
    step: { index: 0, total: 0, state: null, next: null },
    run: { id: null, startedAt: null },
    revisions: { stable: null, updated: null },
    replicas: {
      desired: requested.reduce((sum, { replicas }) => sum + replicas, 0),
      updated: null,
      ready: null,
    },
    steps: [],
    unassignedPods: [],
    auxiliaries: [],
    routes: deployment.hosts.map((name) => ({ kind: 'host', name })),
    relatedObjects: placed.map(placedSummary),
    ...(deployment.weights.length > 0 && {
      plan: [`Traffic: ${formatList(deployment.weights, ENTRIES_MAX)}.`],
    }),
    notes: [
      'AppDeployments belong to KubeVela 1.0 and 1.1. KubeVela 1.2 removed their controller, so this may be outdated.',
    ],
    actions: readOnlyActions(appDeployments),
  };
}

function messageOf(state: RolloutState, phase: string): string {
  switch (state) {
    case 'terminating':
      return 'Being deleted.';
    case 'starting':
      return 'Waiting for the controller.';
    case 'progressing':
      return 'Pods move from old revisions of the application to new ones.';
    case 'completed':
      return 'All pods are placed.';
    case 'failed':
      return 'Failed. The raw status has the reason.';
    default:
      return `Unknown phase: ${phase}.`;
  }
}

/** "Requested: 3 pods of shop-v2 in eu, 1 pod of shop-v1." */
function placementText(placements: readonly Placement[]): string {
  if (placements.length === 0) return '';
  const texts = placements.map(
    ({ revision, cluster, replicas }) =>
      `${formatCount(replicas, 'pod')} of ${revision}${cluster === null ? '' : ` in ${cluster}`}`,
  );
  return `Requested: ${formatList(texts, 5)}.`;
}

function placedSummary({ revision, cluster, replicas }: Placement): RelatedObjectSummary {
  return {
    resource: 'applicationrevisions.core.oam.dev',
    kind: 'placed',
    name: revision,
    phase: cluster ?? 'this cluster',
    message: formatCount(replicas, 'pod'),
  };
}
