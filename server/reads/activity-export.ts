import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { type Answer } from '@/lib/api/common';
import { type ActivityQuery, type activitySchema } from '@/lib/api/activity';
import { formatActivityCsv } from '@/lib/view/activity-text';
import { type ClusterNames } from '@/lib/view/report-text';
import { type ActivitySource, listActivity } from '@/server/reads/activity';
import { type Fleet } from '@/server/views/fleet';

/** Bounds on what one request may cost: the answer in memory, and how long a search without matches goes on. */
const ACTIONS_MAX = 10_000;
const PAGES_MAX = 100;
const PAGE = 500;

type Listed = Omit<Answer<typeof activitySchema>, 'notifications'>;

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
