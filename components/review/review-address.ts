import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { type ReviewFilters } from '@/lib/queries/review';

/** The state of the page as its address holds it; rules that it does not name are as the operator has set them. */
export const reviewParsers = {
  /** The record under review; the first that waits without it. */
  id: parseAsString,
  namespace: parseAsString,
  team: parseAsString,
  only: parseAsStringLiteral(['all', 'failed', 'rollbacks']),
  restarts: parseAsStringLiteral(['0', '1']),
  age: parseAsString,
};

/** The figures' part of the address. */
export const periodParsers = {
  period: parseAsString.withDefault('7d'),
  by: parseAsStringLiteral(['namespace', 'team']).withDefault('namespace'),
};

export type RuleChange = Partial<{
  namespace: string | null;
  team: string | null;
  only: 'all' | 'failed' | 'rollbacks' | null;
  restarts: '0' | '1' | null;
  age: string | null;
}>;

/** What the API is asked for: what the address says, an empty list too. */
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
