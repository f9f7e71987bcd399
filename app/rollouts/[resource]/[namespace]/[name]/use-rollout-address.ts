'use client';

import { useCallback } from 'react';
import { parseAsInteger, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { rolloutActionNames } from '@/lib/api/action-values';

const parsers = {
  /** The step whose pods are shown. */
  step: parseAsInteger,
  pods: parseAsStringLiteral(['updated', 'stable']).withDefault('updated'),
  /** The dialog that is open. */
  action: parseAsStringLiteral(rolloutActionNames),
};

/** The state of a rollout's page as stored in the address. */
export function useRolloutAddress() {
  const [address, setAddress] = useQueryStates(parsers);
  const note = useCallback(
    (change: Parameters<typeof setAddress>[0]) => void setAddress(change, { history: 'replace' }),
    [setAddress],
  );
  const step = useCallback(
    (change: Parameters<typeof setAddress>[0]) => void setAddress(change, { history: 'push' }),
    [setAddress],
  );
  return { address, note, step };
}
