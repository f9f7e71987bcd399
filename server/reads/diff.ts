import 'server-only';
import { type Answer } from '@/lib/api/common';
import { type diffSchema } from '@/lib/api/diff';
import { type TemplateDiff } from '@/lib/diff/change';
import { asPodDiff, templateOfPod } from '@/lib/diff/running-pod';
import { AppError } from '@/lib/errors';
import { type KubeObject } from '@/lib/kube/object';
import { desiredTemplate } from '@/lib/workloads/desired-template';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { type Template } from '@/lib/history/workload';
import { readObject } from '@/server/cluster/read-object';
import { type ReadContext } from '@/server/reads/context';
import { requireKind, type WorkloadRef } from '@/server/reads/find-workload';
import { type LocatedWorkload, locateWorkload } from '@/server/reads/find-incarnation';
import { findRevisionOf, requireBody, templateOfFound, toYaml } from '@/server/reads/revision-body';
import { assertCan } from '@/server/reads/rights';
import { type WorkloadView } from '@/server/reads/workload-view';
import { diffAnswer } from '@/server/reads/diff-answer';
import { relatedChangesOfDiff } from '@/server/reads/related-changes';
import { inSlices } from '@/server/shared/in-slices';
import { type Viewer } from '@/server/shared/viewer';

type Side = Answer<typeof diffSchema>['from'];

interface ResolvedSide {
  side: Side;
  /** Uid of the incarnation of the workload that it belongs to. */
  incarnationUid: string;
  /** Undefined for a pod, whose template is derived with the help of the other side. */
  template: Template | undefined;
  pod: KubeObject | undefined;
}

/** Compares two revisions, the current spec (`live`) or what a pod really runs (`pod:{name}`). */
export async function diffRevisions(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadRef,
  query: { from: string; to: string; yaml: boolean },
): Promise<Answer<typeof diffSchema>> {
  const located = await locateWorkload(context, viewer, ref);
  const kind = requireKind(context.cluster, ref.resource);
  await assertCan(context.cluster, viewer, 'get', kind.source.resource, ref.namespace);
  const [from, to] = alignWithCurrent(
    kind,
    await resolveSide(context, viewer, located, 'from', query.from),
    await resolveSide(context, viewer, located, 'to', query.to),
  );
  const before = templateOf(context, kind, located, from, to);
  const after = templateOf(context, kind, located, to, from);
  const { mask } = context.keys;
  const masked = [await mask.template(before), await mask.template(after)] as const;
  const diff = withPodSides(await inSlices(mask.diffOfMasked(masked, () => [before, after])), from, to);
  const yaml = query.yaml ? { before: toYaml(masked[0]), after: toYaml(masked[1]) } : null;
  const related = await relatedChangesOfDiff(
    context,
    { cluster: context.cluster.identity.id, uid: incarnationUidOf(located, from, to) },
    { from: from.side.revisionId, to: to.side.revisionId },
    diff,
  );
  return { ...diffAnswer(diff, related), from: from.side, to: to.side, yaml };
}

async function resolveSide(
  context: ReadContext,
  viewer: Viewer,
  located: LocatedWorkload,
  field: 'from' | 'to',
  ref: string,
): Promise<ResolvedSide> {
  if (ref === 'live') return currentSide(context, requireCurrent(located));
  if (ref.startsWith('pod:'))
    return resolvePod(context, viewer, requireCurrent(located), field, ref.slice(4));
  const found = await findRevisionOf(context, located, ref);
  const { number, template } = templateOfFound(context, found);
  const { id, name } = found.revision;
  const shownName = String(number ?? name);
  const isEarlier = found.kind === 'archived' && !found.incarnation.present;
  return {
    side: {
      label: isEarlier ? `${shownName} of an earlier incarnation` : shownName,
      ref,
      revisionId: id,
      number,
    },
    incarnationUid: found.kind === 'archived' ? found.incarnation.uid : requireCurrent(located).workload.uid,
    template,
    pod: undefined,
  };
}

/** Of the current object, the fields that the other side has. */
function alignWithCurrent(
  kind: WorkloadKind,
  from: ResolvedSide,
  to: ResolvedSide,
): [ResolvedSide, ResolvedSide] {
  function align(own: ResolvedSide, other: ResolvedSide): ResolvedSide {
    if (kind.comparableTemplate === undefined || own.side.ref !== 'live' || other.side.ref === 'live')
      return own;
    const { template } = own;
    if (template === undefined || other.template === undefined) return own;
    return { ...own, template: kind.comparableTemplate(template, other.template) };
  }
  return [align(from, to), align(to, from)];
}

/** The incarnation whose rollouts a change may revert: the one of both sides, else the current one. */
function incarnationUidOf(located: LocatedWorkload, from: ResolvedSide, to: ResolvedSide): string {
  return from.incarnationUid === to.incarnationUid || located.kind === 'past'
    ? to.incarnationUid
    : located.view.workload.uid;
}

/** For sides that need an existing workload; throws where it was deleted. */
function requireCurrent(located: LocatedWorkload): WorkloadView {
  if (located.kind === 'present') return located.view;
  throw located.missing;
}

function currentSide(context: ReadContext, view: WorkloadView): ResolvedSide {
  const { workload, history, status } = view;
  if (workload.placeholder !== undefined)
    throw new AppError('not_found', `There is no current template to compare with. ${status.sentence}`);
  const { target } = history;
  const desired = desiredTemplate(view);
  if (desired === null)
    throw new AppError(
      'not_found',
      `The template of ${workload.name} is in another object and has no revision yet. Compare two revisions instead.`,
    );
  return {
    side: { label: 'now', ref: 'live', revisionId: target?.id ?? null, number: target?.number ?? null },
    incarnationUid: workload.uid,
    template: requireBody(context, desired.bodyId),
    pod: undefined,
  };
}

/** The cache stores no pod specs: this reads the pod as the viewer. */
async function resolvePod(
  { cluster }: ReadContext,
  viewer: Viewer,
  view: WorkloadView,
  field: 'from' | 'to',
  name: string,
): Promise<ResolvedSide> {
  const { workload, history, pods } = view;
  const known = pods.find((pod) => pod.name === name);
  if (known === undefined) {
    throw new AppError('not_found', `${workload.name} has no pod ${JSON.stringify(name.slice(0, 253))}.`, {
      field,
    });
  }
  const type = { group: '', plural: 'pods' };
  const pod = await readObject(cluster, viewer, type, 'v1', { namespace: workload.namespace, name });
  if (pod.metadata.uid !== known.uid) {
    throw new AppError(
      'not_found',
      `Pod ${name} was replaced by another pod of the same name. Reload the page.`,
    );
  }
  const revision = history.revisionOfPod.get(known.uid);
  return {
    side: {
      label: name,
      ref: `pod:${name}`,
      revisionId: revision?.id ?? null,
      number: revision?.number ?? null,
    },
    incarnationUid: workload.uid,
    template: undefined,
    pod,
  };
}

function withPodSides(diff: TemplateDiff, from: ResolvedSide, to: ResolvedSide): TemplateDiff {
  if (to.pod !== undefined) return asPodDiff(diff, 'after');
  return from.pod === undefined ? diff : asPodDiff(diff, 'before');
}

/** A pod's template is derived with the help of the other side: what only pods have is no difference. */
function templateOf(
  context: ReadContext,
  kind: WorkloadKind,
  located: LocatedWorkload,
  own: ResolvedSide,
  other: ResolvedSide,
): Template {
  if (own.template !== undefined) return podTemplateFor(kind, own.template, other.pod);
  const reference = other.template ?? requireBody(context, desiredBodyId(requireCurrent(located)));
  if (own.pod === undefined) throw new AppError('internal', 'A side of the comparison has no template.');
  return templateOfPod(own.pod, podTemplateFor(kind, reference, own.pod));
}

function desiredBodyId(view: WorkloadView): string {
  return (desiredTemplate(view) ?? view.workload).bodyId;
}

/** Of a template of several kinds of pods, a pod is compared with that of its own kind. */
function podTemplateFor(
  { podTemplateOf }: WorkloadKind,
  template: Template,
  pod: KubeObject | undefined,
): Template {
  return pod === undefined ? template : (podTemplateOf?.(template, pod) ?? template);
}
