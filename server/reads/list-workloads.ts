import 'server-only';
import { nameKey } from '@/lib/kube/name-key';
import { type Answer } from '@/lib/api/common';
import {
  type WorkloadListQuery,
  type workloadItemSchema,
  type workloadListSchema,
} from '@/lib/api/workloads';
import { AppError } from '@/lib/errors';
import { matchesSelector, type Selector } from '@/lib/kube/selector';
import { matchRank, splitWords } from '@/lib/view/match-rank';
import { workloadStates, type WorkloadState } from '@/lib/api/workload-values';
import { type Workload } from '@/lib/history/workload';
import { type ReadContext } from '@/server/reads/context';
import { encodeCursor, decodeCursor } from '@/server/reads/cursor';
import { withAllowedActions } from '@/server/reads/due-action';
import { freshness } from '@/server/reads/freshness';
import { type MaskedPartial, partialResources } from '@/server/reads/partial';
import { withPlainRollout } from '@/server/reads/plain-rollouts';
import { parseMoment } from '@/server/reads/time-query';
import { visibleOf } from '@/server/reads/visible-objects';
import { type Viewer } from '@/server/shared/viewer';
import { commaSet, parseSelectorField } from '@/server/reads/list-query';

const HOUR_MS = 3_600_000;

/**
 * The list of all workloads that the viewer can see, filtered, in a stable order, paged: the best matches of the words
 * first.
 */
export async function listWorkloads(
  context: ReadContext,
  viewer: Viewer,
  query: WorkloadListQuery,
): Promise<Answer<typeof workloadListSchema>> {
  const filter = parseFilter(query, context.now());
  const after = query.cursor === undefined ? null : decodeCursor(context.keys, query.cursor);
  const { visible, partial } = await visibleWorkloads(context, viewer);
  const found = visible
    .filter((workload) => matchesCachedFields(workload, filter))
    .map((workload) => context.views.item(workload))
    .filter((item) => matches(item, filter))
    .flatMap((item) => rowOf(item, filter.words) ?? []);
  const rows = query.plainRollout === undefined ? found : await withPlainRollout(context, viewer, found);
  const matching = filter.states === null ? rows : rows.filter(({ item }) => filter.states?.has(item.state));
  matching.sort(compareRows);
  const start = after === null ? 0 : matching.findIndex((row) => orderKey(row) > after);
  const page = start < 0 ? [] : matching.slice(start, start + query.limit);
  const last = page.at(-1);
  const hasMore = start >= 0 && start + page.length < matching.length;
  return {
    items: await withAllowedActions(
      context,
      viewer,
      page.map(({ item }) => item),
    ),
    nextCursor: hasMore && last !== undefined ? encodeCursor(context.keys, orderKey(last)) : null,
    partial,
    counts: countRows(
      rows.map(({ item }) => item),
      context.now(),
    ),
    namespaces: [...new Set(visible.map((workload) => workload.namespace))].sort(),
    ...freshness(context),
  };
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

async function visibleWorkloads(
  context: ReadContext,
  viewer: Viewer,
): Promise<{ visible: Workload[]; partial: MaskedPartial[] }> {
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

function matches(item: Answer<typeof workloadItemSchema>, filter: WorkloadFilter): boolean {
  if (filter.moreThanOneLive && item.revisions.live < 2) return false;
  return filter.changedSinceMs === null || changedSince(item, filter.changedSinceMs);
}

/** An unknown start counts by its upper bound: it may have been earlier, never later. */
function changedSince(item: Answer<typeof workloadItemSchema>, sinceMs: number): boolean {
  const at = item.lastRollout?.startedAt ?? item.lastRollout?.notAfter ?? null;
  return at !== null && Date.parse(at) >= sinceMs;
}

/** A workload with its rank among the matches of the search. */
interface Row {
  item: Answer<typeof workloadItemSchema>;
  rank: number;
}

/** Null where it does not match. */
function rowOf(item: Answer<typeof workloadItemSchema>, words: readonly string[]): Row | null {
  const rank = words.length === 0 ? 0 : matchRank(words, item.name.toLowerCase(), fieldsOf(item));
  return rank === null ? null : { item, rank };
}

/** The searchable texts besides the name, the most telling first. */
function fieldsOf({ namespace, images, lastRollout, kind }: Answer<typeof workloadItemSchema>): string[] {
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

function countRows(
  rows: readonly Answer<typeof workloadItemSchema>[],
  nowMs: number,
): Answer<typeof workloadListSchema>['counts'] {
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

function orderKey({ item, rank }: Row): string {
  return `${String(rank).padStart(RANK_DIGITS, '0')}\0${item.namespace}\0${item.name}\0${item.resource}`;
}

/** Compares by {@link orderKey}, without building it. */
function compareRows({ item: a, rank }: Row, { item: b, rank: other }: Row): number {
  if (rank !== other) return rank - other;
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.resource < b.resource ? -1 : a.resource > b.resource ? 1 : 0;
}
