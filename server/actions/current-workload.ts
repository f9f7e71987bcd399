import 'server-only';
import { AppError } from '@/lib/errors';
import { type RevisionHistory } from '@/lib/history/revision';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type HistoryInput, type WorkloadKind } from '@/lib/workloads/kind';
import { kindLabel } from '@/lib/kube/resource';
import { templateOfObject } from '@/lib/workloads/template-location';
import { type Workload } from '@/lib/history/workload';
import { type ActionsContext } from '@/server/actions/context';
import { requireKind, type WorkloadRef } from '@/server/reads/find-workload';
import { workloadPreconditionToken } from '@/server/reads/precondition-token';
import { type Viewer } from '@/server/shared/viewer';
import { type TemplateOwnerReading } from '@/lib/workloads/template-owner';

/** The current workload, read as the viewer; its history is the cache's, assessed by the fresh workload. */
export interface CurrentWorkload {
  kind: WorkloadKind;
  object: KubeObject;
  workload: Workload;
  /** The template, every number as the API server wrote it. */
  template: JsonObject;
  input: HistoryInput;
  history: RevisionHistory;
  /** Identifies uid and template, as in the viewer's own copy. */
  preconditionToken: string;
  /** Where another object has the template, and it has been read. */
  templateOwner?: TemplateOwnerState;
}

export async function readCurrentWorkload(
  { cluster, keys }: ActionsContext,
  viewer: Viewer,
  ref: WorkloadRef,
): Promise<CurrentWorkload> {
  const kind = requireKind(cluster, ref.resource);
  refusePlaceholder({ cluster }, kind, ref);
  const { object, summary } = await cluster.readWorkload(viewer, kind, ref.namespace, ref.name);
  assertWatched({ cluster }, kind, summary);
  const template = templateOfObject(kind, object);
  if (template === undefined) {
    throw new AppError('cluster_error', `The API server gave ${ref.name} without a template.`, {
      ...ref,
    });
  }
  const input: HistoryInput = {
    workload: summary,
    sources: cluster.cache.sourcesOf(summary),
    orphans: cluster.cache.orphansOf(summary),
    pods: cluster.cache.podsOf(summary),
    children: cluster.cache.childrenOf(summary),
  };
  const history = kind.history(input);
  return {
    kind,
    object,
    workload: summary,
    template,
    input,
    history,
    preconditionToken: workloadPreconditionToken(keys, cluster.identity.id, {
      kind,
      workload: summary,
      history,
    }),
  };
}

/** There is no object to write to. */
function refusePlaceholder(
  { cluster: { cache } }: Pick<ActionsContext, 'cluster'>,
  kind: WorkloadKind,
  { resource, namespace, name }: WorkloadRef,
): void {
  const workload = cache.workload(resource, namespace, name);
  if (workload?.placeholder === undefined) return;
  const input = { workload, sources: cache.sourcesOf(workload), orphans: [], pods: cache.podsOf(workload) };
  const { sentence } = kind.status({ ...input, history: kind.history(input) });
  throw new AppError('refused', `There is nothing to write to. ${sentence}`, { resource, namespace, name });
}

/** Without the cache there is no history to act on, and nothing to follow the action by. */
function assertWatched(
  { cluster }: Pick<ActionsContext, 'cluster'>,
  kind: WorkloadKind,
  { namespace, name, uid }: Workload,
): void {
  const missing = [kind.resource.id, kind.source.resource.id]
    .map((id) => cluster.cache.states(namespace).find(({ resource }) => resource === id))
    .find((state) => state?.synced === false || state?.problem != null || state?.behind !== undefined);
  if (missing !== undefined) {
    throw new AppError(
      'cluster_unreachable',
      missing.behind === undefined
        ? `Shiplog has not read ${missing.resource} yet: ${missing.problem ?? 'the first list is still on its way'}. Nothing was done.`
        : `Shiplog can't follow ${missing.resource} at present: ${missing.behind.reason} Nothing was done.`,
      { resource: missing.resource },
    );
  }
  if (cluster.cache.workload(kind.resource.id, namespace, name)?.uid === uid) return;
  throw new AppError(
    'conflict',
    `${kindLabel(kind.resource)} ${name} is there, but Shiplog has not seen it so far: it is new, or its namespace is not watched. Try again in a moment.`,
    { resource: kind.resource.id, namespace, name },
  );
}
/** The current object that has the template. */

export type TemplateOwnerState = TemplateOwnerReading & { object?: KubeObject };
