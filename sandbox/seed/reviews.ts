import { type RolloutRecord } from '@/lib/api/record';
import { type Verdict } from '@/lib/api/review';
import { jonasWeber, majaLind, priyaNair, saraKim } from '@/sandbox/seed/people';
import { type Actor } from '@/sandbox/seed/workload-seed';

/** The team's verdict, and its comments. */
export interface SeedReview {
  verdict: Verdict;
  comment: string | undefined;
}

interface Conclusion {
  workload: string;
  /** Number of the revision. */
  to: number;
  verdict: Verdict['verdict'];
  by: Actor;
  comment: string;
  followUp?: { person: Actor; days: number };
}

const DAY_MS = 24 * 3_600_000;
/** The last days are not reviewed yet. */
const BACKLOG_MS = 4 * DAY_MS;

const conclusions: readonly Conclusion[] = [
  {
    workload: 'pricing',
    to: 3,
    verdict: 'bad',
    by: saraKim,
    comment:
      'Carts showed **three decimals**. Nobody saw it on staging, where every price ends in `.00`.\n\nRolled back within the hour.',
  },
  {
    workload: 'webhooks',
    to: 3,
    verdict: 'followUp',
    by: jonasWeber,
    comment: 'The log showed it: a timeout of *one* second. It is 5 now, but who watches the retries?',
    followUp: { person: priyaNair, days: -1 },
  },
  {
    workload: 'wallet',
    to: 5,
    verdict: 'bad',
    by: saraKim,
    comment:
      'One payment in two hundred was booked twice: the new ledger client asks again while the answer is still on its way. Seen at the **second step**, taken back before the third.',
  },
  {
    workload: 'media',
    to: 3,
    verdict: 'good',
    by: majaLind,
    comment: 'No kill since. Look again whether AVIF still needs all of it.',
  },
  {
    workload: 'checkout',
    to: 4,
    verdict: 'good',
    by: saraKim,
    comment: 'Quiet since Friday.',
  },
];

/** The review of a seeded rollout that ends at `endMs`; null while the team has not reviewed it. */
export function reviewOf(record: RolloutRecord, endMs: number): SeedReview | null {
  const ended = record.endedAt === null ? NaN : Date.parse(record.endedAt);
  if (record.outcome === null || !(ended < endMs - BACKLOG_MS)) return null;
  const said = conclusions.find(
    ({ workload, to }) => workload === record.workload.name && to === record.to.number,
  );
  const at = new Date(Math.min(ended + DAY_MS, endMs - BACKLOG_MS)).toISOString();
  if (said === undefined)
    return { verdict: { verdict: 'good', by: majaLind.user, at, followUp: null }, comment: undefined };
  const { verdict, by, comment, followUp } = said;
  const due =
    followUp === undefined
      ? null
      : {
          person: followUp.person.user,
          due: new Date(endMs + followUp.days * DAY_MS).toISOString().slice(0, 10),
        };
  return { verdict: { verdict, by: by.user, at, followUp: due }, comment };
}
