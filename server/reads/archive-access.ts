import 'server-only';
import { type ArchiveAnswer } from '@/lib/api/records';
import { AppError } from '@/lib/errors';
import { type RolloutRecord } from '@/lib/api/record';
import { type ResourceType } from '@/lib/kube/resource';
import { type ClusterNames } from '@/lib/view/report-text';
import { type Archive } from '@/server/archive/archive';
import { type ListedRecord } from '@/server/archive/records';
import { assertConnected, knownIdOf } from '@/server/reads/connected-cluster';
import { type Fleet, type SharedContext, type ViewedCluster } from '@/server/reads/context';
import { assertCan, can } from '@/server/reads/rights';
import { type PersonFacts } from '@/server/shared/viewer';

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
  /** Its cluster; null where that is no longer configured. */
  viewed: ViewedCluster | null;
  /** As its cluster knows them. */
  viewer: PersonFacts;
}

/**
 * A record by its id: 404 for an unknown one or one of another cluster, 403 for one of a workload that the viewer can't
 * see.
 */
export async function requireRecord(fleet: Fleet, id: string): Promise<SeenRecord> {
  const listed = await requireArchive(fleet).rollouts.byId(id);
  if (listed === null) {
    throw new AppError(
      'not_found',
      `Record not found: ${JSON.stringify(id.slice(0, 200))}. Records are never deleted, so the link is probably incomplete.`,
    );
  }
  const { workload } = listed.record;
  const viewed = await clusterOfRecord(fleet, workload.cluster);
  if (viewed !== null)
    await assertCan(
      viewed.context.cluster,
      viewed.viewer,
      'get',
      typeOf(workload.resource),
      workload.namespace,
      {
        name: workload.name,
      },
    );
  return { listed, viewed, viewer: viewed?.viewer ?? fleet.person };
}

/** Null for one that is no longer configured, where the viewer can see its records; else throws. */
async function clusterOfRecord(
  { clusters, mayReadRemoved }: Fleet,
  id: string,
): Promise<ViewedCluster | null> {
  const viewed = clusterById(clusters, id);
  if (viewed !== undefined) return viewed;
  if (await mayReadRemoved()) return null;
  const [first] = clusters;
  if (first !== undefined) assertConnected(first.context.cluster, id, 'This record');
  throw new AppError('not_found', `This record is of another cluster, ${id}.`, { cluster: id });
}

/** Decides which records the viewer can list, with one check for each cluster, resource and namespace. */
export function recordRights({ clusters, removed }: Pick<Fleet, 'clusters' | 'removed'>) {
  const byId = new Map(clusters.map((viewed) => [knownIdOf(viewed.context.cluster), viewed]));
  const removedIds = new Set(removed.map(({ id }) => id));
  const answers = new Map<string, Promise<boolean>>();
  return (
    workload: Pick<RolloutRecord['workload'], 'cluster' | 'resource' | 'namespace'>,
  ): Promise<boolean> => {
    const { cluster, resource, namespace } = workload;
    if (removedIds.has(cluster)) return Promise.resolve(true);
    const viewed = byId.get(cluster);
    if (viewed === undefined) return Promise.resolve(false);
    const key = `${cluster} ${resource} ${namespace}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const access = can(viewed.context.cluster, viewed.viewer, 'list', typeOf(resource), namespace);
    answers.set(key, access);
    return access;
  };
}

/** Whether the viewer can see the templates of a workload: that is a right to the objects that carry its revisions. */
export async function canReadTemplates(
  viewed: ViewedCluster | null,
  { resource, namespace }: Pick<RolloutRecord['workload'], 'resource' | 'namespace'>,
): Promise<boolean> {
  if (viewed === null) return true;
  const { context, viewer } = viewed;
  const { cluster } = context;
  const source = cluster.cache.kindOf(resource)?.source.resource ?? typeOf(resource);
  return can(cluster, viewer, 'get', source, namespace);
}

/** `deployments.apps` as access reviews name it; also of kinds that this version does not know. */
export function typeOf(resource: string): Pick<ResourceType, 'group' | 'plural'> {
  const dot = resource.indexOf('.');
  return dot === -1
    ? { group: '', plural: resource }
    : { group: resource.slice(dot + 1), plural: resource.slice(0, dot) };
}
