import 'server-only';
import { AppError } from '@/lib/errors';
import { type History } from '@/lib/history/revision';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type HistoryInput, type WorkloadKind } from '@/lib/workloads/kind';
import { kindLabel } from '@/lib/workloads/resource';
import { templateOfObject } from '@/lib/workloads/template-place';
import { type Workload } from '@/lib/workloads/workload';
import { type ActionsContext } from '@/server/actions/context';
import { type PresentHolder } from '@/server/actions/holder';
import { requireKind, type WorkloadRef } from '@/server/reads/find';
import { seenOfWorkload } from '@/server/reads/seen';
import { type Viewer } from '@/server/viewer';

/** A workload as it is at this moment, read as the viewer; its history is the cache's, judged by the fresh workload. */
export interface Present {
  kind: WorkloadKind;
  object: KubeObject;
  workload: Workload;
  /** The template, every number as the API server wrote it. */
  template: JsonObject;
  input: HistoryInput;
  history: History;
  /** Stands for uid and template, as the viewer's own copy of it does. */
  seen: string;
  /** Where another object holds the template, and it has been read. */
  holder?: PresentHolder;
}

export async function readPresent(
  { cluster, keys }: ActionsContext,
  viewer: Viewer,
  ref: WorkloadRef,
): Promise<Present> {
  const kind = requireKind(cluster, ref.resource);
  refuseStandIn({ cluster }, kind, ref);
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
    parts: cluster.cache.partsOf(summary),
  };
  const history = kind.history(input);
  return {
    kind,
    object,
    workload: summary,
    template,
    input,
    history,
    seen: seenOfWorkload(keys, cluster.identity.id, { kind, workload: summary, history }),
  };
}

/** There is no object to write to. */
function refuseStandIn(
  { cluster: { cache } }: Pick<ActionsContext, 'cluster'>,
  kind: WorkloadKind,
  { resource, namespace, name }: WorkloadRef,
): void {
  const workload = cache.workload(resource, namespace, name);
  if (workload?.standIn === undefined) return;
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
