import 'server-only';
import {
  type FollowUpList,
  type QueuedRecord,
  type ReviewQueue,
  type ReviewQueueQuery,
} from '@/lib/api/review';
import { AppError } from '@/lib/errors';
import { isWaiting, parseReviewRules, type ReviewRules, usualRules } from '@/lib/ledger/review-rules';
import { type ListedRecord } from '@/server/archive/archive';
import { type ReadContext } from '@/server/reads/context';
import { recordRights, requireArchive } from '@/server/reads/ledger';
import { recordItems } from '@/server/reads/record-items';
import { archiveQuery } from '@/server/reads/records';
import { DEFAULT_TEAM_LABEL } from '@/server/reads/report';
import { filterAllowed } from '@/server/reads/rights';
import { type Viewer } from '@/server/viewer';

const PAGE = 200;
/** Pages read for one answer; where the rules leave little, the cursor goes on. */
const PAGES_MAX = 25;
const FOLLOW_UPS_MAX = 200;

/** What waits for a verdict by the rules of the query, latest first. Throws `bad_request` for rules that are none. */
export async function readReviewQueue(
  context: ReadContext,
  viewer: Viewer,
  query: ReviewQueueQuery,
): Promise<ReviewQueue> {
  const archive = requireArchive(context);
  const base = context.config.reviewRules ?? usualRules;
  const rules = parseReviewRules(query, base);
  if (typeof rules === 'string') throw new AppError('bad_request', `${rules}.`);
  const teamLabel = context.config.teamLabel ?? DEFAULT_TEAM_LABEL;
  const mayRead = recordRights(context, viewer);
  const nowMs = context.now();
  const waits = ({ record, revertedBy }: ListedRecord) =>
    isWaiting(record, { revertedBy, team: record.workload.labels[teamLabel] ?? null }, rules, nowMs);
  const asked = {
    ...archiveQuery({}, nowMs),
    namespaces: rules.namespaces.length === 0 ? null : rules.namespaces,
    outcomes: outcomesOf(rules),
    reviewed: false,
  };
  const found: ListedRecord[] = [];
  let cursor = query.cursor ?? null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    // Never more than fit, so that the cursor stands behind the last of them.
    const limit = Math.min(PAGE, query.limit - found.length);
    const { items, nextCursor } = await archive.search({ ...asked, limit, cursor });
    const waiting = items.filter(waits);
    const allowed = await Promise.all(waiting.map(({ record }) => mayRead(record.workload)));
    found.push(...waiting.filter((_, index) => allowed[index]));
    cursor = nextCursor;
    if (cursor === null || found.length >= query.limit) break;
  }
  return {
    items: await queuedRecords(context, found),
    nextCursor: cursor,
    rules: answerOf(rules),
    usualRules: answerOf(base),
    namespaces: await namespacesOf(context, mayRead, found),
    teamLabel,
  };
}

/** Follow-ups that no later verdict has closed, the one due first in front. */
export async function readFollowUps(context: ReadContext, viewer: Viewer): Promise<FollowUpList> {
  const mayRead = recordRights(context, viewer);
  const listed = await requireArchive(context).followUps(FOLLOW_UPS_MAX);
  const allowed = await Promise.all(listed.map(({ record }) => mayRead(record.workload)));
  return {
    items: await queuedRecords(
      context,
      listed.filter((_, index) => allowed[index]),
    ),
  };
}

/** Namespaces to choose from: those with workloads, and of the others those that something waits in. */
async function namespacesOf(
  context: ReadContext,
  mayRead: ReturnType<typeof recordRights>,
  found: readonly ListedRecord[],
): Promise<string[]> {
  const places = await requireArchive(context).places(context.cluster.identity.id);
  const present = await filterAllowed(
    places.filter(({ deletedMs }) => deletedMs === null),
    mayRead,
  );
  const waiting = found.map(({ record }) => record.workload);
  return [...new Set([...present, ...waiting].map(({ namespace }) => namespace))].sort();
}

/** Their steps name every pod, which is most of an answer, and nobody looks at them before opening one. */
async function queuedRecords(context: ReadContext, listed: readonly ListedRecord[]): Promise<QueuedRecord[]> {
  const items = await recordItems(context, listed);
  return items.map(({ steps: _steps, ...item }) => item);
}

/** What the archive need be asked for; a completed rollout may have been taken back. */
function outcomesOf({ only }: ReviewRules) {
  const all = ['completed', 'rolledBack', 'superseded', 'open', 'failed'] as const;
  return only === 'rollbacks' ? all.slice(0, 4) : all;
}

function answerOf(rules: ReviewRules): ReviewQueue['rules'] {
  return { ...rules, namespaces: [...rules.namespaces], teams: [...rules.teams] };
}
