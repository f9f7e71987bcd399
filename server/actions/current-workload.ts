import 'server-only';
import { AppError } from '@/lib/errors';
import { type RevisionHistory } from '@/lib/history/revision';
import { isEqualTemplate } from '@/lib/history/template-equality';
import { type Template, type Workload } from '@/lib/history/workload';
import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { objectAt } from '@/lib/kube/read';
import { kindLabel, resourcePath } from '@/lib/kube/resource';
import { hasReferencedTemplate } from '@/lib/workloads/desired-template';
import { type HistoryInput, type WorkloadKind, type WriteFacts } from '@/lib/workloads/kind';
import { templateOfObject } from '@/lib/workloads/template-location';
import { type TemplateOwner, type TemplateOwnerReading } from '@/lib/workloads/template-owner';
import { type ActionsContext } from '@/server/actions/context';
import { isUnreachable } from '@/server/cluster/api-errors';
import { factsOf, ingestWorkload, temporaryContext } from '@/server/cluster/ingest';
import { requireKind, type WorkloadRef } from '@/server/reads/find-workload';
import { workloadPreconditionToken } from '@/server/reads/precondition-token';
import { asViewer, type Viewer } from '@/server/shared/viewer';

/** The current object that has the template. */
type TemplateOwnerState = TemplateOwnerReading & { object?: KubeObject };

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

/**
 * Reads the workload and derives its history, once. `withTemplateOwner`: with its desired template, whichever object
 * has it, as a rollback compares and writes it.
 */
export async function readCurrentWorkload(
  { context, viewer }: { context: ActionsContext; viewer: Viewer },
  ref: WorkloadRef,
  { withTemplateOwner = false }: { withTemplateOwner?: boolean } = {},
): Promise<CurrentWorkload> {
  const { cluster, keys } = context;
  const { resource, namespace, name } = ref;
  const kind = requireKind(cluster, resource);
  refusePlaceholder(context, kind, ref);
  const { object, summary } = await cluster.readWorkload(viewer, kind, namespace, name);
  assertWatched(context, kind, summary);
  const own = templateOfObject(kind, object);
  if (own === undefined) {
    const details = { resource, namespace, name };
    throw new AppError('cluster_error', `The API server gave ${name} without a template.`, details);
  }
  const owner = withTemplateOwner ? (kind.templateOwner?.(summary) ?? null) : null;
  const templateOwner = owner === null ? undefined : await readTemplateOwner(context, viewer, owner);
  const owned = templateOwner?.state === 'found' ? ownedTemplate(templateOwner) : undefined;
  const workload = owned === undefined ? summary : withTemplate(summary, owned);
  const input: HistoryInput = {
    workload,
    sources: cluster.cache.sourcesOf(summary),
    orphans: cluster.cache.orphansOf(summary),
    pods: cluster.cache.podsOf(summary),
    children: cluster.cache.childrenOf(summary),
  };
  const history = kind.history(input);
  return {
    kind,
    object,
    workload,
    template: owned ?? own,
    input,
    history,
    preconditionToken:
      owned === undefined
        ? workloadPreconditionToken(keys, cluster.identity.id, { kind, workload, history })
        : keys.preconditionToken(cluster.identity.id, workload.uid, shownBodyId(workload, history)),
    ...(templateOwner && { templateOwner }),
  };
}

/** What the kind plans a write from. */
export function writeFactsOf({ workload, template, history, input }: CurrentWorkload): WriteFacts {
  const { pods, children } = input;
  return { workload, currentTemplate: template, history, pods, ...(children && { children }) };
}

/** The object that the patch goes to. */
export function writtenObject({ object, templateOwner }: CurrentWorkload): JsonObject {
  return (templateOwner?.object ?? object) as unknown as JsonObject;
}

/** The object whose template the write of `current` replaces; undefined where that is its own. */
export function foundTemplateOwner({
  kind,
  workload,
  templateOwner,
}: CurrentWorkload): TemplateOwner | undefined {
  const isElsewhere = hasReferencedTemplate({ kind, workload });
  return isElsewhere && templateOwner?.state === 'found' ? templateOwner.owner : undefined;
}

/** The template in the answer to a write of `current`, or undefined when it has none. */
export function templateIn(current: CurrentWorkload, answer: JsonObject): JsonObject | undefined {
  const owner = foundTemplateOwner(current);
  if (owner !== undefined) return templateOfOwner(owner, answer);
  const { template } = current.kind;
  if (template?.ofObject !== undefined) return template.ofObject(answer as unknown as KubeObject);
  const own = isJsonObject(answer.spec) ? answer.spec.template : undefined;
  return isJsonObject(own) ? own : undefined;
}

/** The template in an object of the owner's resource. */
function templateOfOwner({ path }: TemplateOwner, object: KubeObject | JsonObject): JsonObject | undefined {
  return objectAt(object as unknown as JsonObject, ...path);
}

/** Reads the owner as the viewer; one that can't be read is reported by the plan. */
async function readTemplateOwner(
  { cluster }: ActionsContext,
  viewer: Viewer,
  owner: TemplateOwner,
): Promise<TemplateOwnerState> {
  const { resource, version, namespace, name } = owner;
  try {
    const object = (await cluster.transport.json({
      method: 'GET',
      path: resourcePath(resource, version, namespace, name),
      ...asViewer(viewer),
    })) as unknown as KubeObject;
    if (templateOfOwner(owner, object) === undefined)
      return { state: 'unreadable', owner, reason: 'it has none.' };
    const template = {
      members: ['template'],
      of: () => undefined,
      ofObject: (whole: KubeObject) => templateOfOwner(owner, whole),
    };
    const workload = ingestWorkload({ resource, template }, object, temporaryContext());
    return { state: 'found', owner, object, workload };
  } catch (error) {
    if (!(error instanceof AppError) || isUnreachable(error)) throw error;
    return { state: 'unreadable', owner, reason: error.message };
  }
}

function ownedTemplate({ owner, object }: TemplateOwnerState): JsonObject | undefined {
  return object === undefined ? undefined : templateOfOwner(owner, object);
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
