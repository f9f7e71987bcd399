import 'server-only';
import { AppError } from '@/lib/errors';
import type { RevisionHistory } from '@/lib/history/revision';
import { isEqualTemplate } from '@/lib/history/template-equality';
import type { Template, Workload } from '@/lib/history/workload';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { kindLabel } from '@/lib/kube/resource';
import { hasReferencedTemplate } from '@/lib/workloads/desired-template';
import type { HistoryInput, WorkloadKind, WriteFacts } from '@/lib/workloads/kind';
import { templateOfObject } from '@/lib/workloads/template-location';
import type { TemplateOwner, TemplateOwnerReading } from '@/lib/workloads/template-owner';
import type { ActionsContext } from '@/server/actions/context';
import { isUnreachable } from '@/server/cluster/api-errors';
import { factsOf, ingestWorkload, temporaryContext } from '@/server/cluster/ingest';
import { readObject } from '@/server/cluster/read-object';
import { requireKind, type WorkloadName } from '@/server/views/find-workload';
import { workloadPreconditionToken } from '@/server/views/precondition-token';
import { deriveOwnView, historyInputOf } from '@/server/views/workload-view';
import type { Viewer } from '@/server/shared/viewer';

/** The object that a patch of the workload goes to: it has the template. */
interface TemplateHolder {
  kind: Pick<WorkloadKind, 'resource' | 'template'>;
  object: KubeObject;
}

/** The current workload, read as the viewer; its history is the cache's, assessed by the fresh workload. */
export interface CurrentWorkload extends HistoryInput, WriteFacts {
  kind: WorkloadKind;
  /** The workload itself, unless another object has the template, and it has been read. */
  holder: TemplateHolder;
  /** Identifies uid and template, as in the viewer's own copy. */
  preconditionToken: string;
  /** Where another object has the template, and it has been read. */
  templateOwner?: TemplateOwnerReading;
}

/**
 * Reads the workload and derives its history, once. `withTemplateOwner`: with its desired template, whichever object
 * has it, as a rollback compares and writes it.
 */
export async function readCurrentWorkload(
  { context, viewer }: { context: ActionsContext; viewer: Viewer },
  ref: WorkloadName,
  { withTemplateOwner = false }: { withTemplateOwner?: boolean } = {},
): Promise<CurrentWorkload> {
  const { cluster, keys } = context;
  const { resource, namespace, name } = ref;
  const kind = requireKind(cluster, resource);
  refusePlaceholder(context, ref);
  const { object, summary } = await cluster.readWorkload(viewer, kind, namespace, name);
  assertWatched(context, kind, summary);
  const owner = withTemplateOwner ? (kind.template?.owner?.(summary) ?? null) : null;
  const read = owner === null ? null : await readTemplateOwner(context, viewer, owner);
  const holder = read?.holder ?? { kind, object };
  const currentTemplate = templateOfObject(holder.kind, holder.object);
  if (currentTemplate === undefined) {
    const details = { resource, namespace, name };
    throw new AppError('cluster_error', `The API server returned ${name} without a template.`, details);
  }
  const isOwn = holder.kind === kind;
  const workload = isOwn ? summary : withTemplate(summary, currentTemplate);
  const input = historyInputOf(cluster, workload);
  const history = kind.history(input);
  return {
    ...input,
    kind,
    holder,
    currentTemplate,
    history,
    preconditionToken: isOwn
      ? workloadPreconditionToken(keys, cluster.identity.id, { kind, workload, history })
      : keys.preconditionToken(cluster.identity.id, workload.uid, shownBodyId(workload, history)),
    ...(read && { templateOwner: read.reading }),
  };
}

/** The template in the answer to a write; undefined where the answer is not of the object that has it. */
export function templateIn(
  { kind, workload, holder }: CurrentWorkload,
  answer: JsonObject,
): JsonObject | undefined {
  const isElsewhere = holder.kind === kind && hasReferencedTemplate({ kind, workload });
  return isElsewhere ? undefined : templateOfObject(holder.kind, answer as unknown as KubeObject);
}

/** Reads the owner as the viewer; one that can't be read is reported by the plan. */
async function readTemplateOwner(
  { cluster }: ActionsContext,
  viewer: Viewer,
  owner: TemplateOwner,
): Promise<{ reading: TemplateOwnerReading; holder?: TemplateHolder }> {
  try {
    const object = await readObject(cluster, viewer, owner.resource, owner.version, owner);
    if (templateOfObject(owner, object) === undefined)
      return { reading: { state: 'unreadable', owner, reason: 'it has none.' } };
    const workload = ingestWorkload(owner, object, temporaryContext());
    return { reading: { state: 'found', owner, workload }, holder: { kind: owner, object } };
  } catch (error) {
    if (!(error instanceof AppError) || isUnreachable(error)) throw error;
    return { reading: { state: 'unreadable', owner, reason: error.message } };
  }
}

/** The workload as if the template were its own. */
function withTemplate(workload: Workload, template: Template): Workload {
  const { bodyId: _body, semanticId: _meaning, images: _images, ...others } = workload;
  const { restartedAt: _restart, templateCause: _cause, ...rest } = others;
  return Object.assign(factsOf(template), rest);
}

/** The viewer saw the revision that the controller created from the template; one without a revision is new. */
function shownBodyId(workload: Workload, { target }: RevisionHistory): string {
  return target !== null && isEqualTemplate(target.source, workload) ? target.source.bodyId : workload.bodyId;
}

/** There is no object to write to. */
function refusePlaceholder(
  { cluster, now }: ActionsContext,
  { resource, namespace, name }: WorkloadName,
): void {
  const workload = cluster.cache.workload(resource, namespace, name);
  if (workload?.placeholder === undefined) return;
  const { sentence } = deriveOwnView(cluster, workload, now()).status;
  throw new AppError('refused', `There is no object to change. ${sentence}`, { resource, namespace, name });
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
        ? `Shiplog has not loaded ${missing.resource} yet: ${missing.problem ?? 'the first list is still loading'}. Nothing was applied.`
        : `Shiplog has no current data of ${missing.resource}: ${missing.behind.reason} Nothing was applied.`,
      { resource: missing.resource },
    );
  }
  if (cluster.cache.workload(kind.resource.id, namespace, name)?.uid === uid) return;
  throw new AppError(
    'conflict',
    `${kindLabel(kind.resource)} ${name} exists, but Shiplog has not observed it yet: it is new, or its namespace is not watched. Nothing was applied; try again in a moment.`,
    { resource: kind.resource.id, namespace, name },
  );
}
