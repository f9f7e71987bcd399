import 'server-only';
import { type Answer } from '@/lib/api/common';
import { type GroupsItem } from '@/lib/api/groups';
import { type ProducerDescription, type workloadDetailSchema } from '@/lib/api/workloads';
import { chooseDefaultTarget } from '@/lib/history/default-target';
import { findProvenTarget } from '@/lib/history/proven-target';
import { type RevisionHistory } from '@/lib/history/revision';
import { findRevertedRollouts } from '@/lib/records/reverted-rollouts';
import { actionKinds, type ActionKind } from '@/lib/api/action-values';
import { type JsonObject } from '@/lib/kube/json';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import { type Placeholder, type RevisionSource, type Template } from '@/lib/history/workload';
import { managingToolsOf, refuseGenerated } from '@/lib/workloads/managing-tools';
import { formatCount } from '@/lib/format/text';
import {
  type ArchivedIncarnation,
  queryArchive,
  nothingArchived,
  readArchivedIncarnation,
  readIncarnations,
} from '@/server/reads/query-archive';
import { type ReadContext } from '@/server/reads/context';
import { compositionOf } from '@/server/reads/generated-workloads';
import { freshness } from '@/server/reads/freshness';
import { groupsItem } from '@/server/reads/groups';
import { workloadLinks } from '@/server/reads/links';
import { withRecord } from '@/server/reads/last-rollout';
import { incarnationItem } from '@/server/reads/incarnation-item';
import { type MaskedPartial, partialResources } from '@/server/reads/partial';
import { openRecordOf } from '@/server/reads/rollout-records';
import { rolloutOf } from '@/server/reads/rollouts';
import { recordedRuns } from '@/server/reads/recorded-runs';
import { type RevisionEntry, revisionEntries } from '@/server/reads/revision-entries';
import { hiddenCount, revisionItems } from '@/server/reads/revision-items';
import { can } from '@/server/reads/rights';
import { workloadPreconditionToken } from '@/server/reads/precondition-token';
import { partialInSight, textInSight } from '@/server/reads/sight';
import { workloadItemOf, type WorkloadView } from '@/server/reads/workload-view';
import { type Mask } from '@/server/shared/mask';
import { type Viewer } from '@/server/shared/viewer';

/** A workload's page as it is answered. */
type MaskedDetail = Answer<typeof workloadDetailSchema>;

/** The workload page in one answer: state, history, possible actions. The viewer can see the workload. */
export async function workloadDetail(
  context: ReadContext,
  viewer: Viewer,
  view: WorkloadView,
): Promise<MaskedDetail> {
  const { cluster, keys } = context;
  const { mask } = keys;
  const { workload, history, kind, status } = view;
  const [maySource, rollout, groups, composition, { answer: archived, partial: withoutArchive }] =
    await Promise.all([
      can(cluster, viewer, 'list', kind.source.resource, workload.namespace),
      rolloutOf(context, viewer, workload),
      groupsItem(cluster, viewer, view),
      compositionOf(context, viewer, view),
      queryArchive(context, { incarnations: [], incarnation: nothingArchived }, async (archive) => {
        const retained = new Set(history.revisions.map(({ id }) => id));
        const [incarnations, incarnation] = await Promise.all([
          readIncarnations(context, archive.workloads, workload, workload.uid),
          readArchivedIncarnation(archive, { cluster: cluster.identity.id, uid: workload.uid }, retained),
        ]);
        return { incarnations, incarnation };
      }),
    ]);
  const shown: RevisionHistory = maySource ? history : withoutSources(history);
  const incarnation = maySource ? archived.incarnation : nothingArchived;
  const { summaries } = archived.incarnation;
  const entries = revisionEntries(shown, incarnation, knowsSources(context, view));
  const offered = offeredTarget(context, view, shown, entries, incarnation);
  const spec = workload.spec;
  const partition = kind.partition(workload);
  await Promise.all([mask.prepare(workload.labels), mask.prepare(workload.annotations)]);
  return {
    workload: {
      ...withRecord(workloadItemOf(cluster.identity.id, view, mask), summaries.at(-1), mask),
      seen: workloadPreconditionToken(keys, cluster.identity.id, view),
      sentence: mask.text(status.sentence),
      strategy: kind.strategy(workload),
      paused: kind.isPaused(workload),
      replicas: numberOrNull(spec['replicas']),
      partition: partition?.value ?? null,
      partitionKeeps: partition?.keeps ?? null,
      ...(partition?.of && { partitionOf: partition.of }),
      revisionHistoryLimit: numberOrNull(spec['revisionHistoryLimit']),
      generation: workload.generation,
      observedGeneration: numberOrNull(workload.status['observedGeneration']),
      deletedAt: workload.deletedAt,
      blockers: status.blockers.map((blocker) => ({
        ...blocker,
        block: { ...blocker.block, message: mask.text(blocker.block.message) },
      })),
      conditions: conditionsOf(workload.status, context),
      owners: managingToolsOf(workload).map(({ tool, name, note }) => ({
        tool,
        name: mask.text(name),
        note: mask.text(note),
      })),
      controls: controlsOf(view, context),
      defaultTarget: offered,
      kubectlStatus: mask.text(status.kubectl.text),
      ...(status.kubectl.command !== undefined && { kubectlCommand: status.kubectl.command }),
      links: workloadLinks(context, view),
      annotations: mask.annotations(workload.annotations),
      ...(kind.producer && { producer: producerItem(kind.producer({ workload, history: shown }), mask) }),
      ...(shown.targetAssumed === true && { targetAssumed: true }),
      ...(workload.placeholder && { placeholder: placeholderItem(workload.placeholder) }),
      ...(kind.movesPartition && { movesPartition: true as const }),
      ...(groups !== undefined && { groups: maySource ? groups : withoutRevisions(groups) }),
      ...composition,
      rollout: rollout === null ? null : { ...rollout, record: openRecordOf(summaries, rollout) },
    },
    revisions: (await revisionItems(context, entries, incarnation.summaries, kind)).map((item) =>
      shown.livenessUnknown === true && !item.live ? { ...item, livenessUnknown: true } : item,
    ),
    orphans: shown.orphans.map((orphan) => ({
      name: orphan.name,
      number: orphan.number.kind === 'number' ? orphan.number.value : null,
      createdAt: orphan.createdAt,
    })),
    ...(shown.stored && { stored: shown.stored.map(storedItem) }),
    gaps: gapsOf(shown, incarnation),
    incarnations: archived.incarnations.map(incarnationItem),
    warnings: [
      ...shown.warnings,
      ...odditiesOf(context, view, shown),
      ...hiddenWarnings(hiddenCount(entries)),
    ].map((warning) => mask.text(warning)),
    partial: [...partialOf(context, view, maySource, viewer), ...withoutArchive],
    ...freshness(context),
  };
}

function odditiesOf(
  { cluster: { cache } }: ReadContext,
  { kind, workload }: WorkloadView,
  { target }: RevisionHistory,
): readonly string[] {
  if (kind.templateNotes === undefined || target === null) return [];
  const current = cache.template(workload.bodyId);
  const requested = cache.template(target.source.bodyId);
  if (current === undefined || requested === undefined) return [];
  return kind.templateNotes(workload, current, requested);
}

function storedItem({
  name,
  createdAt,
  embeddedObject: holds,
}: RevisionSource): NonNullable<MaskedDetail['stored']>[number] {
  return { name, createdAt, holds: holds === undefined ? null : { kind: holds.kind, name: holds.name } };
}

/** Whether what is not in the cache is not in the cluster either. */
function knowsSources({ cluster }: ReadContext, { kind, workload }: WorkloadView): boolean {
  const state = cluster.cache
    .states(workload.namespace)
    .find(({ resource }) => resource === kind.source.resource.id);
  return state?.synced === true && state.problem === null;
}

/** The one that the record proves; else the one that the cluster makes likely. */
function offeredTarget(
  context: ReadContext,
  { kind }: WorkloadView,
  shown: RevisionHistory,
  entries: readonly RevisionEntry[],
  incarnation: ArchivedIncarnation,
): MaskedDetail['workload']['defaultTarget'] {
  const proven = findProvenTarget(recordedRuns(shown, entries, incarnation.summaries), context.now());
  if (proven !== null) return { ...proven, ...revertsOf(entries, incarnation, proven.id) };
  const likely = chooseDefaultTarget(shown, kind.previous(shown));
  if (likely === null) return null;
  const { revision, why } = likely;
  return { id: revision.id, number: revision.number, why };
}

/** What a rollback to one of them would revert, in the words of the dialog. */
function revertsOf(
  entries: readonly RevisionEntry[],
  { summaries }: ArchivedIncarnation,
  id: string,
): { reverts?: number } {
  const earlier = summaries
    .toSorted((a, b) => a.activation - b.activation)
    .map(({ id: rollout, from, to }) => ({ rollout, from, to }));
  const current = earlier.at(-1)?.to;
  const hash = entries.find((entry) => entry.id === id)?.hash;
  const target = earlier.find(({ to }) => to.hash === hash)?.to;
  if (current === undefined || target === undefined) return {};
  const reverted = findRevertedRollouts(current, target, earlier);
  return reverted === null ? {} : { reverts: 1 + reverted.others };
}

function hiddenWarnings(hidden: number): string[] {
  if (hidden === 0) return [];
  return [
    `${formatCount(hidden, 'older revision')} ${hidden === 1 ? 'is' : 'are'} not listed. Their rollouts are in History, and the API still finds them by id or number.`,
  ];
}

/** Numbers that are missing in the archive too. */
function gapsOf({ gaps }: RevisionHistory, { revisions, activations }: ArchivedIncarnation): number[] {
  const known = new Set([
    ...revisions.flatMap(({ numbers }) => numbers),
    ...activations.map(({ revision }) => revision.number),
  ]);
  return gaps.filter((number) => !known.has(number));
}

function withoutSources(history: RevisionHistory): RevisionHistory {
  const { stored: _, ...rest } = history;
  return { ...rest, revisions: [], target: null, orphans: [], gaps: [], warnings: [] };
}

/** A viewer who can't read the revisions does not learn which of them a group runs. */
function withoutRevisions(groups: GroupsItem): GroupsItem {
  const items = groups.items.map((group) => ({
    ...group,
    revision: null,
    revisionId: null,
    key: null,
    otherKeys: [],
  }));
  const parts = groups.parts.map((part) => ({ ...part, revisions: [] }));
  return { ...groups, items, parts };
}

function controlsOf(view: WorkloadView, context: ReadContext): MaskedDetail['workload']['controls'] {
  const { kind, workload, history, pods, children: parts } = view;
  const names = pods.map(({ name }) => name);
  const text = (reason: string | null) => context.keys.mask.text(textInSight(reason, names, view.sight));
  const present = context.cluster.cache.template(workload.bodyId) ?? {};
  const now = new Date(context.now()).toISOString();
  return actionKinds.flatMap((action: ActionKind): MaskedDetail['workload']['controls'] => {
    if (action === 'rollback') {
      const reason = refusalOfAll(view, context, present);
      return [{ action, enabled: reason === null, reason: text(reason) }];
    }
    if (action === 'partition' || action === 'deletePod') {
      const has = kind.writes[action] !== undefined;
      return has ? [{ action, enabled: true, reason: null }] : [];
    }
    const control = kind.writes[action];
    if (control === undefined) return [];
    const planned = control({
      workload,
      currentTemplate: present,
      history,
      pods,
      now,
      ...(parts && { children: parts }),
    });
    const refusal = planned.findings.find((finding) => finding.severity === 'refusal');
    return [{ action, enabled: refusal === undefined, reason: text(refusal?.message ?? null) }];
  });
}

/**
 * For a workload with a generator, and for a kind whose controllers are unknown: why no rollback to any of its
 * revisions is possible, as far as the newest one shows. Null where it may be tried.
 */
function refusalOfAll(
  { kind, workload, history, pods, children: parts }: WorkloadView,
  { cluster }: ReadContext,
  present: Template,
): string | null {
  const generatorRefusal = refuseGenerated(workload) ?? kind.refusesRollback?.(workload)[0];
  if (generatorRefusal !== undefined)
    return `${generatorRefusal.message} ${generatorRefusal.action ?? ''}`.trimEnd();
  if (kind.producer === undefined) return null;
  const revision = history.revisions.find(({ target }) => !target) ?? history.revisions[0];
  const template = revision && cluster.cache.template(revision.source.bodyId);
  if (revision === undefined || template === undefined) return null;
  const to = retainedTarget(revision);
  const asked = {
    workload,
    currentTemplate: present,
    history,
    to,
    template,
    pods,
    reason: '',
    likeKubectl: false,
  };
  const { findings } = kind.writes.rollback({ ...asked, ...(parts && { children: parts }) });
  return (
    findings.find(({ severity, code }) => severity === 'refusal' && code !== 'equal_target')?.message ?? null
  );
}

function conditionsOf(status: JsonObject, context: ReadContext): MaskedDetail['workload']['conditions'] {
  const list = Array.isArray(status['conditions']) ? status['conditions'] : [];
  return list.slice(0, 50).flatMap((entry) => {
    if (entry === null || typeof entry !== 'object' || Array.isArray(entry)) return [];
    return [
      {
        type: textOf(entry['type']) ?? '',
        status: textOf(entry['status']) ?? '',
        reason: textOf(entry['reason']),
        message: context.keys.mask.text(textOf(entry['message'])),
        lastTransitionTime: textOf(entry['lastTransitionTime']),
        lastUpdateTime: textOf(entry['lastUpdateTime']),
      },
    ];
  });
}

function partialOf(
  context: ReadContext,
  view: WorkloadView,
  maySource: boolean,
  viewer: Viewer,
): MaskedPartial[] {
  const { kind } = view;
  const partial = partialInSight(view.sight, context.keys.mask);
  const sourceId = kind.source.resource.id;
  if (!maySource) {
    partial.push({
      resource: sourceId,
      reason: context.keys.mask.text(
        `${viewer.name} is not allowed to list ${kind.source.resource.plural} in ${view.workload.namespace}, so the revisions are not shown.`,
      ),
    });
  }
  const shown = new Set([kind.resource.id, sourceId, 'pods', 'events']);
  const { namespace } = view.workload;
  return [...partial, ...partialResources(context, (resource) => shown.has(resource), namespace)];
}

function producerItem(
  { name, notes }: ProducerDescription,
  mask: Mask,
): MaskedDetail['workload']['producer'] {
  return { name, notes: notes.map((note) => mask.text(note)) };
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function placeholderItem({ state, owner, component }: Placeholder): MaskedDetail['workload']['placeholder'] {
  const shown = owner && { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name };
  return { state, owner: shown, component };
}
