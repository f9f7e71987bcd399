'use client';

import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { stretchNames } from '@/lib/timeline/stretch';

const parsers = {
  /** Ids of the revisions chosen for comparison. */
  from: parseAsString,
  to: parseAsString,
  /** Id of the row where the keys stand. */
  at: parseAsString,
  /** Uid of the life that is shown; absent for the present one. */
  uid: parseAsString,
  range: parseAsStringLiteral(stretchNames),
  /** Open dialog: id of the revision to go back to, or `default`. */
  rollback: parseAsString,
  action: parseAsStringLiteral(['pause', 'resume', 'restart', 'partition', 'deletePod']),
  pod: parseAsString,
  /** Where a move of the partition begins; absent where it is. */
  partition: parseAsInteger,
};

/** The state of the page as its address holds it. A dialog is a step that the browser's back button takes back. */
export function useAddress() {
  const [address, setAddress] = useQueryStates(parsers);
  return {
    address,
    note: (change: Partial<typeof address>) => void setAddress(change, { history: 'replace' }),
    step: (change: Partial<typeof address>) => void setAddress(change, { history: 'push' }),
  };
}

export type Address = ReturnType<typeof useAddress>['address'];
