import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { actionNames } from '@/lib/api/action-values';

const stateFilters = ['open', 'accepted', 'following', 'done', 'failed', 'refused'] as const;

/** The state of the page as stored in the address; names as in the API. */
export const activityParsers = {
  q: parseAsString.withDefault(''),
  state: parseAsStringLiteral(stateFilters),
  action: parseAsStringLiteral(actionNames),
  actor: parseAsString,
  namespace: parseAsString,
  resource: parseAsString,
  name: parseAsString,
  since: parseAsString,
  until: parseAsString,
};

export interface ActivityAddress {
  q: string;
  state: (typeof stateFilters)[number] | null;
  action: (typeof actionNames)[number] | null;
  actor: string | null;
  namespace: string | null;
  resource: string | null;
  name: string | null;
  since: string | null;
  until: string | null;
}

export type ChangeAddress = (change: Partial<ActivityAddress>, step?: 'typing') => void;

export const noFilters = {
  q: '',
  state: null,
  action: null,
  actor: null,
  namespace: null,
  resource: null,
  name: null,
  since: null,
  until: null,
} satisfies ActivityAddress;
