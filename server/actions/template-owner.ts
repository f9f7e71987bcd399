import 'server-only';
import { AppError } from '@/lib/errors';
import { isEqualTemplate } from '@/lib/history/template-equality';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { hasReferencedTemplate } from '@/lib/workloads/desired-template';
import { objectAt } from '@/lib/kube/read';
import { resourcePath } from '@/lib/kube/resource';
import { type TemplateOwner } from '@/lib/workloads/template-owner';
import { type Template, type TemplateFacts, type Workload } from '@/lib/history/workload';
import { type ActionsContext } from '@/server/actions/context';
import {
  type CurrentWorkload,
  type TemplateOwnerState,
  readCurrentWorkload,
} from '@/server/actions/current-workload';
import { isUnreachable } from '@/server/cluster/api-errors';
import { BodyStore } from '@/server/cluster/body-store';
import { factsOf, ingestWorkload, SemanticIds } from '@/server/cluster/ingest';
import { type WorkloadRef } from '@/server/reads/find-workload';
import { asViewer, type Viewer } from '@/server/shared/viewer';

/**
 * The workload with its desired template, whichever object has it: a rollback compares with it and writes it.
 * The same errors as {@link readCurrentWorkload}; the plan reports an owner that can't be read.
 */
export async function readCurrentTemplate(
  context: ActionsContext,
  viewer: Viewer,
  ref: WorkloadRef,
): Promise<CurrentWorkload> {
  const current = await readCurrentWorkload(context, viewer, ref);
  const holder = current.kind.templateOwner?.(current.workload) ?? null;
  if (holder === null) return current;
  const ownerState = await readTemplateOwner(context, viewer, holder);
  const template = ownerState.object === undefined ? undefined : templateOfOwner(holder, ownerState.object);
  if (ownerState.state === 'unreadable' || template === undefined)
    return { ...current, templateOwner: ownerState };
  const workload = withTemplate(current.workload, template);
  const input = { ...current.input, workload };
  const history = current.kind.history(input);
  const { cluster, keys } = context;
  return {
    ...current,
    workload,
    template,
    input,
    history,
    templateOwner: ownerState,
    // The viewer saw the revision that the controller created from it; a template without a revision is new.
    preconditionToken: keys.preconditionToken(
      cluster.identity.id,
      workload.uid,
      preconditionBodyId(workload, history.target?.source),
    ),
  };
}

/** The template in an object of the owner's resource. */
export function templateOfOwner(
  { path }: TemplateOwner,
  object: KubeObject | JsonObject,
): JsonObject | undefined {
  return objectAt(object as unknown as JsonObject, ...path);
}

/** The object that the patch goes to. */
export function writtenObject({ object, templateOwner: holder }: CurrentWorkload): JsonObject {
  return (holder?.object ?? object) as unknown as JsonObject;
}

/** The object whose template the write of `current` replaces; undefined where that is its own. */
export function foundTemplateOwner({
  kind,
  workload,
  templateOwner: holder,
}: CurrentWorkload): TemplateOwner | undefined {
  return hasReferencedTemplate({ kind, workload }) && holder?.state === 'found' ? holder.owner : undefined;
}

async function readTemplateOwner(
  { cluster }: ActionsContext,
  viewer: Viewer,
  holder: TemplateOwner,
): Promise<TemplateOwnerState> {
  const { resource, version, namespace, name } = holder;
  try {
    const object = (await cluster.transport.json({
      method: 'GET',
      path: resourcePath(resource, version, namespace, name),
      ...asViewer(viewer),
    })) as unknown as KubeObject;
    if (templateOfOwner(holder, object) === undefined)
      return { state: 'unreadable', owner: holder, reason: 'it has none.' };
    return { state: 'found', owner: holder, object, workload: summaryOf(holder, object) };
  } catch (error) {
    if (!(error instanceof AppError) || isUnreachable(error)) throw error;
    return { state: 'unreadable', owner: holder, reason: error.message };
  }
}

function summaryOf(holder: TemplateOwner, object: KubeObject): Workload {
  const bodies = new BodyStore();
  const place = {
    members: ['template'],
    of: () => undefined,
    ofObject: (whole: KubeObject) => templateOfOwner(holder, whole),
  };
  const kind = { resource: holder.resource, template: place };
  return ingestWorkload(kind, object, { bodies, semantic: new SemanticIds(bodies) });
}

/** The workload as if the template were its own. */
function withTemplate(workload: Workload, template: Template): Workload {
  const { bodyId: _body, semanticId: _meaning, images: _images, ...others } = workload;
  const { restartedAt: _restart, templateCause: _cause, ...rest } = others;
  return Object.assign(factsOf(template), rest);
}

function preconditionBodyId(current: TemplateFacts, target: TemplateFacts | undefined): string {
  return target !== undefined && isEqualTemplate(target, current) ? target.bodyId : current.bodyId;
}
