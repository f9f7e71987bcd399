import 'server-only';
import type { clusterListSchema } from '@/lib/api/cluster';
import type { Answer } from '@/lib/api/common';
import type { ArchivedCluster } from '@/lib/api/archived-cluster';
import { AppError } from '@/lib/errors';
import { isoTime } from '@/lib/format/time';
import { commaSet } from '@/server/reads/list-query';
import type { SharedContext } from '@/server/views/context';
import type { Fleet } from '@/server/views/fleet';
import { filterAllowed, refusalOf } from '@/server/views/rights';
import { rightToAccept } from '@/server/runtime/accept-cluster';
import type { ClusterConfiguration } from '@/server/runtime/cluster-configuration';
import type { Clusters, RefusedCluster } from '@/server/runtime/clusters';
import { type PlaceSources, RecordPlaces } from '@/server/runtime/record-places';
import { rightAtHome } from '@/server/runtime/right-at-home';
import type { Config } from '@/server/shared/config';
import type { Person } from '@/server/shared/viewer';

/** The parameters of a list that choose clusters. */
interface ClusterFilter {
  cluster?: string | undefined;
  stage?: string | undefined;
}

/**
 * The clusters that a list is about, as the viewer sees them: all that are configured, without a filter. Throws AppError
 * `bad_request` for the name of one, or a stage, that is not known, and `cluster_unreachable` where that is undecided.
 */
export async function fleetOf(
  sources: PlaceSources,
  person: Person,
  { cluster, stage }: ClusterFilter,
): Promise<Fleet> {
  const { clusters, shared } = sources;
  const names = commaSet(cluster);
  const stages = parseStages(clusters, stage);
  const places = new RecordPlaces(sources, person);
  const chosen = [...(names ?? [])].map((name) => ({ name, runtime: clusters.find(name) }));
  const notRead = chosen.flatMap(({ name, runtime }) => (runtime === undefined ? [name] : []));
  return {
    ...shared,
    clusters: clusters.all
      .filter((each) => names === null || chosen.some(({ runtime }) => runtime === each))
      .filter(({ entry }) => stages === null || (entry.stage !== null && stages.has(entry.stage)))
      .map((each) => each.viewedBy(person)),
    person,
    isSeveral: clusters.isSeveral,
    isNarrowed: names !== null || stages !== null,
    placeOf: (id) => places.of(id),
    rightToSignIns: () => rightAtHome(clusters, person, 'list', 'signins'),
    removed: await Promise.all(notRead.map((name) => removedNamed(clusters, places, name))),
  };
}

/** The removed cluster with this name or id, if the viewer can see its records; throws otherwise. */
async function removedNamed(
  clusters: Clusters,
  places: RecordPlaces,
  name: string,
): Promise<ArchivedCluster> {
  const archived = await places.archived();
  for (const cluster of archived.filter((each) => each.id === name || each.name === name)) {
    const place = await places.of(cluster.id);
    if (place.state === 'unknown') throw place.error;
    if (place.state === 'connected') continue;
    if (place.right.state === 'unknown') throw place.right.error;
    if (place.right.state === 'allowed') return cluster;
  }
  throw clusters.unknown(name);
}

/** Parts of the running server. */
export interface ClusterListSources extends PlaceSources {
  configuration: Pick<ClusterConfiguration, 'problem' | 'gap'>;
  config: Pick<Config, 'readOnly' | 'sandbox'>;
}

/** Every cluster with its state. */
export async function listClusters(
  sources: ClusterListSources,
  person: Person,
): Promise<Answer<typeof clusterListSchema>> {
  const { clusters, config, shared } = sources;
  const { problem } = sources.configuration;
  const removed = clusters.isListed ? await visibleRemoved(sources, person) : [];
  const isAnyRefused = clusters.refused.some(({ refusal }) => refusal !== null);
  const denied = isAnyRefused ? refusalOf(await rightToAccept(clusters, person)) : null;
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
  { entry, reason, since, refusal, server }: RefusedCluster,
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
    server: mask.text(server ?? ''),
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

/** Those whose records the person can see; none while the archive can't be read, or nothing tells what is removed. */
async function visibleRemoved(sources: PlaceSources, person: Person): Promise<ArchivedCluster[]> {
  const places = new RecordPlaces(sources, person);
  const archived = await places.archived().catch(() => []);
  return filterAllowed(archived, async ({ id }) => {
    const place = await places.of(id);
    return place.state === 'removed' && place.right.state === 'allowed';
  });
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
