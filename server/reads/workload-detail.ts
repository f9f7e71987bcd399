import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { GroupsItem } from '@/lib/api/groups';
import type { ProducerDescription, workloadDetailSchema } from '@/lib/api/workloads';
import { chooseDefaultTarget } from '@/lib/history/default-target';
import { findProvenTarget, revisionsWithoutPods } from '@/lib/history/proven-target';
import type { RevisionHistory } from '@/lib/history/revision';
import { withEarlier } from '@/server/reads/adopted-incarnation';
import { findRevertedRollouts } from '@/lib/records/reverted-rollouts';
import type { RevisionSource, Workload } from '@/lib/history/workload';
import { formatCount } from '@/lib/format/text';
import {
  type ArchivedIncarnation,
  queryArchive,
  nothingArchived,
  readArchivedIncarnation,
  readIncarnations,
} from '@/server/views/query-archive';
import type { ReadContext } from '@/server/views/context';
import { compositionOf } from '@/server/reads/generated-workloads';
import { freshness } from '@/server/reads/freshness';
import { groupsItem } from '@/server/reads/groups';
import { workloadLinks } from '@/server/reads/links';
import { withRecord } from '@/server/views/last-rollout';
import { incarnationItem } from '@/server/views/find-incarnation';
import { type MaskedPartial, partialResources } from '@/server/views/partial';
import { ownDetail } from '@/server/reads/own-detail';
import { openRecordOf } from '@/server/reads/rollout-records';
import { rolloutOf } from '@/server/views/find-rollout';
import { ownersItem } from '@/server/reads/owners-item';
import { recordedRuns } from '@/server/reads/recorded-runs';
import { type RevisionEntry, revisionEntries } from '@/server/reads/revision-entries';
import { hiddenCount, revisionItems } from '@/server/reads/revision-items';
import { can } from '@/server/views/rights';
import { hiddenParts } from '@/server/views/view-rights';
import type { WorkloadView } from '@/server/views/workload-view';
import type { Mask } from '@/server/shared/mask';
import { TurnBudget } from '@/server/shared/turn-budget';
import type { Viewer } from '@/server/shared/viewer';

const nothingRead = { incarnations: [], own: nothingArchived, archived: nothingArchived, from: null };

/** A workload's page as it is answered. */
type MaskedDetail = Answer<typeof workloadDetailSchema>;

/** Of many requests at once the others hold nothing yet: what lives through their turns must be copied and collected. */
const turns = new TurnBudget(2);

/** The workload page in one answer: state, history, possible actions. The viewer can see the workload. */
export async function workloadDetail(
  context: ReadContext,
  viewer: Viewer,
  view: WorkloadView,
): Promise<MaskedDetail> {
  await turns.acquire();
  const { cluster, keys } = context;
  const { mask } = keys;
  const { workload, history, kind } = view;
  const retained = new Map(history.revisions.map((revision) => [revision.id, revision]));
  const [maySource, rollout, groups, composition, owners, { answer: archived, partial: withoutArchive }] =
    await Promise.all([
      can(cluster, viewer, 'list', kind.source.resource, workload.namespace),
      rolloutOf(context, viewer, workload),
      groupsItem(cluster, viewer, view),
      compositionOf(context, viewer, view),
      ownersItem(context, viewer, workload),
      queryArchive(context, nothingRead, async (archive) => {
        const [incarnations, incarnation] = await Promise.all([
          readIncarnations(context, archive.workloads, workload, workload.uid),
          readArchivedIncarnation(archive, { cluster: cluster.identity.id, uid: workload.uid }, retained),
        ]);
        return {
          incarnations,
          own: incarnation,
          ...(await withEarlier(archive, incarnation, incarnations, view)),
        };
      }),
    ]);
  const shown: RevisionHistory = maySource ? history : withoutSources(history);
  const incarnation = maySource ? archived.archived : nothingArchived;
  const { summaries } = archived.own;
  const entries = revisionEntries(shown, incarnation, knowsSources(context, view));
  const offered = offeredTarget(context, view, shown, entries, incarnation);
  const owner = { kind, workload, from: archived.from, activations: archived.archived.activations };
  const isUnproven = withoutArchive.length > 0;
  await Promise.all([mask.prepare(workload.labels), mask.prepare(workload.annotations)]);
  const own = ownDetail(context, view);
  return {
    workload: {
      ...withRecord(own, summaries.at(-1), mask),
      defaultTarget: offered && isUnproven ? unproven(offered) : offered,
      links: workloadLinks(context, view),
      owners,
      ...(kind.producer && { producer: producerItem(kind.producer({ workload, history: shown }), mask) }),
      ...(shown.targetAssumed === true && { targetAssumed: true }),
      ...(groups !== undefined && { groups: maySource ? groups : withoutRevisions(groups) }),
      ...composition,
      rollout: rollout === null ? null : { ...rollout, record: openRecordOf(summaries, rollout) },
    },
    revisions: (await revisionItems(context, entries, incarnation.summaries, owner)).map((item) =>
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
  if (kind.template?.notes === undefined || target === null) return [];
  const current = cache.template(workload.bodyId);
  const requested = cache.template(target.source.bodyId);
  if (current === undefined || requested === undefined) return [];
  return kind.template.notes(workload, current, requested);
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
  { kind, workload }: WorkloadView,
  shown: RevisionHistory,
  entries: readonly RevisionEntry[],
  incarnation: ArchivedIncarnation,
): MaskedDetail['workload']['defaultTarget'] {
  const runs = lendsTemplate(context, workload)
    ? []
    : recordedRuns(shown, kind, entries, incarnation.summaries);
  const proven = findProvenTarget(runs, context.now());
  if (proven !== null) return { ...proven, ...revertsOf(entries, incarnation, proven.id) };
  const likely = chooseDefaultTarget(shown, kind.previous(shown), workload, revisionsWithoutPods(runs));
  if (likely === null) return null;
  const { revision, why } = likely;
  return { id: revision.id, number: revision.number, why };
}

/** Whether another workload runs its template: then only the records of that one prove what ran. */
function lendsTemplate({ cluster }: ReadContext, { resource, namespace, name }: Workload): boolean {
  const { cache } = cluster;
  for (const other of cache.workloads()) {
    const owner =
      other.namespace === namespace ? cache.kindOf(other.resource)?.template?.owner?.(other) : null;
    if (owner != null && owner.resource.id === resource && owner.name === name) return true;
  }
  return false;
}

/** No outcome is known while the archive can't be read: a person has to choose. */
function unproven(
  offered: NonNullable<MaskedDetail['workload']['defaultTarget']>,
): MaskedDetail['workload']['defaultTarget'] {
  return { ...offered, why: `not proven: archive not reachable; ${offered.why}`, unproven: true };
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

function partialOf(
  context: ReadContext,
  view: WorkloadView,
  maySource: boolean,
  viewer: Viewer,
): MaskedPartial[] {
  const { kind } = view;
  const partial = hiddenParts(view.rights, context.keys.mask);
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
