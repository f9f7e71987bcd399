import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { openStates, settledStates } from '@/components/rollouts/rollout-words';
import { type RolloutFilters } from '@/lib/queries/rollouts';
import { rolloutStates } from '@/lib/rollout/rollout';

/** The state of the page as its address holds it; names as in the API, and two groups of states beside single ones. */
export const rolloutsParsers = {
  namespace: parseAsString,
  system: parseAsString,
  state: parseAsStringLiteral(['open', 'settled', ...rolloutStates]),
};

export interface RolloutsAddress {
  namespace: string | null;
  system: string | null;
  state: 'open' | 'settled' | (typeof rolloutStates)[number] | null;
}

/** What shows everything again. */
export const noFilters = { namespace: null, system: null, state: null } satisfies RolloutsAddress;

export function hasFilters({ namespace, system, state }: RolloutsAddress): boolean {
  return namespace !== null || system !== null || state !== null;
}

/** What the API is asked for. */
export function filtersOf({ namespace, system, state }: RolloutsAddress): RolloutFilters {
  return {
    ...(namespace !== null && { namespace }),
    ...(system !== null && { system }),
    ...(state !== null && { state: statesOf(state).join(',') }),
  };
}

function statesOf(state: NonNullable<RolloutsAddress['state']>): readonly string[] {
  if (state === 'open') return openStates;
  return state === 'settled' ? settledStates : [state];
}
