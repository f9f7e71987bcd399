import 'server-only';
import { AppError } from '@/lib/errors';
import { systemOf, rolloutSystems } from '@/lib/rollout/systems/table';
import type { ResourceType } from '@/lib/kube/resource';
import { knownIdOf } from '@/server/views/connected-cluster';
import type { Fleet, ViewedCluster } from '@/server/views/fleet';
import { overClusters } from '@/server/views/over-clusters';
import type { MaskedPartial } from '@/server/views/partial';
import { queryArchive } from '@/server/views/query-archive';
import { can } from '@/server/views/rights';

/** An object as a path names it; that of a RolloutHistory has no resource. */
export interface ObjectRef {
  resource?: string;
  namespace: string;
  name: string;
  /** Of an earlier incarnation. */
  uid?: string | undefined;
}

/**
 * Which of several clusters has the object, as far as the viewer can see it; one that was deleted is found in the
 * archive. Throws AppError `ambiguous` with the candidates where several have it, `not_found` where none has, and
 * `cluster_unreachable` where one that does not answer may have it.
 */
export async function findClusterOf(fleet: Fleet, ref: ObjectRef): Promise<ViewedCluster> {
  const { found, partial } = await clustersWith(fleet, ref, exists);
  if (found.length > 0) return onlyOf(found, ref);
  const { found: archived } = await clustersWith(fleet, ref, (viewed) => wasRecorded(viewed, ref));
  if (archived.length > 0) return onlyOf(archived, ref);
  throw missing(fleet, ref, partial);
}

/** The error for a request that names none of several clusters. */
export function ambiguousCluster(what: string, candidates: readonly ViewedCluster[]): AppError {
  const names = candidates.map(({ entry }) => entry.name);
  return new AppError(
    'ambiguous',
    `${what} is in ${names.length} clusters: ${names.join(', ')}. Name one with ?cluster=.`,
    {
      candidates: candidates.map(({ entry: { name, title, stage }, context }) => ({
        cluster: name,
        id: context.cluster.identity.id,
        title,
        stage,
      })),
    },
  );
}

function onlyOf(candidates: readonly ViewedCluster[], ref: ObjectRef): ViewedCluster {
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return only;
  throw ambiguousCluster(nameOf(ref), candidates);
}

async function clustersWith(
  fleet: Fleet,
  ref: ObjectRef,
  has: (viewed: ViewedCluster, ref: ObjectRef) => boolean | Promise<boolean>,
): Promise<{ found: ViewedCluster[]; partial: MaskedPartial[] }> {
  const { answers, partial } = await overClusters(
    fleet,
    async (viewed) => (await has(viewed, ref)) && (await canGet(viewed, ref)),
  );
  return { found: answers.flatMap(({ viewed, value }) => (value ? [viewed] : [])), partial };
}

function exists(
  { context: { cluster } }: ViewedCluster,
  { resource, namespace, name, uid }: ObjectRef,
): boolean {
  if (resource === undefined)
    return recordTypes.some(({ id }) => cluster.rollouts.record(id, namespace, name) !== undefined);
  const workload = cluster.cache.workload(resource, namespace, name);
  if (uid !== undefined) return workload?.uid === uid;
  return workload !== undefined || cluster.rollouts.rollout(resource, namespace, name) !== undefined;
}

async function wasRecorded({ context }: ViewedCluster, ref: ObjectRef): Promise<boolean> {
  const { resource, namespace, name, uid } = ref;
  const id = knownIdOf(context.cluster);
  if (resource === undefined || id === undefined) return false;
  const { answer } = await queryArchive(context, [], ({ workloads }) =>
    workloads.incarnations(id, resource, namespace, name),
  );
  return answer.some((incarnation) => uid === undefined || incarnation.uid === uid);
}

async function canGet(
  { context: { cluster }, viewer }: ViewedCluster,
  { resource, namespace, name }: ObjectRef,
): Promise<boolean> {
  const type =
    resource === undefined
      ? recordTypes[0]
      : (cluster.cache.kindOf(resource)?.resource ?? systemOf(resource)?.resource);
  return type !== undefined && can(cluster, viewer, 'get', type, namespace, { name });
}

/** Of the objects that rollout systems write to record rollouts. */
const recordTypes: readonly ResourceType[] = rolloutSystems.flatMap(({ records }) => records?.resource ?? []);

function missing({ clusters }: Fleet, ref: ObjectRef, partial: readonly MaskedPartial[]): AppError {
  const [away] = partial;
  if (away === undefined)
    return new AppError('not_found', `${nameOf(ref)} was not found in any of ${clusters.length} clusters.`, {
      ...ref,
    });
  const names = partial.map(({ cluster = '' }) => cluster).join(', ');
  return new AppError(
    'cluster_unreachable',
    `${nameOf(ref)} was not found in the clusters that answer. It is unknown whether it is in ${names}. ${away.reason}`,
    { ...ref, clusters: partial.map(({ cluster }) => cluster) },
  );
}

function nameOf({ resource = 'RolloutHistory', namespace, name }: ObjectRef): string {
  return `${resource} ${namespace === '-' ? name : `${namespace}/${name}`}`;
}
