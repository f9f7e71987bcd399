import 'server-only';
import type { Answer } from '@/lib/api/common';
import type {
  FollowUpsQuery,
  ReviewQueueQuery,
  ReviewRules,
  followUpListSchema,
  queuedRecordSchema,
  reviewQueueSchema,
} from '@/lib/api/review-queue';
import { AppError } from '@/lib/errors';
import { isAwaitingReview, parseReviewRules, defaultReviewRules } from '@/lib/records/review-rules';
import type { ListedRecord } from '@/server/archive/records';
import type { RecordedNamespace } from '@/server/archive/workloads';
import type { Fleet } from '@/server/views/fleet';
import { recordRights, requireArchive } from '@/server/views/archive-access';
import { ownIdentities } from '@/server/reads/own-identities';
import { refusalsFor } from '@/server/views/record-additions';
import { recordItems } from '@/server/views/record-item';
import { buildRecordQuery } from '@/server/reads/records';
import { DEFAULT_TEAM_LABEL } from '@/server/reads/report';
import { filterAllowed } from '@/server/views/rights';
import { visibleRecords } from '@/server/views/visible-records';

const PAGE = 200;
/** Pages read for one answer; where the rules leave little, the cursor continues. */
const PAGES_MAX = 25;
const FOLLOW_UPS_MAX = 200;

/** What waits for a verdict by the rules of the query, latest first. Throws `bad_request` for invalid rules. */
export async function readReviewQueue(
  fleet: Fleet,
  query: ReviewQueueQuery,
): Promise<Answer<typeof reviewQueueSchema>> {
  const archive = requireArchive(fleet);
  const base = fleet.config.reviewRules ?? defaultReviewRules;
  const rules = parseReviewRules(query, base);
  if (typeof rules === 'string') throw new AppError('bad_request', `${rules}.`);
  const teamLabel = fleet.config.teamLabel ?? DEFAULT_TEAM_LABEL;
  const nowMs = fleet.now();
  // In namespaces without workloads little waits: their rights are checked where something is found.
  const { withDeletedNamespaces: wider, places, partial } = await visibleRecords(fleet, nowMs);
  const mayRead = recordRights(fleet);
  const needsVerdict = ({ record, revertedBy }: ListedRecord) =>
    isAwaitingReview(record, { revertedBy, team: record.workload.labels[teamLabel] ?? null }, rules, nowMs);
  const recordQuery = {
    ...buildRecordQuery({}, wider, nowMs),
    namespaces: rules.namespaces.length === 0 ? null : rules.namespaces,
    outcomes: outcomesOf(rules),
    reviewed: false,
  };
  const found: ListedRecord[] = [];
  let cursor = query.cursor ?? null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    // Never more than fit, so that the cursor points behind the last of them.
    const limit = Math.min(PAGE, query.limit - found.length);
    const { items, nextCursor } = await archive.rollouts.search({ ...recordQuery, limit, cursor });
    found.push(
      ...(await filterAllowed(items.filter(needsVerdict), ({ record }) => mayRead(record.workload))),
    );
    cursor = nextCursor;
    if (cursor === null || found.length >= query.limit) break;
  }
  return {
    items: await queuedRecords(fleet, found),
    nextCursor: cursor,
    rules: answerOf(rules),
    usualRules: answerOf(base),
    namespaces: namespacesOf(places, found),
    teamLabel,
    partial,
  };
}

/** Follow-ups that no later verdict has closed, the one due first in front. */
export async function readFollowUps(
  fleet: Fleet,
  { assignee }: FollowUpsQuery,
): Promise<Answer<typeof followUpListSchema>> {
  const { reviews } = requireArchive(fleet);
  const { scope, partial } = await visibleRecords(fleet);
  const { mask } = fleet.keys;
  // As verdicts have them.
  const own = ownIdentities(fleet)?.map(({ name }) => mask.text(name)) ?? null;
  const assignees = assignee === undefined ? null : (own ?? []);
  const [listed, total, assignedToMe] = await Promise.all([
    reviews.followUps({ ...scope, assignees, limit: FOLLOW_UPS_MAX }),
    reviews.followUpCount({ ...scope, assignees: null }),
    own && reviews.followUpCount({ ...scope, assignees: own }),
  ]);
  return { items: await queuedRecords(fleet, listed), total, assignedToMe, partial };
}

/** Namespaces to choose from: those with workloads, and others in which something waits. */
function namespacesOf(places: readonly RecordedNamespace[], found: readonly ListedRecord[]): string[] {
  const present = places.filter(({ deletedMs }) => deletedMs === null);
  const waiting = found.map(({ record }) => record.workload);
  return [...new Set([...present, ...waiting].map(({ namespace }) => namespace))].sort();
}

/** Their steps name every pod, which is most of an answer, and the page shows them only after opening one. */
async function queuedRecords(
  fleet: Fleet,
  listed: readonly ListedRecord[],
): Promise<Answer<typeof queuedRecordSchema>[]> {
  const items = await recordItems(fleet, listed);
  const refusalsIn = refusalsFor(fleet);
  return Promise.all(
    items.map(async ({ steps: _steps, ...item }) => ({ ...item, refusals: await refusalsIn(item.workload) })),
  );
}

/** Outcomes to read from the archive; a completed rollout may have been reverted. */
function outcomesOf({ only }: ReviewRules) {
  const all = ['completed', 'rolledBack', 'undone', 'superseded', 'open', 'failed'] as const;
  return only === 'rollbacks' ? all.slice(0, 5) : all;
}

function answerOf(rules: ReviewRules): Answer<typeof reviewQueueSchema>['rules'] {
  return { ...rules, namespaces: [...rules.namespaces], teams: [...rules.teams] };
}
