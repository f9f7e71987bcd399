import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { Action } from '@/lib/api/action';
import type { ActivityQuery, activityItemSchema, activitySchema } from '@/lib/api/activity';
import { AppError } from '@/lib/errors';
import type { ActionQuery, ActionRepository, ListedAction } from '@/server/archive/actions';
import { readCursor, timeCursor } from '@/server/archive/time-cursor';
import type { Mask } from '@/server/shared/mask';
import { maskedArchivedAction } from '@/server/shared/masked-action';
import type { Fleet } from '@/server/views/fleet';
import { archivedIds, recordRights, recordViewRights } from '@/server/views/archive-access';
import { hideInAction } from '@/server/views/view-rights';
import { parseMoment } from '@/server/reads/time-query';
import { setImmediate } from 'node:timers/promises';
import { formatActivityCsv } from '@/lib/view/activity-text';
import type { ClusterNames } from '@/lib/view/report-text';

/** Sources of actions besides the archive. */
export interface ActivitySource {
  /** Those of the end of the audit file in their current state, newest first. */
  latest(): readonly Action[];
  /** Resolves once the archive has them too; rejects where the archive can't be used. */
  settled(): Promise<void>;
}

type Listed = Omit<Answer<typeof activitySchema>, 'notifications'>;

/** Rows that are read at a time, and at most for one page: a search with few matches continues with the next. */
const BATCH_ROWS = 200;
const SCAN_MAX = 5_000;

/**
 * Actions through Shiplog on workloads that the viewer can see, newest first. While the archive can't be read they are
 * those of the end of the audit file, and `partial` states so.
 */
export async function listActivity(
  fleet: Fleet,
  source: ActivitySource,
  query: ActivityQuery,
): Promise<Listed> {
  const actionQuery = actionQueryOf(query, archivedIds(fleet), fleet.now());
  const select = createSelector(fleet, query);
  const latest = source.latest();
  try {
    const { archive } = fleet;
    if (archive == null) throw new AppError('archive_unavailable', 'The archive is not configured.');
    await source.settled();
    return { ...(await fromArchive(archive.actions, actionQuery, latest, select, query.limit)), partial: [] };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'archive_unavailable') throw error;
    return {
      ...(await fromFile(latest, actionQuery, select, query.limit)),
      partial: [partialOf(error, fleet.keys.mask)],
    };
  }
}

function partialOf({ message }: AppError, mask: Mask) {
  return {
    resource: 'activity',
    reason: mask.text(`The archive is unavailable; only the latest actions are shown. ${message}`),
  };
}

function actionQueryOf(
  query: ActivityQuery,
  clusters: readonly string[],
  nowMs: number,
): Required<ActionQuery> {
  const { namespace, resource, name, actor, action, state, since, until, cursor } = query;
  if (cursor !== undefined) readCursor(cursor);
  return {
    clusters,
    namespace: namespace ?? null,
    resource: resource ?? null,
    name: name ?? null,
    actor: actor ?? null,
    kinds: action === undefined ? null : [action],
    states: state === undefined ? null : statesOf(state),
    sinceMs: since === undefined ? null : parseMoment('since', since, nowMs),
    untilMs: until === undefined ? null : parseMoment('until', until, nowMs),
    limit: BATCH_ROWS,
    cursor: cursor ?? null,
  };
}

/** In the archive one that is followed may still be the one that was accepted. */
function statesOf(state: NonNullable<ActivityQuery['state']>): Action['state'][] {
  return state === 'open' || isOpen(state) ? ['accepted', 'following'] : [state];
}

function isOpen(state: Action['state']): state is 'accepted' | 'following' {
  return state === 'accepted' || state === 'following';
}

type SelectItem = (listed: ListedAction) => Promise<Answer<typeof activityItemSchema> | null>;

/** The actions that the viewer can see and searched for, as they are shown; the search finds nothing that is masked. */
function createSelector(fleet: Fleet, { q, state }: ActivityQuery): SelectItem {
  const mayRead = recordRights(fleet);
  const viewRightsAt = recordViewRights(fleet);
  const words = (q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return async (listed) => {
    const { action } = listed;
    const matchesState =
      state === 'open' ? isOpen(action.state) && action.endedAt === null : action.state === state;
    if (state !== undefined && !matchesState) return null;
    if (!(await mayRead(listed.action))) return null;
    const shown = hideInAction(action, await viewRightsAt(action));
    const item = itemOf({ ...listed, action: shown }, fleet.keys.mask);
    const text = words.length === 0 ? '' : textOf(item);
    return words.every((word) => text.includes(word)) ? item : null;
  };
}

function itemOf(listed: ListedAction, mask: Mask): Answer<typeof activityItemSchema> {
  const { action, code, apiMessage, identity, findings, recordId } = maskedArchivedAction(listed, mask);
  return { ...action, identity: identity?.user ?? null, code, apiMessage, findings, recordId };
}

function textOf({ action, resource, namespace, name, actor, reason, message }: Action): string {
  return [action, resource, namespace, name, actor, reason, message].join('\n').toLowerCase();
}

async function fromArchive(
  actions: Pick<ActionRepository, 'list'>,
  actionQuery: Required<ActionQuery>,
  latest: readonly Action[],
  select: SelectItem,
  limit: number,
): Promise<Pick<Answer<typeof activitySchema>, 'items' | 'nextCursor'>> {
  const currentById = new Map(latest.map((action) => [action.id, action]));
  const items: Answer<typeof activityItemSchema>[] = [];
  let { cursor } = actionQuery;
  for (let scanned = 0; scanned < SCAN_MAX; scanned += BATCH_ROWS) {
    const page = await actions.list({ ...actionQuery, cursor });
    for (const listed of page.items) {
      // Only its follower knows how far an open one has come.
      const now = isOpen(listed.action.state) ? currentById.get(listed.action.id) : undefined;
      const item = await select(now === undefined ? listed : { ...listed, action: now });
      if (item === null) continue;
      if (items.length === limit) return { items, nextCursor: lastCursor(items) };
      items.push(item);
    }
    cursor = page.nextCursor;
    if (cursor === null) return { items, nextCursor: null };
  }
  return { items, nextCursor: cursor };
}

async function fromFile(
  latest: readonly Action[],
  actionQuery: Required<ActionQuery>,
  select: SelectItem,
  limit: number,
): Promise<Pick<Answer<typeof activitySchema>, 'items' | 'nextCursor'>> {
  const items: Answer<typeof activityItemSchema>[] = [];
  const inOrder = [...latest].filter((action) => matches(action, actionQuery)).sort(byStart);
  for (const action of inOrder) {
    const item = await select({ ...emptyDetails, at: action.startedAt, action });
    if (item === null) continue;
    if (items.length === limit) return { items, nextCursor: lastCursor(items) };
    items.push(item);
  }
  return { items, nextCursor: null };
}

const emptyDetails: Omit<ListedAction, 'at' | 'action'> = {
  code: null,
  apiMessage: null,
  identity: null,
  origin: null,
  fromHash: null,
  findings: [],
  idempotencyKey: null,
  recordId: null,
};

function lastCursor(items: readonly Answer<typeof activityItemSchema>[]): string | null {
  const last = items.at(-1);
  return last === undefined ? null : timeCursor(last.startedAt, last.id);
}

function matches(action: Action, actionQuery: Required<ActionQuery>): boolean {
  const startedMs = Date.parse(action.startedAt);
  const after = actionQuery.cursor === null ? null : readCursor(actionQuery.cursor);
  return (
    actionQuery.clusters.includes(action.cluster) &&
    (actionQuery.namespace === null || actionQuery.namespace === action.namespace) &&
    (actionQuery.resource === null || actionQuery.resource === action.resource) &&
    (actionQuery.name === null || actionQuery.name === action.name) &&
    (actionQuery.actor === null || actionQuery.actor === action.actor) &&
    (actionQuery.kinds === null || actionQuery.kinds.includes(action.action)) &&
    (actionQuery.states === null || actionQuery.states.includes(action.state)) &&
    (actionQuery.sinceMs === null || startedMs >= actionQuery.sinceMs) &&
    (actionQuery.untilMs === null || startedMs < actionQuery.untilMs) &&
    (after === null || startedMs < after.ms || (startedMs === after.ms && action.id < after.id))
  );
}

/** As the archive orders them. */
function byStart(a: Action, b: Action): number {
  const ms = Date.parse(b.startedAt) - Date.parse(a.startedAt);
  return ms !== 0 ? ms : a.id < b.id ? 1 : -1;
}

/** Bounds on what one request may cost: the answer in memory, and how long a search without matches goes on. */
const ACTIONS_MAX = 10_000;
const PAGES_MAX = 100;
const PAGE = 500;

/** All pages of the actions from the query's cursor on, up to a bound: then `nextCursor` continues. */
export async function exportActivity(
  fleet: Fleet,
  source: ActivitySource,
  query: ActivityQuery,
): Promise<Listed> {
  const items: Listed['items'][number][] = [];
  let { cursor } = query;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const limit = Math.min(PAGE, ACTIONS_MAX - items.length);
    const listed = await listActivity(fleet, source, { ...query, limit, cursor });
    items.push(...listed.items);
    cursor = listed.nextCursor ?? undefined;
    if (listed.nextCursor === null || items.length >= ACTIONS_MAX) return { ...listed, items };
    await setImmediate();
  }
  return { items, nextCursor: cursor ?? null, partial: [] };
}

/** As a file named after the day. */
export function activityCsvAnswer(
  listed: Listed,
  clusters: ClusterNames | undefined,
  nowMs: number,
): Response {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  return new Response(formatActivityCsv(listed, clusters), {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': `attachment; filename="activity-${day}.csv"`,
    },
  });
}
