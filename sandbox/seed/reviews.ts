import type { RolloutRecord } from '@/lib/api/record';
import type { Verdict } from '@/lib/api/review';
import { jonasWeber, majaLind, priyaNair, saraKim } from '@/sandbox/seed/story';
import type { SeedActor } from '@/sandbox/seed/workload';

/** The team's verdict, and its comments. */
export interface SeedReview {
  verdict: Verdict;
  comment: string | undefined;
}

interface Conclusion {
  verdict: Verdict['verdict'];
  by: SeedActor;
  comment?: string;
  /** Who has to do something, and after how many days. */
  followUp?: { person: SeedActor; days: number };
}

/** Who has signed in, in the order of their last visits. */
export const reviewers = [priyaNair, jonasWeber, majaLind, saraKim].map(({ user }) => user);

const DAY_MS = 24 * 3_600_000;
/** The last days are not reviewed yet. */
const BACKLOG_MS = 4 * DAY_MS;

/** By the workload and the number of its revision. */
const CONCLUSIONS: Readonly<Record<string, Conclusion>> = {
  'pricing 3': {
    verdict: 'bad',
    by: saraKim,
    comment:
      'Carts showed **three decimals**. Not visible on staging, where every price ends in `.00`.\n\nRolled back within the hour.',
  },
  'webhooks 3': {
    verdict: 'followUp',
    by: jonasWeber,
    comment: 'Root cause: a timeout of *one* second. Raised to 5; retries still need an alert: @priya.nair.',
    followUp: { person: priyaNair, days: -1 },
  },
  'wallet 5': {
    verdict: 'bad',
    by: saraKim,
    comment:
      'One payment in two hundred was booked twice: the new ledger client retries before the first request times out. Noticed at **step 2**, rolled back before step 3.',
  },
  'media 3': {
    verdict: 'good',
    by: majaLind,
    comment: 'No OOM kills since. Check whether AVIF still needs this much memory.',
  },
  'checkout 4': { verdict: 'good', by: saraKim, comment: 'No alerts since Friday.' },
};

/** The review of a seeded rollout that ends at `endMs`; null while the team has not reviewed it. */
export function reviewOf(record: RolloutRecord, endMs: number): SeedReview | null {
  const ended = record.endedAt === null ? NaN : Date.parse(record.endedAt);
  if (record.outcome === null || !(ended < endMs - BACKLOG_MS)) return null;
  const usual: Conclusion = { verdict: 'good', by: majaLind };
  const { verdict, by, comment, followUp } =
    CONCLUSIONS[`${record.workload.name} ${record.to.number}`] ?? usual;
  const at = new Date(Math.min(ended + DAY_MS, endMs - BACKLOG_MS)).toISOString();
  const due = followUp && {
    person: followUp.person.user,
    due: new Date(endMs + followUp.days * DAY_MS).toISOString().slice(0, 10),
  };
  return { verdict: { verdict, by: by.user, at, followUp: due ?? null }, comment };
}
