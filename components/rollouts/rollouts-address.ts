import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { openStates, settledStates } from '@/components/rollouts/rollout-labels';
import { type RolloutFilters } from '@/components/queries/rollouts';
import { rolloutStates } from '@/lib/api/rollout-values';

/**
 * The state of the page as stored in the address; names as in the API, plus two groups of states besides single ones.
 */
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

/** Resets the filters. */
export const noFilters = { namespace: null, system: null, state: null } satisfies RolloutsAddress;

export function hasFilters({ namespace, system, state }: RolloutsAddress): boolean {
  return namespace !== null || system !== null || state !== null;
}

/** The query of the API. */
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
