import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { AppError } from '@/lib/errors';
import { createActions } from '@/server/actions/service';
import { apiError, FakeCluster } from '@/server/actions/testing/fake-cluster';
import type { TestArchive } from '@/server/archive/testing/test-archive';
import { Audit } from '@/server/audit/audit';
import type { AccessAnswer, AccessQuestion } from '@/server/cluster/access';
import type { KubeRequest } from '@/server/cluster/kube-request';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { createRouter } from '@/server/http/router';
import {
  commentAt,
  journalOf,
  type Place,
  putBlockedPod,
  recordWithPods,
} from '@/server/http/testing/marked-place';
import { addNamespace, runtimeOf, severalClusters } from '@/server/http/testing/several-clusters';
import { fixedIdentity, personAs } from '@/server/identity/testing/fixed-identity';
import { Clusters } from '@/server/runtime/clusters';
import type { ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { ConfigError } from '@/server/shared/config-error';
import type { Keys } from '@/server/shared/keys';
import { silentLogger } from '@/server/shared/log';
import { viewerNamed } from '@/server/shared/testing/viewers';
import { StreamHub } from '@/server/stream/hub';
import { recordsNowMs } from '@/test/record-samples';

/** How a cluster of the archive stands in the configuration. */
export const clusterStates = ['connected', 'refused', 'unidentified', 'removed'] as const;
type ClusterState = (typeof clusterStates)[number];

/** The rights of a person in one namespace of one cluster. */
export const namespaceRights = ['workloads', 'pods', 'events', 'write', 'add'] as const;
type NamespaceRight = (typeof namespaceRights)[number];

export interface RightsScenario {
  states: Readonly<Record<string, ClusterState>>;
  /** By `cluster/namespace`. */
  rights: Readonly<Record<string, readonly NamespaceRight[]>>;
  /** To the records of removed clusters. */
  mayReadRemoved: boolean;
  /** Whether a part of the configuration can't be read. */
  hasGap: boolean;
}

export const home = 'home';
export const others = ['us', 'ap', 'sa'];
/** The archive knows it by its id alone, as one that an early version recorded. */
export const nameless = 'sa';
const namespaces = ['shop', 'pay'];
const person = viewerNamed('maja');

export const keyOf = ({ cluster, namespace }: Pick<Place, 'cluster' | 'namespace'>) =>
  `${cluster}/${namespace}`;

/** A Shiplog of several clusters with a person who has no right at first; {@link RightsWorld.arrange} changes it. */
export async function rightsWorld() {
  const several = await severalClusters([home, ...others]);
  const { archive, running } = several;
  const { keys } = running.shared;
  const folder = makeFolder();
  const audit = Audit.open(folder.path);
  onTestFinished(() => folder.remove());
  const places: Place[] = [];
  const runtimes = new Map<string, Runtimes>();
  let scenario: RightsScenario = { states: {}, rights: {}, mayReadRemoved: false, hasGap: false };

  for (const each of several.clusters) {
    const { name, cluster } = each;
    const { id } = cluster.identity;
    cluster.identity = { ...cluster.identity, server: `https://${name}.example` };
    await archive.clusters.saw({ id, name: name === nameless ? null : name, aliases: [] }, recordsNowMs);
    for (const namespace of namespaces) {
      const marker =
        namespace === 'shop' ? each.marker : `${each.marker}${namespace}`.replace(/x(\w+)/, '$1x');
      if (namespace !== 'shop') await addNamespace(archive, cluster, { namespace, marker });
      const own = {
        podMarker: marker.replace('mark', 'inpod'),
        eventMarker: marker.replace('mark', 'inevent'),
      };
      const place = { cluster: name, id, namespace, marker, ...own, action: randomUUID() };
      places.push(place);
      putBlockedPod(cluster, place);
      await archive.put([recordWithPods(place)]);
      await archive.reviews.addComment(commentAt(place, person));
      await archive.actions.saveJournal(journalOf(place));
    }
    const answer = (question: AccessQuestion) => ({ allowed: isAllowed(scenario, places, name, question) });
    cluster.answerAccess = answer;
    cluster.onRequest = (request) => authorize(request, answer);
    cluster.api.text = ({ path }) => Promise.resolve(`log of ${path}`);
    const open = (from: FakeCluster) =>
      withActions(runtimeOf({ ...each, cluster: from }, archive, keys, person), { keys, audit, archive });
    runtimes.set(name, { connected: open(cluster), unidentified: open(unreached(name)) });
  }

  Object.assign(running.edge, { identity: fixedIdentity(() => person) });
  Object.assign(running.shared, { audit });
  Object.assign(running, {
    hub: new StreamHub('epoch'),
    archiveKeeper: { isTried: true },
    support: { accepts: () => false },
  });
  const serve = createRouter(() => Promise.resolve(running));

  return {
    places,
    archive,
    clusters: several.clusters,
    person: personAs(person),
    running,
    serve,
    /** Configures the clusters, and gives the person these rights. */
    async arrange(next: RightsScenario): Promise<void> {
      scenario = next;
      Object.assign(running, {
        clusters: await configured(runtimes, next),
        configuration: { problem: null, gap: next.hasGap ? 'A file is missing.' : null },
      });
    },
  };
}
/** One of a cluster that answers, and one of the same entry before it ever has. */
interface Runtimes {
  connected: ClusterRuntime;
  unidentified: ClusterRuntime;
}

function withActions(
  runtime: ClusterRuntime,
  { keys, audit, archive }: { keys: Keys; audit: Audit; archive: TestArchive },
): ClusterRuntime {
  const { cluster } = runtime;
  const options = { cluster, keys, audit, log: silentLogger, archive: () => archive };
  const actions = createActions({ ...options, now: () => recordsNowMs });
  return { ...runtime, actions } as ClusterRuntime;
}

export type RightsWorld = Awaited<ReturnType<typeof rightsWorld>>;

function isAllowed(
  { rights, mayReadRemoved }: RightsScenario,
  places: readonly Place[],
  cluster: string,
  { verb, group, resource, namespace }: AccessQuestion,
): boolean {
  if (resource === 'archivedrecords') return mayReadRemoved && cluster === home;
  if (resource === 'signins') return false;
  const needed = neededRight(verb, group, resource);
  return places
    .filter(
      (place) => place.cluster === cluster && (namespace === undefined || place.namespace === namespace),
    )
    .every((place) => rights[keyOf(place)]?.includes(needed) === true);
}

function neededRight(verb: string, group: string, resource: string): NamespaceRight {
  if (group === 'shiplog.dev') return 'add';
  if (!['get', 'list', 'watch'].includes(verb)) return 'write';
  return resource === 'pods' || resource === 'events' ? resource : 'workloads';
}

/** As an API server: it refuses what the person may not do, whatever Shiplog has checked. */
function authorize({ method, path }: KubeRequest, answer: (question: AccessQuestion) => AccessAnswer): void {
  const [, group = '', namespace = '', resource = '', name] =
    /^\/(?:api|apis\/([^/]+))\/[^/]+\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?/.exec(path) ?? [];
  const verbs = { GET: name === undefined ? 'list' : 'get', PATCH: 'patch', DELETE: 'delete' } as const;
  const verb = verbs[method as keyof typeof verbs] ?? 'create';
  if (!answer({ verb, group, resource, namespace }).allowed)
    throw apiError(403, 'Forbidden', `the user can not ${verb} ${resource} in ${namespace}`);
}

async function configured(
  runtimes: ReadonlyMap<string, Runtimes>,
  { states }: RightsScenario,
): Promise<Clusters> {
  const present = [...runtimes].filter(([name]) => states[name] !== 'removed');
  const clusters = new Clusters({
    isListed: true,
    start: () => undefined,
    onChange: () => undefined,
    log: silentLogger,
    open: ({ name }) => {
      const made = runtimes.get(name);
      if (made === undefined || states[name] === 'refused')
        return Promise.reject(new ConfigError(['Its credential has expired.']));
      return Promise.resolve(states[name] === 'unidentified' ? made.unidentified : made.connected);
    },
  });
  await clusters.apply(present.map(([, { connected }]) => connected.entry));
  return clusters;
}

/** At an address that was never reached. */
function unreached(name: string): FakeCluster {
  const cluster = new FakeCluster();
  const server = `https://new.${name}.example`;
  cluster.identity = { id: server, name, server, version: null, isGuessed: true };
  cluster.connection = { state: 'unreachable', message: 'No route to host.', observedAt: null, since: 0 };
  cluster.ready = false;
  cluster.access.can = () => Promise.reject(new AppError('cluster_unreachable', 'No route to host.'));
  return cluster;
}
