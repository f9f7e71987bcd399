import { reportGroupings } from '@/lib/api/review-values';
import { parseAsString, parseAsStringLiteral } from 'nuqs';
import type { ReviewFilters } from '@/components/queries/review';
import type { ReviewRules } from '@/lib/api/review-queue';
import { reviewScopes } from '@/lib/api/review-values';

/** The state of the page as stored in the address; rules that it does not name have the operator's defaults. */
export const reviewParsers = {
  /** The record under review; without it the first of the queue. */
  id: parseAsString,
  namespace: parseAsString,
  team: parseAsString,
  only: parseAsStringLiteral(reviewScopes),
  restarts: parseAsStringLiteral(['0', '1']),
  age: parseAsString,
};

/** Whose follow-ups are listed; absent: everyone's. */
export const assigneeParser = parseAsStringLiteral(['me']);

/** The figures' part of the address. */
export const periodParsers = {
  period: parseAsString.withDefault('7d'),
  by: parseAsStringLiteral(reportGroupings).withDefault('namespace'),
};

export type RuleChange = Partial<{
  namespace: string | null;
  team: string | null;
  only: ReviewRules['only'] | null;
  restarts: '0' | '1' | null;
  age: string | null;
}>;

/** The query of the API: the address as it is, including empty lists. */
export function rulesOf({
  namespace,
  team,
  only,
  restarts,
  age,
}: Record<'namespace' | 'team' | 'only' | 'restarts' | 'age', string | null>): ReviewFilters {
  const stated = Object.entries({ namespace, team, only, restarts, age }).flatMap(
    ([name, value]: [string, string | null]) => (value === null ? [] : [[name, value] as const]),
  );
  return Object.fromEntries(stated);
}
