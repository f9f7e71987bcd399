import 'server-only';
import { type Diff } from '@/lib/api/diff';
import { type TemplateDiff } from '@/lib/diff/change';
import { tellAsPod, templateOfPod } from '@/lib/diff/pod';
import { AppError } from '@/lib/errors';
import { type KubeObject } from '@/lib/kube/object';
import { askedTemplate } from '@/lib/workloads/asked-template';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { type Template } from '@/lib/workloads/workload';
import { type ReadContext } from '@/server/reads/context';
import { requireKind, type WorkloadRef } from '@/server/reads/find';
import { type Traced, traceWorkload } from '@/server/reads/find-life';
import { findIn, requireBody, templateOfFound, toYaml } from '@/server/reads/revision-body';
import { assertCan } from '@/server/reads/rights';
import { type WorkloadView } from '@/server/reads/view';
import { diffAnswer } from '@/server/reads/diff-answer';
import { echoesOfDiff } from '@/server/reads/echoes';
import { inTurns } from '@/server/in-turns';
import { maskedDiff, maskInPieces } from '@/server/mask';
import { type Viewer } from '@/server/viewer';

type Side = Diff['from'];

interface Sided {
  side: Side;
  /** Uid of the life of the workload that it belongs to. */
  life: string;
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
  const traced = await traceWorkload(context, viewer, ref);
  const kind = requireKind(context.cluster, ref.resource);
  await assertCan(context.cluster, viewer, 'get', kind.source.resource, ref.namespace);
  const [from, to] = withPresent(
    kind,
    await resolve(context, viewer, traced, 'from', query.from),
    await resolve(context, viewer, traced, 'to', query.to),
  );
  const before = templateOf(context, kind, traced, from, to);
  const after = templateOf(context, kind, traced, to, from);
  const diff = withPodSides(await maskedDiff(context.keys, before, after), from, to);
  const yaml = query.yaml
    ? { before: await yamlOf(context, before), after: await yamlOf(context, after) }
    : null;
  const echoes = await echoesOfDiff(
    context,
    lifeOf(traced, from, to),
    { from: from.side.revisionId, to: to.side.revisionId },
    diff,
  );
  return { ...diffAnswer(diff, echoes), from: from.side, to: to.side, yaml };
}

async function yamlOf({ keys }: ReadContext, template: Template): Promise<string> {
  return toYaml(await inTurns(maskInPieces(template, keys)));
}

async function resolve(
  context: ReadContext,
  viewer: Viewer,
  traced: Traced,
  field: 'from' | 'to',
  ref: string,
): Promise<Sided> {
  if (ref === 'live') return presentSide(context, presentOf(traced));
  if (ref.startsWith('pod:')) return resolvePod(context, viewer, presentOf(traced), field, ref.slice(4));
  const found = await findIn(context, traced, ref);
  const { number, template } = templateOfFound(context, found);
  const { id, name } = found.revision;
  const called = String(number ?? name);
  const isEarlier = found.kind === 'archived' && !found.life.present;
  return {
    side: { label: isEarlier ? `${called} of an earlier life` : called, ref, revisionId: id, number },
    life: found.kind === 'archived' ? found.life.uid : presentOf(traced).workload.uid,
    template,
    pod: undefined,
  };
}

/** Of the present object, as much as the other side speaks of. */
function withPresent(kind: WorkloadKind, from: Sided, to: Sided): [Sided, Sided] {
  function cut(own: Sided, other: Sided): Sided {
    if (kind.presentFor === undefined || own.side.ref !== 'live' || other.side.ref === 'live') return own;
    const { template } = own;
    if (template === undefined || other.template === undefined) return own;
    return { ...own, template: kind.presentFor(template, other.template) };
  }
  return [cut(from, to), cut(to, from)];
}

/** Whose rollouts a change may take back: those of both sides' own life, else of the present one. */
function lifeOf(traced: Traced, from: Sided, to: Sided): string {
  return from.life === to.life || traced.kind === 'past' ? to.life : traced.view.workload.uid;
}

/** What only a workload has that is there; says that it is not otherwise. */
function presentOf(traced: Traced): WorkloadView {
  if (traced.kind === 'present') return traced.view;
  throw traced.missing;
}

function presentSide(context: ReadContext, view: WorkloadView): Sided {
  const { workload, history, status } = view;
  if (workload.standIn !== undefined)
    throw new AppError('not_found', `There is nothing present to compare with. ${status.sentence}`);
  const { target } = history;
  const asked = askedTemplate(view);
  if (asked === null)
    throw new AppError(
      'not_found',
      `The template of ${workload.name} stands in another object, and no revision has been made of it so far. Compare two revisions instead.`,
    );
  return {
    side: { label: 'now', ref: 'live', revisionId: target?.id ?? null, number: target?.number ?? null },
    life: workload.uid,
    template: requireBody(context, asked.bodyId),
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
    life: workload.uid,
    template: undefined,
    pod,
  };
}

function withPodSides(diff: TemplateDiff, from: Sided, to: Sided): TemplateDiff {
  if (to.pod !== undefined) return tellAsPod(diff, 'after');
  return from.pod === undefined ? diff : tellAsPod(diff, 'before');
}

/** A pod's template is told against the other side: what only pods have is no difference. */
function templateOf(
  context: ReadContext,
  kind: WorkloadKind,
  traced: Traced,
  own: Sided,
  other: Sided,
): Template {
  if (own.template !== undefined) return podTemplateFor(kind, own.template, other.pod);
  const reference = other.template ?? requireBody(context, askedBody(presentOf(traced)));
  if (own.pod === undefined) throw new AppError('internal', 'A side of the comparison has no template.');
  return templateOfPod(own.pod, podTemplateFor(kind, reference, own.pod));
}

function askedBody(view: WorkloadView): string {
  return (askedTemplate(view) ?? view.workload).bodyId;
}

/** Of a template of several kinds of pods, a pod is compared with that of its own kind. */
function podTemplateFor(
  { podTemplateOf }: WorkloadKind,
  template: Template,
  pod: KubeObject | undefined,
): Template {
  return pod === undefined ? template : (podTemplateOf?.(template, pod) ?? template);
}
