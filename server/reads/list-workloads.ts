import 'server-only';
import { nameKey } from '@/lib/kube/name-key';
import type { Answer } from '@/lib/api/common';
import type { WorkloadListQuery, workloadItemSchema, workloadListSchema } from '@/lib/api/workloads';
import { AppError } from '@/lib/errors';
import { matchesSelector, type Selector } from '@/lib/kube/selector';
import { matchRank, splitWords } from '@/lib/view/match-rank';
import { workloadStates, type WorkloadState } from '@/lib/api/workload-values';
import type { Workload } from '@/lib/history/workload';
import type { ReadContext } from '@/server/views/context';
import type { Fleet, ViewedCluster } from '@/server/views/fleet';
import { encodeCursor, decodeCursor } from '@/server/reads/cursor';
import { withAllowedActions } from '@/server/reads/due-action';
import { fleetFreshness } from '@/server/reads/freshness';
import { overClusters, partialOfCluster } from '@/server/views/over-clusters';
import { type MaskedPartial, partialResources } from '@/server/views/partial';
import { parseMoment } from '@/server/reads/time-query';
import {
  hiddenReason,
  mayQuote,
  hiddenParts,
  type ViewRights,
  readRightsIn,
} from '@/server/views/view-rights';
import { visibleOf } from '@/server/views/visible-objects';
import { commaSet, parseSelectorField } from '@/server/reads/list-query';
import { isOpenRollout } from '@/lib/api/rollout-values';
import { systemOf } from '@/lib/rollout/systems/table';
import { can } from '@/server/views/rights';
import { deriveRolloutView } from '@/server/views/rollout-view';
import type { Viewer } from '@/server/shared/viewer';

const HOUR_MS = 3_600_000;

type Item = Answer<typeof workloadItemSchema>;

/**
 * The list of all workloads that the viewer can see, filtered, in a stable order, paged: the best matches of the words
 * first.
 */
export async function listWorkloads(
  fleet: Fleet,
  query: WorkloadListQuery,
): Promise<Answer<typeof workloadListSchema>> {
  const nowMs = fleet.now();
  const filter = parseFilter(query, nowMs);
  const after = query.cursor === undefined ? null : decodeCursor(fleet.keys, query.cursor);
  const { answers, partial } = await overClusters(fleet, (viewed) =>
    rowsOf(viewed, filter, query.plainRollout !== undefined),
  );
  const rows = answers.flatMap(({ value }) => value.rows);
  const matching = filter.states === null ? rows : rows.filter(({ item }) => filter.states?.has(item.state));
  matching.sort(compareRows);
  const start = after === null ? 0 : matching.findIndex((row) => orderKey(row) > after);
  const page = start < 0 ? [] : matching.slice(start, start + query.limit);
  const last = page.at(-1);
  const hasMore = start >= 0 && start + page.length < matching.length;
  return {
    items: await itemsOf(page),
    nextCursor: hasMore && last !== undefined ? encodeCursor(fleet.keys, orderKey(last)) : null,
    partial: [
      ...partial,
      ...answers.flatMap(({ viewed, value }) => partialOfCluster(fleet, viewed, value.partial)),
    ],
    counts: countRows(
      rows.map(({ item }) => item),
      nowMs,
    ),
    namespaces: [...new Set(answers.flatMap(({ value }) => [...value.namespaces]))].sort(),
    ...fleetFreshness(fleet),
  };
}

interface ClusterRows {
  rows: Row[];
  /** Of everything that the viewer can see. */
  namespaces: ReadonlySet<string>;
  partial: MaskedPartial[];
}

/** What one cluster contributes, whatever its state. */
async function rowsOf(viewed: ViewedCluster, filter: WorkloadFilter, isPlain: boolean): Promise<ClusterRows> {
  const { context, viewer } = viewed;
  const { visible, partial } = await visibleWorkloads(viewed);
  const workloads = visible.filter((workload) => matchesCachedFields(workload, filter));
  const whole = await context.views.items(workloads);
  const quoting = new Set(whole.flatMap((item) => (mayQuote(item) ? [item.namespace] : [])));
  const rights = await readRightsIn(context.cluster, viewer, quoting);
  const show = (workload: Workload, item: Item) =>
    mayQuote(item) ? context.views.item(workload, rights(item.namespace)) : item;
  const rows = workloads
    .flatMap((workload, index) => {
      const item = whole[index];
      return item === undefined ? [] : [show(workload, item)];
    })
    .filter((item) => matches(item, filter))
    .flatMap((item) => rowOf(item, filter.words, viewed) ?? []);
  return {
    rows: isPlain ? await withPlainRollout(context, viewer, rows) : rows,
    namespaces: new Set(visible.map(({ namespace }) => namespace)),
    partial: [...partial, ...partialOfRows(context, rows, rights)],
  };
}

/** Why some of the rows leave out what pods or events say. */
function partialOfRows(
  { keys }: ReadContext,
  rows: readonly Row[],
  rights: (namespace: string) => ViewRights,
): MaskedPartial[] {
  const blind = rows.find(({ item }) => mayQuote(item) && hiddenReason(rights(item.namespace)) !== null);
  return blind === undefined ? [] : hiddenParts(rights(blind.item.namespace), keys.mask);
}

/** The items of a page, with the actions that the viewer can do. */
async function itemsOf(page: readonly Row[]): Promise<Item[]> {
  const allowed = new Map<Item, Item>();
  const byCluster = [...Map.groupBy(page, ({ viewed }) => viewed)];
  await Promise.all(
    byCluster.map(async ([{ context, viewer }, rows]) => {
      const items = rows.map(({ item }) => item);
      const answers = await withAllowedActions(context, viewer, items);
      for (const [index, item] of items.entries()) allowed.set(item, answers[index] ?? item);
    }),
  );
  return page.map(({ item }) => allowed.get(item) ?? item);
}

interface WorkloadFilter {
  keys: ReadonlySet<string> | null;
  namespaces: ReadonlySet<string> | null;
  resources: ReadonlySet<string> | null;
  states: ReadonlySet<WorkloadState> | null;
  words: readonly string[];
  selector: Selector | null;
  changedSinceMs: number | null;
  moreThanOneLive: boolean;
}

function parseFilter(query: WorkloadListQuery, nowMs: number): WorkloadFilter {
  return {
    keys: commaSet(query.keys),
    namespaces: commaSet(query.namespace),
    resources: commaSet(query.resource),
    states: parseStates(query.state),
    words: splitWords(query.q ?? ''),
    selector: query.labelSelector === undefined ? null : parseSelectorField(query.labelSelector),
    changedSinceMs:
      query.changedSince === undefined ? null : parseMoment('changedSince', query.changedSince, nowMs),
    moreThanOneLive: query.moreThanOneLive !== undefined,
  };
}

function parseStates(text: string | undefined): ReadonlySet<WorkloadState> | null {
  const parts = commaSet(text);
  if (parts === null) return null;
  const known = new Set<string>(workloadStates);
  for (const part of parts) {
    if (!known.has(part)) {
      throw new AppError('bad_request', `state: ${part} is not one of ${workloadStates.join(', ')}.`, {
        field: 'state',
      });
    }
  }
  return parts as ReadonlySet<WorkloadState>;
}

async function visibleWorkloads({
  context,
  viewer,
}: ViewedCluster): Promise<{ visible: Workload[]; partial: MaskedPartial[] }> {
  const { cache } = context.cluster;
  const resources = cache.kinds().map(({ resource }) => resource);
  const { visible, partial } = await visibleOf(context, viewer, resources, cache.workloads());
  return { visible, partial: [...partial, ...partialResources(context, () => true)] };
}

/** Filters that need no derived row. */
function matchesCachedFields(workload: Workload, filter: WorkloadFilter): boolean {
  const { resource, namespace } = workload;
  if (filter.keys !== null && !filter.keys.has(nameKey(workload))) return false;
  if (filter.namespaces !== null && !filter.namespaces.has(namespace)) return false;
  if (filter.resources !== null && !filter.resources.has(resource)) return false;
  return filter.selector === null || matchesSelector(filter.selector, workload.labels);
}

function matches(item: Item, filter: WorkloadFilter): boolean {
  if (filter.moreThanOneLive && item.revisions.live < 2) return false;
  return filter.changedSinceMs === null || changedSince(item, filter.changedSinceMs);
}

function changedSince(item: Item, sinceMs: number): boolean {
  return changedAt(item) >= sinceMs;
}

/** A row never changes, and each answer counts all of them. */
const changeTimes = new WeakMap<Item, number>();

/** Milliseconds since the epoch. An unknown start counts by its upper bound: it may have been earlier, never later. */
function changedAt(item: Item): number {
  const known = changeTimes.get(item);
  if (known !== undefined) return known;
  const at = item.lastRollout?.startedAt ?? item.lastRollout?.notAfter;
  const ms = at == null ? -Infinity : Date.parse(at);
  changeTimes.set(item, ms);
  return ms;
}

/** A workload with its rank among the matches of the search. */
interface Row {
  item: Item;
  rank: number;
  viewed: ViewedCluster;
}

/** Null where it does not match. */
function rowOf(item: Item, words: readonly string[], viewed: ViewedCluster): Row | null {
  const rank = words.length === 0 ? 0 : matchRank(words, item.name.toLowerCase(), fieldsOf(item));
  return rank === null ? null : { item, rank, viewed };
}

/** The searchable texts besides the name, the most telling first. */
function fieldsOf({ namespace, images, lastRollout, kind }: Item): string[] {
  const change = [
    lastRollout?.changeCause,
    lastRollout?.record?.cause,
    lastRollout?.writer?.manager,
    lastRollout?.record?.actor?.name,
    kind,
  ];
  return [namespace, images.map(({ image }) => image).join('\n'), change.join('\n')].map((text) =>
    text.toLowerCase(),
  );
}

function countRows(rows: readonly Item[], nowMs: number): Answer<typeof workloadListSchema>['counts'] {
  const byState: { [state in WorkloadState]?: number } = {};
  for (const item of rows) byState[item.state] = (byState[item.state] ?? 0) + 1;
  return {
    total: rows.length,
    byState,
    changedInLastHour: rows.filter((item) => changedSince(item, nowMs - HOUR_MS)).length,
    moreThanOneLive: rows.filter((item) => item.revisions.live > 1).length,
  };
}

/** Words are at most as many as a query is long. */
const RANK_DIGITS = 4;

function orderKey({ item, rank, viewed }: Row): string {
  return `${String(rank).padStart(RANK_DIGITS, '0')}\0${item.namespace}\0${item.name}\0${item.resource}\0${viewed.entry.name}`;
}

/** Compares by {@link orderKey}, without building it. */
function compareRows(row: Row, otherRow: Row): number {
  const [a, b] = [row.item, otherRow.item];
  if (row.rank !== otherRow.rank) return row.rank - otherRow.rank;
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  if (a.resource !== b.resource) return a.resource < b.resource ? -1 : 1;
  return row.viewed.entry.name < otherRow.viewed.entry.name ? -1 : 1;
}

/** States of a workload in the middle of a rollout. */
const inProgressStates: ReadonlySet<WorkloadState> = new Set([
  'rolling',
  'held',
  'paused',
  'waiting',
  'stuck',
  'deadlineExceeded',
]);

/**
 * Those with a rollout in progress that no progressive rollout in progress moves: `GET /api/rollouts` has the others.
 * A progressive rollout that the viewer can't list hides nothing.
 */
export async function withPlainRollout<Row extends { item: Item }>(
  context: ReadContext,
  viewer: Viewer,
  rows: readonly Row[],
): Promise<Row[]> {
  const isPlain = await Promise.all(
    rows.map(async ({ item }) => isInProgress(item) && !(await isProgressive(context, viewer, item))),
  );
  return rows.filter((_, index) => isPlain[index]);
}

/** A record that has ended settles what the state leaves open: a workload may be paused after its rollout. */
function isInProgress({ state, lastRollout }: Item): boolean {
  const record = lastRollout?.record ?? null;
  return inProgressStates.has(state) && (record === null || record.outcome === null);
}

async function isProgressive(context: ReadContext, viewer: Viewer, item: Item): Promise<boolean> {
  const { cluster, views, rollouts, now } = context;
  for (const object of [...cluster.rollouts.rolloutsOf(item), ...cluster.rollouts.rolloutsInvolving(item)]) {
    const type = systemOf(object.resource)?.resource;
    const view = rollouts?.view(object) ?? deriveRolloutView(cluster, views, object, now());
    if (type === undefined || !isOpenRollout(view.rollout.state)) continue;
    if (await can(cluster, viewer, 'list', type, object.namespace)) return true;
  }
  return false;
}
