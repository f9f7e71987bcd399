import 'server-only';
import { type Partial } from '@/lib/api/common';
import { type GroupsItem, type WorkloadDetail } from '@/lib/api/workloads';
import { defaultTarget } from '@/lib/history/default-target';
import { provenTarget } from '@/lib/history/proven-target';
import { type History } from '@/lib/history/revision';
import { findTakenBack } from '@/lib/ledger/takes-back';
import { actionKinds, type ActionKind } from '@/lib/workloads/plan';
import { type JsonObject } from '@/lib/kube/json';
import { type ProducerWords } from '@/lib/workloads/kind';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import { type RevisionSource, type Template } from '@/lib/workloads/workload';
import { ownersOf, refusalOfMade } from '@/lib/workloads/owners';
import { count } from '@/lib/workloads/words';
import {
  type ArchivedLife,
  archivePart,
  nothingArchived,
  readArchivedLife,
  readLives,
} from '@/server/reads/archive-part';
import { type ReadContext } from '@/server/reads/context';
import { compositionOf } from '@/server/reads/composition';
import { freshness } from '@/server/reads/freshness';
import { groupsItem } from '@/server/reads/groups';
import { workloadLinks } from '@/server/reads/links';
import { withRecord } from '@/server/reads/last-rollout';
import { lifeItem } from '@/server/reads/life-item';
import { missingParts } from '@/server/reads/partial';
import { openRecordOf } from '@/server/reads/release-records';
import { rolloutOf } from '@/server/reads/rollouts';
import { recordedRuns } from '@/server/reads/recorded-runs';
import { type RevisionEntry, revisionEntries } from '@/server/reads/revision-entries';
import { hiddenCount, revisionItems } from '@/server/reads/revision-items';
import { may } from '@/server/reads/rights';
import { seenOfWorkload } from '@/server/reads/seen';
import { itemOf, type WorkloadView } from '@/server/reads/view';
import { maskAnnotations, maskText } from '@/server/mask';
import { type Viewer } from '@/server/viewer';

/** The workload page in one answer: state, history, what can be done. The viewer may see the workload. */
export async function workloadDetail(
  context: ReadContext,
  viewer: Viewer,
  view: WorkloadView,
): Promise<WorkloadDetail> {
  const { cluster, keys } = context;
  const { workload, history, kind, status } = view;
  const [maySource, rollout, groups, composition, { answer: archived, partial: withoutArchive }] =
    await Promise.all([
      may(cluster, viewer, 'list', kind.source.resource, workload.namespace),
      rolloutOf(context, viewer, workload),
      groupsItem(cluster, viewer, view),
      compositionOf(context, viewer, view),
      archivePart(context, { lives: [], life: nothingArchived }, async (archive) => {
        const [lives, life] = await Promise.all([
          readLives(context, archive, workload, workload.uid),
          readArchivedLife(archive, workload.uid),
        ]);
        return { lives, life };
      }),
    ]);
  const shown: History = maySource ? history : withoutSources(history);
  const life = maySource ? archived.life : nothingArchived;
  const entries = revisionEntries(shown, life, knowsSources(context, view));
  const offered = offeredTarget(context, view, shown, entries, life);
  const spec = workload.spec;
  const partition = kind.partition(workload);
  return {
    workload: {
      ...withRecord(itemOf(cluster.identity.id, view, keys), archived.life.marks.at(-1), keys),
      seen: seenOfWorkload(keys, cluster.identity.id, view),
      sentence: maskText(status.sentence, keys),
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
        block: { ...blocker.block, message: maskNullable(blocker.block.message, context) },
      })),
      conditions: conditionsOf(workload.status, context),
      owners: ownersOf(workload),
      controls: controlsOf(view, context),
      defaultTarget: offered,
      kubectlStatus: maskText(status.kubectl.text, keys),
      ...(status.kubectl.command !== undefined && { kubectlCommand: status.kubectl.command }),
      links: workloadLinks(context.config.links, view),
      annotations: maskAnnotations(workload.annotations, keys),
      ...(kind.producer && { producer: producerItem(kind.producer({ workload, history: shown })) }),
      ...(shown.targetAssumed === true && { targetAssumed: true }),
      ...(workload.standIn && { standIn: workload.standIn }),
      ...(kind.movesPartition && { movesPartition: true as const }),
      ...(groups !== undefined && { groups: maySource ? groups : withoutRevisions(groups) }),
      ...composition,
      rollout: rollout === null ? null : { ...rollout, record: openRecordOf(archived.life.marks, rollout) },
    },
    revisions: (await revisionItems(context, entries, life.marks, kind)).map((item) =>
      shown.livenessUnknown === true && !item.live ? { ...item, livenessUnknown: true } : item,
    ),
    orphans: shown.orphans.map((orphan) => ({
      name: orphan.name,
      number: orphan.number.kind === 'number' ? orphan.number.value : null,
      createdAt: orphan.createdAt,
    })),
    ...(shown.stored && { stored: shown.stored.map(storedItem) }),
    gaps: gapsOf(shown, life),
    lives: archived.lives.map(lifeItem),
    warnings: [...shown.warnings, ...odditiesOf(context, view, shown), ...tellHidden(hiddenCount(entries))],
    partial: [...partialOf(context, view, maySource, viewer), ...withoutArchive],
    ...freshness(context),
  };
}

function odditiesOf(
  { cluster: { cache }, keys }: ReadContext,
  { kind, workload }: WorkloadView,
  { target }: History,
): string[] {
  if (kind.oddities === undefined || target === null) return [];
  const [present, asked] = [cache.template(workload.bodyId), cache.template(target.source.bodyId)];
  if (present === undefined || asked === undefined) return [];
  return kind.oddities(workload, present, asked).map((oddity) => maskText(oddity, keys));
}

function producerItem({ name, notes }: ProducerWords): WorkloadDetail['workload']['producer'] {
  return { name, notes: [...notes] };
}

function storedItem({
  name,
  createdAt,
  holds,
}: RevisionSource): NonNullable<WorkloadDetail['stored']>[number] {
  return { name, createdAt, holds: holds === undefined ? null : { kind: holds.kind, name: holds.name } };
}

/** Whether what is not in the cache is not in the cluster either. */
function knowsSources({ cluster }: ReadContext, { kind, workload }: WorkloadView): boolean {
  const state = cluster.cache
    .states(workload.namespace)
    .find(({ resource }) => resource === kind.source.resource.id);
  return state?.synced === true && state.problem === null;
}

/** The one that the record proves; else what the cluster alone makes likely. */
function offeredTarget(
  context: ReadContext,
  { kind }: WorkloadView,
  shown: History,
  entries: readonly RevisionEntry[],
  life: ArchivedLife,
): WorkloadDetail['workload']['defaultTarget'] {
  const proven = provenTarget(recordedRuns(shown, entries, life.marks), context.now());
  if (proven !== null) return { ...proven, ...revertsOf(entries, life, proven.id) };
  const likely = defaultTarget(shown, kind.previous(shown));
  if (likely === null) return null;
  const { revision, why } = likely;
  return { id: revision.id, number: revision.number, why };
}

/** What a rollback to one of them would revert, as the dialog says it too. */
function revertsOf(
  entries: readonly RevisionEntry[],
  { marks }: ArchivedLife,
  id: string,
): { reverts?: number } {
  const earlier = marks
    .toSorted((a, b) => a.activation - b.activation)
    .map(({ id: rollout, from, to }) => ({ rollout, from, to }));
  const present = earlier.at(-1)?.to;
  const hash = entries.find((entry) => entry.id === id)?.hash;
  const target = earlier.find(({ to }) => to.hash === hash)?.to;
  if (present === undefined || target === undefined) return {};
  const taken = findTakenBack(present, target, earlier);
  return taken === null ? {} : { reverts: 1 + taken.others };
}

function tellHidden(hidden: number): string[] {
  if (hidden === 0) return [];
  return [
    `${count(hidden, 'older revision')} ${hidden === 1 ? 'is' : 'are'} not listed: the records tell of their rollouts, and by id or number they are still found.`,
  ];
}

/** Numbers that the archive doesn't know either. */
function gapsOf({ gaps }: History, { revisions, activations }: ArchivedLife): number[] {
  const known = new Set([
    ...revisions.flatMap(({ numbers }) => numbers),
    ...activations.map(({ revision }) => revision.number),
  ]);
  return gaps.filter((number) => !known.has(number));
}

function withoutSources(history: History): History {
  const { stored: _, ...rest } = history;
  return { ...rest, revisions: [], target: null, orphans: [], gaps: [], warnings: [] };
}

/** Whoever may not read the revisions is not told which of them a group runs. */
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

function controlsOf(view: WorkloadView, context: ReadContext): WorkloadDetail['workload']['controls'] {
  const { kind, workload, history, pods, parts } = view;
  const present = context.cluster.cache.template(workload.bodyId) ?? {};
  const now = new Date(context.now()).toISOString();
  return actionKinds.flatMap((action: ActionKind): WorkloadDetail['workload']['controls'] => {
    if (action === 'rollback') {
      const reason = refusalOfAll(view, context, present);
      return [{ action, enabled: reason === null, reason }];
    }
    if (action === 'partition' || action === 'deletePod') {
      const has = kind.controls[action] !== undefined;
      return has ? [{ action, enabled: true, reason: null }] : [];
    }
    const control = kind.controls[action];
    if (control === undefined) return [];
    const planned = control({ workload, present, history, pods, now, ...(parts && { parts }) });
    const refusal = planned.findings.find((finding) => finding.severity === 'refusal');
    return [{ action, enabled: refusal === undefined, reason: refusal?.message ?? null }];
  });
}

/**
 * Of what another controller has made, and of a kind that answers for controllers that nobody knows: why none of its
 * revisions can be rolled back to, as far as the newest one tells. Null where it may be tried.
 */
function refusalOfAll(
  { kind, workload, history, pods, parts }: WorkloadView,
  { cluster }: ReadContext,
  present: Template,
): string | null {
  const made = refusalOfMade(workload) ?? kind.refusesRollback?.(workload)[0];
  if (made !== undefined) return `${made.message} ${made.action ?? ''}`.trimEnd();
  if (kind.producer === undefined) return null;
  const revision = history.revisions.find(({ target }) => !target) ?? history.revisions[0];
  const template = revision && cluster.cache.template(revision.source.bodyId);
  if (revision === undefined || template === undefined) return null;
  const to = retainedTarget(revision);
  const asked = { workload, present, history, to, template, pods, reason: '', likeKubectl: false };
  const { findings } = kind.planRollback({ ...asked, ...(parts && { parts }) });
  return (
    findings.find(({ severity, code }) => severity === 'refusal' && code !== 'equal_target')?.message ?? null
  );
}

function conditionsOf(status: JsonObject, context: ReadContext): WorkloadDetail['workload']['conditions'] {
  const list = Array.isArray(status['conditions']) ? status['conditions'] : [];
  return list.slice(0, 50).flatMap((entry) => {
    if (entry === null || typeof entry !== 'object' || Array.isArray(entry)) return [];
    return [
      {
        type: textOf(entry['type']) ?? '',
        status: textOf(entry['status']) ?? '',
        reason: textOf(entry['reason']),
        message: maskNullable(textOf(entry['message']), context),
        lastTransitionTime: textOf(entry['lastTransitionTime']),
        lastUpdateTime: textOf(entry['lastUpdateTime']),
      },
    ];
  });
}

function partialOf(context: ReadContext, view: WorkloadView, maySource: boolean, viewer: Viewer): Partial[] {
  const { kind } = view;
  const partial: Partial[] = [];
  const sourceId = kind.source.resource.id;
  if (!maySource) {
    partial.push({
      resource: sourceId,
      reason: `${viewer.name} is not allowed to list ${kind.source.resource.plural} in ${view.workload.namespace}, so the revisions are not shown.`,
    });
  }
  const shown = new Set([kind.resource.id, sourceId, 'pods', 'events']);
  const { namespace } = view.workload;
  return [...partial, ...missingParts(context.cluster, (resource) => shown.has(resource), namespace)];
}

function maskNullable(text: string | null, { keys }: ReadContext): string | null {
  return text === null ? null : maskText(text, keys);
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
