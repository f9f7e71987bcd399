'use client';

import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { rangeNames } from '@/lib/timeline/timeline-range';

const parsers = {
  /** What the history lists. */
  list: parseAsStringLiteral(['rollouts', 'revisions']).withDefault('rollouts'),
  /** Keys of the rows selected for comparison. */
  from: parseAsString,
  to: parseAsString,
  /** Key of the row that the keyboard selected. */
  at: parseAsString,
  /** Uid of the shown incarnation; absent for the current one. */
  uid: parseAsString,
  range: parseAsStringLiteral(rangeNames),
  /** Open dialog: id of the revision to roll back to, or `default`. */
  rollback: parseAsString,
  action: parseAsStringLiteral(['pause', 'resume', 'restart', 'partition', 'deletePod', 'releaseFields']),
  pod: parseAsString,
  /** Initial value of the partition field; absent: the current partition. */
  partition: parseAsInteger,
};

/**
 * The state of the page as stored in the address. A dialog adds an entry to the browser's history, so that the back
 * button closes it.
 */
export function useAddress() {
  const [address, setAddress] = useQueryStates(parsers);
  return {
    address,
    note: (change: Partial<typeof address>) => void setAddress(change, { history: 'replace' }),
    step: (change: Partial<typeof address>) => void setAddress(change, { history: 'push' }),
  };
}

export type Address = ReturnType<typeof useAddress>['address'];
