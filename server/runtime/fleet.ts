import 'server-only';
import { type clusterListSchema } from '@/lib/api/cluster';
import { type Answer } from '@/lib/api/common';
import { type ArchivedCluster } from '@/lib/api/archived-cluster';
import { AppError } from '@/lib/errors';
import { isoTime } from '@/lib/format/time';
import { commaSet } from '@/server/reads/list-query';
import { type Fleet, type SharedContext } from '@/server/reads/context';
import { can } from '@/server/reads/rights';
import { acceptDenial } from '@/server/runtime/accept-cluster';
import { type ClusterConfiguration } from '@/server/runtime/cluster-configuration';
import { type Clusters, type RefusedCluster } from '@/server/runtime/clusters';
import { type Config } from '@/server/shared/config';
import { type Person } from '@/server/shared/viewer';

/** The parameters of a list that choose clusters. */
interface ClusterFilter {
  cluster?: string | undefined;
  stage?: string | undefined;
}

/**
 * The clusters that a list is about, as the viewer sees them: all that are configured, without a filter. Throws AppError
 * `bad_request` for the name of one, or a stage, that is not known.
 */
export async function fleetOf(
  clusters: Clusters,
  shared: SharedContext,
  person: Person,
  { cluster, stage }: ClusterFilter,
): Promise<Fleet> {
  const names = commaSet(cluster);
  const stages = parseStages(clusters, stage);
  const mayReadRemoved = () => canReadRemoved(clusters, person);
  const chosen = [...(names ?? [])].map((name) => ({ name, runtime: clusters.find(name) }));
  const unknown = chosen.flatMap(({ name, runtime }) => (runtime === undefined ? [name] : []));
  const removed =
    unknown.length > 0 && (await mayReadRemoved()) ? await removedClusters(clusters, shared) : [];
  return {
    ...shared,
    clusters: clusters.all
      .filter((each) => names === null || chosen.some(({ runtime }) => runtime === each))
      .filter(({ entry }) => stages === null || (entry.stage !== null && stages.has(entry.stage)))
      .map((each) => each.viewedBy(person)),
    person,
    isSeveral: clusters.isSeveral,
    mayReadRemoved,
    mayReadSignIns: () => mayAtHome(clusters, person, 'list', 'signins'),
    removed: unknown.map((name) => {
      const found = removed.find((each) => each.id === name || each.name === name);
      if (found === undefined) throw clusters.unknown(name);
      return found;
    }),
  };
}

/** Parts of the running server. */
export interface ClusterListSources {
  clusters: Clusters;
  configuration: Pick<ClusterConfiguration, 'problem'>;
  config: Pick<Config, 'readOnly' | 'sandbox'>;
  shared: SharedContext;
}

/** Every cluster with its state. */
export async function listClusters(
  { clusters, configuration, config, shared }: ClusterListSources,
  person: Person,
): Promise<Answer<typeof clusterListSchema>> {
  const { problem } = configuration;
  const archived = clusters.isListed ? await removedClusters(clusters, shared) : [];
  const removed = archived.length > 0 && (await canReadRemoved(clusters, person)) ? archived : [];
  const isAnyRefused = clusters.refused.some(({ refusal }) => refusal !== null);
  const denied = isAnyRefused ? await acceptDenial(clusters, person) : null;
  return {
    items: [
      ...clusters.all.map((each) => each.itemFor(person, clusters.movedOf(each.entry))),
      ...clusters.refused.map((refused) => refusedItem(refused, denied, shared, person)),
    ],
    readOnly: config.readOnly,
    sandbox: config.sandbox,
    recording: shared.archive != null,
    removed: removed.map(({ id, name, lastSeenAt }) => ({ id, name, lastSeenAt })),
    problem:
      problem === null
        ? null
        : { reason: shared.keys.mask.text(problem.reason), since: isoTime(problem.since) },
  };
}

/** A cluster that is configured and not read. */
function refusedItem(
  { entry, reason, since, refusal }: RefusedCluster,
  acceptDenied: string | null,
  { keys, archive }: SharedContext,
  person: Person,
): Answer<typeof clusterListSchema>['items'][number] {
  const { mask } = keys;
  const message = mask.text(reason);
  const at = isoTime(since);
  return {
    id: entry.id ?? '',
    name: entry.name,
    title: entry.title,
    stage: entry.stage,
    credential: 'none',
    server: mask.text(''),
    version: null,
    viewer: { id: person.id, name: mask.text(person.name) },
    readOnly: entry.readOnly,
    sandbox: false,
    recording: archive != null,
    controllers: [],
    namespaces: entry.namespaces.length === 0 ? null : entry.namespaces,
    ready: false,
    partial: [],
    resources: [],
    objects: 0,
    templateBytes: 0,
    observedAt: null,
    state: 'unreachable',
    since: at,
    message,
    recorder: { state: 'interrupted', since: at, reason: message },
    moved: null,
    refusal,
    acceptDenied: mask.text(refusal === null ? null : acceptDenied),
  };
}

/**
 * Whether the person sees records of clusters that are no longer configured, which no longer decide it: with `get` on
 * `archivedrecords.shiplog.dev` in the cluster that Shiplog runs in. False while that is unknown.
 */
async function canReadRemoved(clusters: Clusters, person: Person): Promise<boolean> {
  return clusters.isListed && mayAtHome(clusters, person, 'get', 'archivedrecords');
}

/**
 * Whether the person has a right on a resource of `shiplog.dev` in the cluster that Shiplog runs in. False while that is
 * unknown.
 */
async function mayAtHome({ all }: Clusters, person: Person, verb: string, plural: string): Promise<boolean> {
  if (person.isProcess) return true;
  const home = all.find(({ entry }) => entry.source.kind === 'in_cluster');
  if (home === undefined) return false;
  const right = { group: 'shiplog.dev', plural };
  return can(home.cluster, home.viewerOf(person), verb, right).catch(() => false);
}

/** Those of the archive that are not configured any more; none while the archive can't be read. */
async function removedClusters(clusters: Clusters, { archive }: SharedContext): Promise<ArchivedCluster[]> {
  const known = (await archive?.clusters.list().catch(() => [])) ?? [];
  const isConfigured = (id: string) => clusters.find(id) !== undefined;
  return known.filter(({ id, aliases }) => ![id, ...aliases].some(isConfigured));
}

function parseStages({ all }: Clusters, text: string | undefined): ReadonlySet<string> | null {
  const stages = commaSet(text);
  const known = new Set(all.flatMap(({ entry }) => entry.stage ?? []));
  for (const stage of stages ?? []) {
    if (known.has(stage)) continue;
    const names = known.size === 0 ? 'none' : [...known].join(', ');
    throw new AppError(
      'bad_request',
      `stage: No cluster has the stage ${JSON.stringify(stage)}. Known: ${names}.`,
      {
        field: 'stage',
      },
    );
  }
  return stages;
}
