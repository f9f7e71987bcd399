import 'server-only';
import type { ArchiveAnswer } from '@/lib/api/records';
import { AppError } from '@/lib/errors';
import type { RolloutRecord } from '@/lib/api/record';
import { typeOf } from '@/lib/kube/resource';
import type { ClusterNames } from '@/lib/view/report-text';
import type { Archive } from '@/server/archive/archive';
import type { ListedRecord } from '@/server/archive/records';
import { knownIdOf } from '@/server/views/connected-cluster';
import type { Cluster } from '@/server/cluster/cluster';
import type { SharedContext } from '@/server/views/context';
import type { Fleet, RecordPlace, ViewedCluster } from '@/server/views/fleet';
import { assertCan, can } from '@/server/views/rights';
import { type ViewRights, readRights } from '@/server/views/view-rights';
import type { PersonFacts, Viewer } from '@/server/shared/viewer';

/** The archive; throws `archive_unavailable` with the reason where this process has none yet, or none at all. */
export function requireArchive({ archive, archiveProblem }: SharedContext): Archive {
  if (archive != null) return archive;
  throw new AppError(
    'archive_unavailable',
    `Nothing is recorded. ${archiveProblem?.() ?? 'Shiplog has not opened its archive yet, or runs without one.'} Workloads and their revisions in the cluster are not affected.`,
  );
}

/** The size of the archive; how much of it the viewer can't see is not revealed. */
export async function archiveAnswer(fleet: Fleet): Promise<ArchiveAnswer> {
  const archive = requireArchive(fleet);
  const bytes = await archive.sizeBytes();
  return { engine: archive.engine, bytes, oldestAt: await oldestOf(archive, archivedIds(fleet)) };
}

/** The ids under which the archive has the clusters of an answer; one that was never reached has none. */
export function archivedIds({ clusters, removed }: Pick<Fleet, 'clusters' | 'removed'>): string[] {
  const known = clusters.flatMap(({ context }) => knownIdOf(context.cluster) ?? []);
  return [...known, ...removed.map(({ id }) => id)];
}

/** The cluster that has this id in the archive; undefined where it is not one of these. */
export function clusterById(clusters: readonly ViewedCluster[], id: string): ViewedCluster | undefined {
  return clusters.find(({ context }) => knownIdOf(context.cluster) === id);
}

/** The names of the clusters of an answer by their ids in the archive, for files; undefined where there is only one. */
export function clusterNames({ clusters, removed, isSeveral }: Fleet): ClusterNames | undefined {
  if (!isSeveral) return undefined;
  const names = new Map(removed.map(({ id, name }) => [id, name ?? id]));
  for (const { context, entry } of clusters) {
    const id = knownIdOf(context.cluster);
    if (id !== undefined) names.set(id, entry.name);
  }
  return names;
}

/** The start of the first rollout in these clusters; null where there is none. */
export async function oldestOf(archive: Archive, ids: readonly string[]): Promise<string | null> {
  const starts = await Promise.all(ids.map((id) => archive.rollouts.oldestAt(id)));
  return starts.filter((at) => at !== null).sort()[0] ?? null;
}

export interface SeenRecord {
  listed: ListedRecord;
  place: RecordPlace;
  /** As its cluster knows them. */
  viewer: PersonFacts;
}

/**
 * A record by its id: 404 for an unknown one or one of another cluster, 403 for one of a workload that the viewer can't
 * see, 503 while nothing tells who can see it.
 */
export async function requireRecord(fleet: Fleet, id: string): Promise<SeenRecord> {
  const listed = await requireArchive(fleet).rollouts.byId(id);
  if (listed === null) {
    throw new AppError(
      'not_found',
      `Record not found: ${JSON.stringify(id.slice(0, 200))}. Check that the link is complete.`,
    );
  }
  const { workload } = listed.record;
  const place = await fleet.placeOf(workload.cluster);
  await assertMayGet(place, workload);
  if (fleet.isNarrowed && !archivedIds(fleet).includes(workload.cluster))
    throw new AppError(
      'not_found',
      `This record is of another cluster, ${workload.cluster}, than the request names. Nothing was changed. Omit the parameters cluster and stage.`,
      { cluster: workload.cluster },
    );
  return { listed, place, viewer: place.state === 'connected' ? place.viewed.viewer : fleet.person };
}

async function assertMayGet(
  place: RecordPlace,
  { cluster, resource, namespace, name }: RolloutRecord['workload'],
): Promise<void> {
  if (place.state === 'unknown') throw place.error;
  if (place.state === 'connected') {
    const { context, viewer } = place.viewed;
    return assertCan(context.cluster, viewer, 'get', typeOf(resource), namespace, { name });
  }
  if (place.right.state === 'unknown') throw place.right.error;
  if (place.right.state === 'allowed') return;
  throw new AppError(
    'not_found',
    `This record is of a cluster that is no longer configured, ${cluster}. ${place.right.why}`,
    { cluster },
  );
}

/**
 * Decides which records of an answer the viewer can list, with one check for each cluster, resource and namespace: none
 * of a cluster that the answer is not about.
 */
export function recordRights(fleet: Fleet) {
  const shown = new Set(archivedIds(fleet));
  const answers = new Map<string, Promise<boolean>>();
  return (workload: RecordScopeOf): Promise<boolean> => {
    const { cluster, resource, namespace } = workload;
    if (!shown.has(cluster)) return Promise.resolve(false);
    const key = `${cluster} ${resource} ${namespace}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const access = fleet.placeOf(cluster).then((place) => canList(place, workload));
    answers.set(key, access);
    return access;
  };
}

/** What the viewer can see of the pods and events of each workload of an answer. */
export function recordViewRights({ placeOf }: Pick<Fleet, 'placeOf'>) {
  const known = new Map<string, Promise<ViewRights>>();
  return ({ cluster, namespace }: Pick<RecordScopeOf, 'cluster' | 'namespace'>): Promise<ViewRights> => {
    const key = `${cluster} ${namespace}`;
    const rights = known.get(key) ?? placeOf(cluster).then((place) => viewRightsAt(place, namespace));
    known.set(key, rights);
    return rights;
  };
}

async function viewRightsAt(place: RecordPlace, namespace: string): Promise<ViewRights> {
  switch (place.state) {
    case 'connected':
      return readRights(place.viewed.context.cluster, place.viewed.viewer, namespace);
    case 'removed':
      return { pods: place.right, events: place.right };
    case 'unknown':
      return { pods: place, events: place };
  }
}

/** What of a workload decides who can see its records. */
export type RecordScopeOf = Pick<RolloutRecord['workload'], 'cluster' | 'resource' | 'namespace'>;

function canList(place: RecordPlace, { resource, namespace }: RecordScopeOf): Promise<boolean> {
  return canAt(place, (cluster, viewer) => can(cluster, viewer, 'list', typeOf(resource), namespace));
}

/** Whether the viewer can see the templates of a workload: that is a right to the objects that carry its revisions. */
export function canReadTemplates(
  place: RecordPlace,
  { resource, namespace }: Pick<RecordScopeOf, 'resource' | 'namespace'>,
): Promise<boolean> {
  return canAt(place, (cluster, viewer) => {
    const source = cluster.cache.kindOf(resource)?.source.resource ?? typeOf(resource);
    return can(cluster, viewer, 'get', source, namespace);
  });
}

/** Whether the viewer can see something of records: a connected cluster is asked; who can see a removed one sees all. */
export async function canAt(
  place: RecordPlace,
  ask: (cluster: Cluster, viewer: Viewer) => Promise<boolean>,
): Promise<boolean> {
  switch (place.state) {
    case 'connected':
      return ask(place.viewed.context.cluster, place.viewed.viewer);
    case 'removed':
      return place.right.state === 'allowed';
    case 'unknown':
      return false;
  }
}
