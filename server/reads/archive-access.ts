import 'server-only';
import { type ArchiveAnswer } from '@/lib/api/records';
import { AppError } from '@/lib/errors';
import { type RolloutRecord } from '@/lib/api/record';
import { type ResourceType } from '@/lib/kube/resource';
import { type Archive } from '@/server/archive/archive';
import { type ListedRecord } from '@/server/archive/records';
import { assertConnected } from '@/server/reads/connected-cluster';
import { type ReadContext } from '@/server/reads/context';
import { assertCan, can } from '@/server/reads/rights';
import { type Viewer } from '@/server/shared/viewer';

/** The archive; throws `archive_unavailable` with the reason where this process has none yet, or none at all. */
export function requireArchive({ archive, archiveProblem }: ReadContext): Archive {
  if (archive != null) return archive;
  throw new AppError(
    'archive_unavailable',
    `Nothing is recorded. ${archiveProblem?.() ?? 'Shiplog has not opened its archive yet, or runs without one.'} Workloads and their revisions in the cluster are not affected.`,
  );
}

/** The size of the archive; how much of it the viewer can't see is not revealed. */
export async function archiveAnswer(context: ReadContext): Promise<ArchiveAnswer> {
  const archive = requireArchive(context);
  const { identity } = context.cluster;
  const bytes = await archive.sizeBytes();
  const id = identity.isGuessed === true ? identity.formerId : identity.id;
  const oldestAt = id === undefined ? null : await archive.rollouts.oldestAt(id);
  return { engine: archive.engine, bytes, oldestAt };
}

/**
 * A record by its id: 404 for an unknown one or one of another cluster, 403 for one of a workload that the viewer can't
 * see.
 */
export async function requireRecord(context: ReadContext, viewer: Viewer, id: string): Promise<ListedRecord> {
  const listed = await requireArchive(context).rollouts.byId(id);
  if (listed === null) {
    throw new AppError(
      'not_found',
      `Record not found: ${JSON.stringify(id.slice(0, 200))}. Records are never deleted, so the link is probably incomplete.`,
    );
  }
  const { workload } = listed.record;
  assertConnected(context.cluster, workload.cluster, 'This record');
  await assertCan(context.cluster, viewer, 'get', typeOf(workload.resource), workload.namespace, {
    name: workload.name,
  });
  return listed;
}

/** Decides which records the viewer can list, with one check for each resource and namespace. */
export function recordRights({ cluster }: ReadContext, viewer: Viewer) {
  const answers = new Map<string, Promise<boolean>>();
  return (workload: Pick<RolloutRecord['workload'], 'resource' | 'namespace'>): Promise<boolean> => {
    const key = `${workload.resource}/${workload.namespace}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const access = can(cluster, viewer, 'list', typeOf(workload.resource), workload.namespace);
    answers.set(key, access);
    return access;
  };
}

/** Whether the viewer can see the templates of a workload: that is a right to the objects that carry its revisions. */
export async function canReadTemplates(
  { cluster }: ReadContext,
  viewer: Viewer,
  { resource, namespace }: Pick<RolloutRecord['workload'], 'resource' | 'namespace'>,
): Promise<boolean> {
  const source = cluster.cache.kindOf(resource)?.source.resource ?? typeOf(resource);
  return can(cluster, viewer, 'get', source, namespace);
}

/** `deployments.apps` as access reviews name it; also of kinds that this version does not know. */
function typeOf(resource: string): Pick<ResourceType, 'group' | 'plural'> {
  const dot = resource.indexOf('.');
  return dot === -1
    ? { group: '', plural: resource }
    : { group: resource.slice(dot + 1), plural: resource.slice(0, dot) };
}
