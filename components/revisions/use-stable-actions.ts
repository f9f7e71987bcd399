'use client';

import { useEffect, useMemo, useRef } from 'react';
import { type RowActions } from '@/components/revisions/revision-row';

/** The same actions in a stable object, so that rows do not render again because of them. */
export function useStableActions(actions: RowActions): RowActions {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  return useMemo(
    () => ({
      onPair: (change) => latest.current.onPair(change),
      onPoint: (id) => latest.current.onPoint(id),
      onSelect: (id) => latest.current.onSelect(id),
      onRollback: (id) => latest.current.onRollback(id),
    }),
    [],
  );
}
