import { parseAsString, parseAsStringLiteral } from 'nuqs';

const outcomeFilters = ['open', 'completed', 'rolledBack', 'superseded', 'failed', 'unknown'] as const;

/** The state of the page as stored in the address; names as in the API. */
export const recordParsers = {
  q: parseAsString.withDefault(''),
  namespace: parseAsString,
  resource: parseAsString,
  name: parseAsString,
  actor: parseAsString,
  image: parseAsString,
  outcome: parseAsStringLiteral(outcomeFilters),
  reviewed: parseAsStringLiteral(['true', 'false']),
  since: parseAsString,
  until: parseAsString,
};

export interface RecordAddress {
  q: string;
  namespace: string | null;
  resource: string | null;
  name: string | null;
  actor: string | null;
  image: string | null;
  outcome: (typeof outcomeFilters)[number] | null;
  reviewed: 'true' | 'false' | null;
  since: string | null;
  until: string | null;
}

export const noFilters = {
  q: '',
  namespace: null,
  resource: null,
  name: null,
  actor: null,
  image: null,
  outcome: null,
  reviewed: null,
  since: null,
  until: null,
} satisfies RecordAddress;
