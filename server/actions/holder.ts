import 'server-only';
import { AppError } from '@/lib/errors';
import { sameTemplate } from '@/lib/history/equality';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { isHeldElsewhere } from '@/lib/workloads/asked-template';
import { objectAt } from '@/lib/workloads/read';
import { resourcePath } from '@/lib/workloads/resource';
import { type HolderState, type TemplateHolder } from '@/lib/workloads/template-holder';
import { type Template, type TemplateFacts, type Workload } from '@/lib/workloads/workload';
import { type ActionsContext } from '@/server/actions/context';
import { type Present, readPresent } from '@/server/actions/present';
import { isOutOfReach } from '@/server/cluster/api-errors';
import { BodyStore } from '@/server/cluster/body-store';
import { factsOf, ingestWorkload, SemanticIds } from '@/server/cluster/ingest';
import { type WorkloadRef } from '@/server/reads/find';
import { type Viewer } from '@/server/viewer';

/** The object that holds the template, as it is at this moment. */
export type PresentHolder = HolderState & { object?: KubeObject };

/**
 * The workload with the template that it asks for, wherever that stands: what a rollback compares with and writes. The same
 * errors as {@link readPresent}; a holder that can't be read is told by the plan.
 */
export async function readPresentTemplate(
  context: ActionsContext,
  viewer: Viewer,
  ref: WorkloadRef,
): Promise<Present> {
  const present = await readPresent(context, viewer, ref);
  const holder = present.kind.templateHolder?.(present.workload) ?? null;
  if (holder === null) return present;
  const held = await readHolder(context, viewer, holder);
  const template = held.object === undefined ? undefined : templateOfHolder(holder, held.object);
  if (held.state === 'unreadable' || template === undefined) return { ...present, holder: held };
  const workload = withTemplate(present.workload, template);
  const input = { ...present.input, workload };
  const history = present.kind.history(input);
  const { cluster, keys } = context;
  return {
    ...present,
    workload,
    template,
    input,
    history,
    holder: held,
    // What the viewer saw is the revision that was made of it; a template that nothing was made of is news.
    seen: keys.seen(cluster.identity.id, workload.uid, seenBody(workload, history.target?.source)),
  };
}

/** The template in an object of the holder's resource. */
export function templateOfHolder(
  { path }: TemplateHolder,
  object: KubeObject | JsonObject,
): JsonObject | undefined {
  return objectAt(object as unknown as JsonObject, ...path);
}

/** The object that the patch goes to. */
export function writtenObject({ object, holder }: Present): JsonObject {
  return (holder?.object ?? object) as unknown as JsonObject;
}

/** The object whose template it is that the write of `present` replaces; undefined where that is its own. */
export function foundHolder({ kind, workload, holder }: Present): TemplateHolder | undefined {
  return isHeldElsewhere({ kind, workload }) && holder?.state === 'found' ? holder.holder : undefined;
}

async function readHolder(
  { cluster }: ActionsContext,
  viewer: Viewer,
  holder: TemplateHolder,
): Promise<PresentHolder> {
  const { resource, version, namespace, name } = holder;
  try {
    const object = (await cluster.transport.json({
      method: 'GET',
      path: resourcePath(resource, version, namespace, name),
      ...(viewer.impersonate === undefined ? {} : { impersonate: viewer.impersonate }),
    })) as unknown as KubeObject;
    if (templateOfHolder(holder, object) === undefined)
      return { state: 'unreadable', holder, reason: 'it has none.' };
    return { state: 'found', holder, object, workload: summaryOf(holder, object) };
  } catch (error) {
    if (!(error instanceof AppError) || isOutOfReach(error)) throw error;
    return { state: 'unreadable', holder, reason: error.message };
  }
}

function summaryOf(holder: TemplateHolder, object: KubeObject): Workload {
  const bodies = new BodyStore();
  const place = {
    members: ['template'],
    of: () => undefined,
    ofObject: (whole: KubeObject) => templateOfHolder(holder, whole),
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

function seenBody(present: TemplateFacts, target: TemplateFacts | undefined): string {
  return target !== undefined && sameTemplate(target, present) ? target.bodyId : present.bodyId;
}
