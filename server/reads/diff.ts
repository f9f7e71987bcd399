import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { diffSchema } from '@/lib/api/diff';
import type { TemplateDiff } from '@/lib/diff/change';
import { asPodDiff, templateOfPod } from '@/lib/diff/running-pod';
import { AppError } from '@/lib/errors';
import type { KubeObject } from '@/lib/kube/object';
import { desiredTemplate } from '@/lib/workloads/desired-template';
import type { WorkloadKind } from '@/lib/workloads/kind';
import type { Template } from '@/lib/history/workload';
import { readObject } from '@/server/cluster/read-object';
import type { ReadContext } from '@/server/views/context';
import type { ViewedCluster } from '@/server/views/fleet';
import { requireKind, type WorkloadName } from '@/server/views/find-workload';
import { type LocatedWorkload, locateWorkload } from '@/server/views/find-incarnation';
import { findRevisionOf, requireBody, templateOfFound, toYaml } from '@/server/reads/revision-body';
import { assertCan } from '@/server/views/rights';
import type { WorkloadView } from '@/server/views/workload-view';
import { diffAnswer, type DiffRelatedChanges } from '@/server/views/diff-answer';
import { relatedChangesOfDiff } from '@/server/views/related-changes';
import { inSlices } from '@/server/shared/in-slices';
import type { Viewer } from '@/server/shared/viewer';

type Side = Answer<typeof diffSchema>['from'];

/** The workload whose revisions a side is one of. */
interface SideSource {
  context: ReadContext;
  viewer: Viewer;
  located: LocatedWorkload;
}

interface ResolvedSide {
  side: Side;
  source: SideSource;
  /** Uid of the incarnation of the workload that it belongs to. */
  incarnationUid: string;
  /** Undefined for a pod, whose template is derived with the help of the other side. */
  template: Template | undefined;
  pod: KubeObject | undefined;
}

/** Of several: one by its name. Throws AppError `bad_request` where none has it. */
type FindCluster = (name: string) => Pick<ViewedCluster, 'context' | 'viewer'>;

/**
 * Compares two revisions, the current spec (`live`) or what a pod really runs (`pod:{name}`), each of them of the
 * workload of this name in another cluster where it begins with the name of that.
 */
export async function diffRevisions(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadName,
  query: { from: string; to: string; yaml: boolean },
  findCluster: FindCluster,
): Promise<Answer<typeof diffSchema>> {
  const kind = requireKind(context.cluster, ref.resource);
  const own = { context, viewer };
  const [from, to] = alignWithCurrent(
    kind,
    await resolveReference(own, ref, kind, 'from', query.from, findCluster),
    await resolveReference(own, ref, kind, 'to', query.to, findCluster),
  );
  const before = templateOf(kind, from, to);
  const after = templateOf(kind, to, from);
  const { mask } = context.keys;
  const masked = [await mask.template(before), await mask.template(after)] as const;
  const diff = withPodSides(await inSlices(mask.diffOfMasked(masked, () => [before, after])), from, to);
  const yaml = query.yaml ? { before: toYaml(masked[0]), after: toYaml(masked[1]) } : null;
  return { ...diffAnswer(diff, await relatedChanges(from, to, diff)), from: from.side, to: to.side, yaml };
}

/** Rollouts that the difference reverts or repeats, of one history. */
async function relatedChanges(
  from: ResolvedSide,
  to: ResolvedSide,
  diff: TemplateDiff,
): Promise<DiffRelatedChanges | null> {
  const { context } = to.source;
  if (from.source.context.cluster !== context.cluster) return null;
  const incarnation = { cluster: context.cluster.identity.id, uid: incarnationUidOf(from, to) };
  const sides = { from: from.side.revisionId, to: to.side.revisionId };
  return relatedChangesOfDiff(context, incarnation, sides, diff);
}

/** `[cluster:]` and the reference of a revision; names of clusters are neither `pod` nor `live`. */
export function parseSide(text: string): { cluster: string | null; ref: string } {
  const [, cluster = null, ref = text] = /^(?!pod:)([^:]+):(.+)$/s.exec(text) ?? [];
  return { cluster, ref };
}

async function resolveReference(
  own: Pick<ViewedCluster, 'context' | 'viewer'>,
  workload: WorkloadName,
  kind: WorkloadKind,
  field: 'from' | 'to',
  text: string,
  findCluster: FindCluster,
): Promise<ResolvedSide> {
  const { cluster, ref } = parseSide(text);
  const { context, viewer } = cluster === null ? own : findCluster(cluster);
  const located = await locateWorkload(context, viewer, workload);
  await assertCan(context.cluster, viewer, 'get', kind.source.resource, workload.namespace);
  const resolved = await resolveSide({ context, viewer, located }, field, ref);
  return cluster === null ? resolved : { ...resolved, side: { ...resolved.side, ref: text, cluster } };
}

async function resolveSide(source: SideSource, field: 'from' | 'to', ref: string): Promise<ResolvedSide> {
  const { context, located } = source;
  if (ref === 'live') return currentSide(source);
  if (ref.startsWith('pod:')) return resolvePod(source, field, ref.slice(4));
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
    source,
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
    const { template } = own;
    if (template === undefined || other.template === undefined) return own;
    if (!isCurrent(own) || isCurrent(other)) return own;
    return { ...own, template: kind.template?.comparable?.(template, other.template) ?? template };
  }
  return [align(from, to), align(to, from)];
}

function isCurrent({ side: { ref, cluster } }: ResolvedSide): boolean {
  return ref === (cluster === undefined ? 'live' : `${cluster}:live`);
}

/** The incarnation whose rollouts a change may revert: the one of both sides, else the current one. */
function incarnationUidOf(from: ResolvedSide, to: ResolvedSide): string {
  const { located } = to.source;
  return from.incarnationUid === to.incarnationUid || located.kind === 'past'
    ? to.incarnationUid
    : located.view.workload.uid;
}

/** For sides that need an existing workload; throws where it was deleted. */
function requireCurrent(located: LocatedWorkload): WorkloadView {
  if (located.kind === 'present') return located.view;
  throw located.missing;
}

function currentSide(source: SideSource): ResolvedSide {
  const view = requireCurrent(source.located);
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
    source,
    incarnationUid: workload.uid,
    template: requireBody(source.context, desired.bodyId),
    pod: undefined,
  };
}

/** The cache stores no pod specs: this reads the pod as the viewer. */
async function resolvePod(source: SideSource, field: 'from' | 'to', name: string): Promise<ResolvedSide> {
  const { context, viewer, located } = source;
  const view = requireCurrent(located);
  const { workload, history, pods } = view;
  const known = pods.find((pod) => pod.name === name);
  if (known === undefined) {
    throw new AppError('not_found', `${workload.name} has no pod ${JSON.stringify(name.slice(0, 253))}.`, {
      field,
    });
  }
  const type = { group: '', plural: 'pods' };
  const pod = await readObject(context.cluster, viewer, type, 'v1', { namespace: workload.namespace, name });
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
    source,
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
function templateOf(kind: WorkloadKind, own: ResolvedSide, other: ResolvedSide): Template {
  const { context, located } = own.source;
  if (own.template !== undefined) return podTemplateFor(kind, own.template, other.pod);
  const reference = other.template ?? requireBody(context, desiredBodyId(requireCurrent(located)));
  if (own.pod === undefined) throw new AppError('internal', 'A side of the comparison has no template.');
  return templateOfPod(own.pod, podTemplateFor(kind, reference, own.pod));
}

function desiredBodyId(view: WorkloadView): string {
  return (desiredTemplate(view) ?? view.workload).bodyId;
}

/** Of a template of several kinds of pods, a pod is compared with that of its own kind. */
function podTemplateFor(kind: WorkloadKind, template: Template, pod: KubeObject | undefined): Template {
  return pod === undefined ? template : (kind.template?.podTemplateOf?.(template, pod) ?? template);
}
