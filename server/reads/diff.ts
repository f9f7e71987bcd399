import 'server-only';
import { type Diff } from '@/lib/api/diff';
import { type TemplateDiff } from '@/lib/diff/change';
import { tellAsPod, templateOfPod } from '@/lib/diff/pod';
import { AppError } from '@/lib/errors';
import { type KubeObject } from '@/lib/kube/object';
import { type Template } from '@/lib/workloads/workload';
import { type ReadContext } from '@/server/reads/context';
import { findRevision, findWorkload, type WorkloadRef } from '@/server/reads/find';
import { requireBody, toYaml } from '@/server/reads/revision-body';
import { assertCan } from '@/server/reads/rights';
import { type WorkloadView } from '@/server/reads/view';
import { diffAnswer } from '@/server/reads/diff-answer';
import { echoesOfDiff } from '@/server/reads/echoes';
import { maskedDiff, maskTemplate } from '@/server/mask';
import { type Viewer } from '@/server/viewer';

type Side = Diff['from'];

interface Sided {
  side: Side;
  /** Undefined for a pod, whose template can only be told beside the other side. */
  template: Template | undefined;
  pod: KubeObject | undefined;
}

/** Compares two revisions, the present spec (`live`) or what a pod really runs (`pod:{name}`). */
export async function diffRevisions(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadRef,
  query: { from: string; to: string; yaml: boolean },
): Promise<Diff> {
  const view = await findWorkload(context, viewer, ref);
  await assertCan(context.cluster, viewer, 'get', view.kind.source.resource, ref.namespace);
  const from = await resolve(context, viewer, view, 'from', query.from);
  const to = await resolve(context, viewer, view, 'to', query.to);
  const before = templateOf(context, view, from, to);
  const after = templateOf(context, view, to, from);
  const diff = withPodSides(maskedDiff(context.keys, before, after), from, to);
  const yaml = query.yaml
    ? { before: toYaml(maskTemplate(before, context.keys)), after: toYaml(maskTemplate(after, context.keys)) }
    : null;
  const echoes = await echoesOfDiff(
    context,
    view.workload.uid,
    { from: from.side.revisionId, to: to.side.revisionId },
    diff,
  );
  return { ...diffAnswer(diff, echoes), from: from.side, to: to.side, yaml };
}

async function resolve(
  context: ReadContext,
  viewer: Viewer,
  view: WorkloadView,
  field: 'from' | 'to',
  ref: string,
): Promise<Sided> {
  const { workload, history } = view;
  if (ref === 'live') {
    return {
      side: {
        label: 'now',
        ref,
        revisionId: history.target?.id ?? null,
        number: history.target?.number ?? null,
      },
      template: requireBody(context, workload.bodyId),
      pod: undefined,
    };
  }
  if (ref.startsWith('pod:')) return resolvePod(context, viewer, view, field, ref.slice(4));
  const revision = findRevision(history, workload, ref);
  return {
    side: {
      label: String(revision.number ?? revision.name),
      ref,
      revisionId: revision.id,
      number: revision.number,
    },
    template: requireBody(context, revision.source.bodyId),
    pod: undefined,
  };
}

/** The cache keeps no pod specs: the pod is read now, as the viewer. */
async function resolvePod(
  { cluster }: ReadContext,
  viewer: Viewer,
  view: WorkloadView,
  field: 'from' | 'to',
  name: string,
): Promise<Sided> {
  const { workload, history, pods } = view;
  const known = pods.find((pod) => pod.name === name);
  if (known === undefined) {
    throw new AppError('not_found', `${workload.name} has no pod ${JSON.stringify(name.slice(0, 253))}.`, {
      field,
    });
  }
  const path = `/api/v1/namespaces/${encodeURIComponent(workload.namespace)}/pods/${encodeURIComponent(name)}`;
  const pod = (await cluster.transport.json({
    method: 'GET',
    path,
    ...(viewer.impersonate === undefined ? {} : { impersonate: viewer.impersonate }),
  })) as unknown as KubeObject;
  if (pod.metadata.uid !== known.uid) {
    throw new AppError('not_found', `Pod ${name} has been replaced by another of the same name. Look again.`);
  }
  const revision = history.revisionOfPod.get(known.uid);
  return {
    side: {
      label: name,
      ref: `pod:${name}`,
      revisionId: revision?.id ?? null,
      number: revision?.number ?? null,
    },
    template: undefined,
    pod,
  };
}

function withPodSides(diff: TemplateDiff, from: Sided, to: Sided): TemplateDiff {
  if (to.pod !== undefined) return tellAsPod(diff, 'after');
  return from.pod === undefined ? diff : tellAsPod(diff, 'before');
}

/** A pod's template is told against the other side: what only pods have is no difference. */
function templateOf(context: ReadContext, view: WorkloadView, own: Sided, other: Sided): Template {
  if (own.template !== undefined) return own.template;
  const reference = other.template ?? requireBody(context, view.workload.bodyId);
  if (own.pod === undefined) throw new AppError('internal', 'A side of the comparison has no template.');
  return templateOfPod(own.pod, reference);
}
