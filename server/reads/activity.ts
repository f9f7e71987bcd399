import 'server-only';
import { type Action } from '@/lib/api/actions';
import { type Activity, type ActivityItem, type ActivityQuery } from '@/lib/api/activity';
import { AppError } from '@/lib/errors';
import { cursorOf, readCursor } from '@/server/archive/actions';
import { type ActionQuery, type Archive, type ListedAction } from '@/server/archive/archive';
import { type Keys } from '@/server/keys';
import { maskText } from '@/server/mask';
import { connectedCluster } from '@/server/reads/connected-cluster';
import { type ReadContext } from '@/server/reads/context';
import { recordRights } from '@/server/reads/ledger';
import { parseMoment } from '@/server/reads/time-query';
import { type Viewer } from '@/server/viewer';

/** Where actions come from beside the archive. */
export interface ActivitySource {
  /** Those of the audit file's end as they stand now, newest first. */
  latest(): readonly Action[];
  /** Once the archive has them too; rejects where it can't be had. */
  settled(): Promise<void>;
}

type Listed = Omit<Activity, 'notifications'>;

/** Rows that are read at a time, and at most for one page: a search that finds little goes on with the next. */
const BATCH = 200;
const SCAN_MAX = 5_000;

/**
 * What was done through Shiplog to workloads that the viewer may see, newest first. While the archive can't be read it
 * is what the audit file still has at hand, and `partial` says so.
 */
export async function listActivity(
  context: ReadContext,
  viewer: Viewer,
  source: ActivitySource,
  query: ActivityQuery,
): Promise<Listed> {
  const asked = askedOf(query, connectedCluster(context.cluster), context.now());
  const select = selection(context, viewer, query);
  const latest = source.latest();
  try {
    const { archive } = context;
    if (archive == null) throw new AppError('archive_unavailable', 'There is no archive.');
    await source.settled();
    return { ...(await fromArchive(archive, asked, latest, select, query.limit)), partial: [] };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'archive_unavailable') throw error;
    return { ...(await fromFile(latest, asked, select, query.limit)), partial: [partOf(error)] };
  }
}

function partOf({ message }: AppError) {
  return {
    resource: 'activity',
    reason: `Only the latest actions are shown, since the archive can't be read: ${message}`,
  };
}

function askedOf(query: ActivityQuery, cluster: string, nowMs: number): ActionQuery {
  const { namespace, resource, name, actor, action, state, since, until, cursor } = query;
  if (cursor !== undefined) readCursor(cursor);
  return {
    cluster,
    namespace: namespace ?? null,
    resource: resource ?? null,
    name: name ?? null,
    actor: actor ?? null,
    kinds: action === undefined ? null : [action],
    states: state === undefined ? null : statesOf(state),
    sinceMs: since === undefined ? null : parseMoment('since', since, nowMs),
    untilMs: until === undefined ? null : parseMoment('until', until, nowMs),
    limit: BATCH,
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

type Select = (listed: ListedAction) => Promise<ActivityItem | null>;

/** What the viewer may see and asked for, as it is shown; the search finds nothing that is masked. */
function selection(context: ReadContext, viewer: Viewer, { q, state }: ActivityQuery): Select {
  const mayRead = recordRights(context, viewer);
  const words = (q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return async (listed) => {
    const { action } = listed;
    const isAsked =
      state === 'open' ? isOpen(action.state) && action.endedAt === null : action.state === state;
    if (state !== undefined && !isAsked) return null;
    if (!(await mayRead(listed.action))) return null;
    const item = itemOf(listed, context.keys);
    const text = words.length === 0 ? '' : textOf(item);
    return words.every((word) => text.includes(word)) ? item : null;
  };
}

function itemOf(listed: ListedAction, keys: Keys): ActivityItem {
  const { action, code, apiMessage, identity, findings, recordId } = listed;
  return {
    ...action,
    reason: maskText(action.reason, keys),
    message: maskText(action.message, keys),
    identity: identity?.user ?? null,
    code,
    apiMessage: apiMessage === null ? null : maskText(apiMessage, keys),
    findings: findings.map((finding) => ({ ...finding, message: maskText(finding.message, keys) })),
    recordId,
  };
}

function textOf({ action, resource, namespace, name, actor, reason, message }: Action): string {
  return [action, resource, namespace, name, actor, reason, message].join('\n').toLowerCase();
}

async function fromArchive(
  archive: Pick<Archive, 'actions'>,
  asked: ActionQuery,
  latest: readonly Action[],
  select: Select,
  limit: number,
): Promise<Pick<Activity, 'items' | 'nextCursor'>> {
  const present = new Map(latest.map((action) => [action.id, action]));
  const items: ActivityItem[] = [];
  let { cursor } = asked;
  for (let scanned = 0; scanned < SCAN_MAX; scanned += BATCH) {
    const page = await archive.actions({ ...asked, cursor });
    for (const listed of page.items) {
      // How far an open one has come is known to its follower alone.
      const now = isOpen(listed.action.state) ? present.get(listed.action.id) : undefined;
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
  asked: ActionQuery,
  select: Select,
  limit: number,
): Promise<Pick<Activity, 'items' | 'nextCursor'>> {
  const items: ActivityItem[] = [];
  const inOrder = [...latest].filter((action) => passes(action, asked)).sort(byStart);
  for (const action of inOrder) {
    const item = await select({ ...bare, at: action.startedAt, action });
    if (item === null) continue;
    if (items.length === limit) return { items, nextCursor: lastCursor(items) };
    items.push(item);
  }
  return { items, nextCursor: null };
}

const bare: Omit<ListedAction, 'at' | 'action'> = {
  code: null,
  apiMessage: null,
  identity: null,
  origin: null,
  fromHash: null,
  findings: [],
  idempotencyKey: null,
  recordId: null,
};

function lastCursor(items: readonly ActivityItem[]): string | null {
  const last = items.at(-1);
  return last === undefined ? null : cursorOf(last);
}

function passes(action: Action, asked: ActionQuery): boolean {
  const startedMs = Date.parse(action.startedAt);
  const after = asked.cursor === null ? null : readCursor(asked.cursor);
  return (
    asked.cluster === action.cluster &&
    (asked.namespace === null || asked.namespace === action.namespace) &&
    (asked.resource === null || asked.resource === action.resource) &&
    (asked.name === null || asked.name === action.name) &&
    (asked.actor === null || asked.actor === action.actor) &&
    (asked.kinds === null || asked.kinds.includes(action.action)) &&
    (asked.states === null || asked.states.includes(action.state)) &&
    (asked.sinceMs === null || startedMs >= asked.sinceMs) &&
    (asked.untilMs === null || startedMs < asked.untilMs) &&
    (after === null || startedMs < after.ms || (startedMs === after.ms && action.id < after.id))
  );
}

/** As the archive orders them. */
function byStart(a: Action, b: Action): number {
  const ms = Date.parse(b.startedAt) - Date.parse(a.startedAt);
  return ms !== 0 ? ms : a.id < b.id ? 1 : -1;
}
