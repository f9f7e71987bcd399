import type { RelatedObjectSummary } from '@/lib/api/rollouts';
import { describeUnread, describeUnrecognized, type ProgressFacts } from '@/lib/engine/progress';
import { formatCount, formatList } from '@/lib/format/text';
import type { Immutable } from '@/lib/immutable';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { numberAt, objectAt, objectsAt, valueAt } from '@/lib/kube/read';
import { boundedName } from '@/lib/rollout/bounded';
import { objectFacts } from '@/lib/rollout/common-shape';
import { defineSystem, type Description } from '@/lib/rollout/define-system';
import { appDeployments, describeReadOnly } from '@/lib/rollout/oam/resources';
import { type BaseContext, readBase } from '@/lib/rollout/system';

const ENTRIES_MAX = 50;

/** Pods of an application revision in one cluster; `cluster` null for the one that the object is in. */
interface Placement {
  revision: string;
  cluster: string | null;
  replicas: number;
}

/** An action that is refused anyway. */
const NONE = { refusals: [] };

/** An AppDeployment of KubeVela 1.0 and 1.1: revisions of an application side by side, in several clusters. */
type AppDeployment = Immutable<ReturnType<typeof parse>>;

/**
 * It has neither batches nor a source: it reports only what runs where, and the share of the requests of
 * each.
 */
export const appDeploymentSystem = defineSystem<
  AppDeployment,
  BaseContext<AppDeployment> & { index: number }
>({
  id: 'oam-appdeployment',
  resource: appDeployments,
  parse,
  readContext: (input) => ({ ...readBase(input, false), index: 0 }),
  findFacts: ({ rollout }) => {
    const facts = describePhase(rollout);
    return { ...facts, message: `${facts.message} ${placementText(rollout.requested)}`.trim() };
  },
  actions: { approve: NONE, pause: NONE, resume: NONE, rollback: NONE, delete: NONE },
  readOnly: describeReadOnly(appDeployments),
  describe: ({ rollout }) => describe(rollout),
  listPreconditions: ({ object: { uid, resourceVersion } }) => [uid, resourceVersion],
});

/**
 * Never throws; unexpected content counts as absent.
 * https://github.com/kubevela/kubevela/blob/v1.1.13/apis/core.oam.dev/v1beta1/appdeployment_types.go
 */
function parse(object: KubeObject) {
  const { metadata, spec, status } = object;
  return {
    ...objectFacts(object, appDeployments.id),
    workload: { resource: null, apiVersion: '', kind: 'Application', name: metadata.name },
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
    /** Shares of the requests: "shop-v2 20%". */
    weights: objectsAt(spec, 'traffic', 'http')
      .flatMap((rule) => objectsAt(rule, 'weightedTargets'))
      .slice(0, ENTRIES_MAX)
      .map(weightOf),
    hosts: hostsOf(valueAt(spec, 'traffic', 'hosts')),
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

function describe({ phase, placed, requested, weights, hosts }: AppDeployment): Description {
  const description: Description = {
    phase,
    style: 'unknown',
    revisions: { stable: null, updated: null },
    replicas: {
      desired: requested.reduce((sum, { replicas }) => sum + replicas, 0),
      updated: null,
      ready: null,
    },
    routes: hosts.map((name) => ({ kind: 'host', name })),
    relatedObjects: placed.map(placedSummary),
    notes: [
      'AppDeployments belong to KubeVela 1.0 and 1.1. KubeVela 1.2 removed their controller, so this may be outdated.',
    ],
  };
  if (weights.length > 0) description.plan = [`Traffic: ${formatList(weights, ENTRIES_MAX)}.`];
  return description;
}

function describePhase({ phase, deletedAt }: AppDeployment): ProgressFacts {
  if (deletedAt !== null) return { course: 'deleting', message: 'Being deleted.' };
  switch (phase) {
    case '':
      return describeUnread(null);
    case 'Rolling':
      return { course: 'underWay', message: 'Pods move from old revisions of the application to new ones.' };
    case 'Completed':
      return { course: 'succeeded', message: 'All pods are placed.' };
    case 'Failed':
      return { course: 'failed', message: 'Failed. The raw status has the reason.' };
    default:
      return describeUnrecognized(phase);
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
