import type { ReviewRules } from '@/lib/api/review-queue';
import type { RolloutRecord } from '@/lib/api/record';

export const defaultReviewRules: ReviewRules = {
  namespaces: [],
  teams: [],
  only: 'all',
  restarts: false,
  minAgeMs: 0,
};

const ruleNames = ['namespace', 'team', 'only', 'restarts', 'age'] as const;
type RuleName = (typeof ruleNames)[number];
export type RuleTexts = Partial<Record<RuleName, string>>;

/** A rollout that is held for so long needs a review. */
const HELD_MS_MIN = 86_400_000;

const AGE = /^(\d{1,4})(m|h|d)$/;
const AGE_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Parses rules from an address or a setting; what is absent is as in `base`. An empty list means all. A
 * returned string is the error, to be read after the name of the setting.
 */
export function parseReviewRules(
  texts: RuleTexts,
  base: ReviewRules = defaultReviewRules,
): ReviewRules | string {
  const { namespace, team, only, restarts, age } = texts;
  if (only !== undefined && only !== 'all' && only !== 'failed' && only !== 'rollbacks') {
    return `only: must be all, failed or rollbacks, not ${quoted(only)}`;
  }
  if (restarts !== undefined && restarts !== '0' && restarts !== '1') {
    return `restarts: must be 0 or 1, not ${quoted(restarts)}`;
  }
  const [, amount, unit = ''] = AGE.exec(age ?? '') ?? [];
  if (age !== undefined && age !== '0' && amount === undefined) {
    return `age: must be a duration such as 30m, 2h or 1d, not ${quoted(age)}`;
  }
  return {
    namespaces: namespace === undefined ? base.namespaces : splitList(namespace),
    teams: team === undefined ? base.teams : splitList(team),
    only: only ?? base.only,
    restarts: restarts === undefined ? base.restarts : restarts === '1',
    minAgeMs: age === undefined ? base.minAgeMs : Number(amount ?? 0) * (AGE_MS[unit] ?? 0),
  };
}

/**
 * `namespace=shop,payments&only=failed&age=1h`, as in the address of the page. A returned string is the
 * error.
 */
export function parseReviewQuery(text: string): ReviewRules | string {
  const texts: RuleTexts = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const known = ruleNames.find((rule) => rule === name);
    if (known === undefined) return `${quoted(name)} is not one of ${ruleNames.join(', ')}`;
    texts[known] = value;
  }
  return parseReviewRules(texts);
}

/** Whether a rollout without a verdict waits for one; the archive checks the namespaces. */
export function isAwaitingReview(
  record: Pick<RolloutRecord, 'outcome' | 'spans' | 'endedAt' | 'restart'>,
  { revertedBy, team }: { revertedBy: string | null; team: string | null },
  rules: ReviewRules,
  nowMs: number,
): boolean {
  const { outcome, endedAt } = record;
  if (rules.teams.length > 0 && !rules.teams.includes(team ?? '')) return false;
  if (outcome === null) return isLongHeld(record.spans, nowMs);
  // A rollout that was not observed or had no pods leaves nothing to review.
  if (outcome === 'unknown' || outcome === 'noPods') return false;
  const isReverted = outcome === 'rolledBack' || revertedBy !== null;
  // An edit that another one replaced before it made progress is reviewed with its replacement.
  if (outcome === 'superseded' && !record.spans.some(({ kind }) => kind === 'stuck')) return false;
  if (record.restart && outcome === 'completed' && !isReverted && !rules.restarts) return false;
  if (rules.only === 'rollbacks' && !isReverted) return false;
  if (rules.only === 'failed' && !isReverted && outcome !== 'failed') return false;
  return endedAt === null || nowMs - Date.parse(endedAt) >= rules.minAgeMs;
}

/** Whether it has been held for a day and still is: then it is reviewed while in progress. */
export function isLongHeld(spans: RolloutRecord['spans'], nowMs: number): boolean {
  return spans.some(
    ({ kind, from, to }) => kind === 'held' && to === null && nowMs - Date.parse(from) >= HELD_MS_MIN,
  );
}

/** The parts between commas, each once, without empty ones. */
export function splitList(text: string): string[] {
  return [...new Set(text.split(',').map((part) => part.trim()))].filter((part) => part !== '');
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
