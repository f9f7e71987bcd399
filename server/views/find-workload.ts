import 'server-only';
import { AppError } from '@/lib/errors';
import type { RevisionHistory, Revision } from '@/lib/history/revision';
import type { WorkloadKind } from '@/lib/workloads/kind';
import { kindLabel } from '@/lib/kube/resource';
import type { Workload } from '@/lib/history/workload';
import type { Cluster } from '@/server/cluster/cluster';
import type { ReadContext } from '@/server/views/context';
import { assertCan } from '@/server/views/rights';
import { readRights } from '@/server/views/view-rights';
import type { WorkloadView } from '@/server/views/workload-view';
import type { Viewer } from '@/server/shared/viewer';

/** How callers name a workload. */
export interface WorkloadName {
  resource: string;
  namespace: string;
  name: string;
}

/** The kind of a resource id; 404 with the known ones otherwise. */
export function requireKind({ cache }: Pick<Cluster, 'cache'>, resource: string): WorkloadKind {
  const kind = cache.kindOf(resource);
  if (kind !== undefined) return kind;
  const known = cache
    .kinds()
    .map((entry) => entry.resource.id)
    .join(', ');
  throw new AppError('not_found', `Unknown workload resource: ${resource}. Supported: ${known}.`);
}

/**
 * The workload, if the viewer can see it: 403 without the right, 404 when it does not exist, 503 before the first list.
 */
export async function findWorkload(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadName,
): Promise<WorkloadView> {
  const kind = requireKind(context.cluster, ref.resource);
  const { cluster } = context;
  await assertCan(cluster, viewer, 'get', kind.resource, ref.namespace, { name: ref.name });
  const workload = cluster.cache.workload(ref.resource, ref.namespace, ref.name);
  if (workload !== undefined)
    return context.views.viewFor(workload, await readRights(cluster, viewer, ref.namespace));
  throw missingWorkload(context, kind, ref);
}

/** Why there is no such workload, or why that is unknown. */
export function missingWorkload({ cluster }: ReadContext, kind: WorkloadKind, ref: WorkloadName): AppError {
  const state = cluster.cache.states(ref.namespace).find((entry) => entry.resource === kind.resource.id);
  if (state !== undefined && !state.synced) {
    const why = state.problem ?? cluster.connection.message ?? 'the first list is in progress';
    return new AppError(
      'cluster_unreachable',
      `Shiplog has not listed ${kind.resource.plural} yet: ${why.replace(/\.$/, '')}. Shiplog retries automatically.`,
    );
  }
  if (state?.problem != null) {
    return new AppError(
      'forbidden',
      `It is unknown whether ${kindLabel(kind.resource)} ${ref.namespace}/${ref.name} exists: ${state.problem}`,
      { ...ref },
    );
  }
  if (state?.behind !== undefined) {
    return new AppError(
      'cluster_unreachable',
      `It is unknown whether ${kindLabel(kind.resource)} ${ref.namespace}/${ref.name} exists: ${state.behind.reason} Shiplog retries automatically.`,
      { ...ref },
    );
  }
  return new AppError(
    'not_found',
    `${kindLabel(kind.resource)} ${ref.namespace}/${ref.name} was not found. It may have been deleted or renamed.`,
    { ...ref },
  );
}

/**
 * A revision by id or by number. An id wins; a number that several revisions share is 409 with the candidates. Former
 * numbers do not resolve: the error names the current number.
 */
export function findRevision(history: RevisionHistory, workload: Workload, ref: string): Revision {
  const byId = history.revisions.find((revision) => revision.id === ref);
  if (byId !== undefined) return byId;
  const number = /^\d{1,15}$/.test(ref) ? Number(ref) : undefined;
  const matches = history.revisions.filter((revision) => revision.number === number);
  const [match] = matches;
  if (number !== undefined && match !== undefined && matches.length === 1) return match;
  if (number !== undefined && matches.length > 1) {
    throw new AppError(
      'ambiguous',
      `${matches.length} revisions of ${workload.name} have the number ${ref}. Use an id instead.`,
      { candidates: matches.map(({ id, name }) => ({ id, name, number })) },
    );
  }
  const moved = history.revisions.find(
    (revision) => number !== undefined && revision.alsoNumbers.includes(number),
  );
  if (moved !== undefined) throw renumbered(ref, moved);
  throw new AppError(
    'not_found',
    `${workload.name} has no revision ${ref}. It may have been pruned by the history limit.`,
    { revision: ref },
  );
}

/** The error for a number that has moved, the same for every viewer and source. */
export function renumbered(
  ref: string,
  { id, number, name }: { id: string; number: number | null; name: string },
): AppError {
  const now = number ?? name;
  return new AppError('not_found', `Revision ${ref} was renumbered to ${now}. Use revision ${now}.`, {
    revision: ref,
    id,
    number,
    became: id,
  });
}
