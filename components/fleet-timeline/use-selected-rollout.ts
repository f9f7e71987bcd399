'use client';

import { useCallback, useEffect, useRef, useState } from 'react';

/** Browsers refuse more than about three changes of the address per second; a held key causes thirty. */
const DEBOUNCE_MS = 400;

/**
 * The selected rollout. The address follows once the selection is idle. A write after a navigation would undo it, so
 * call `settle` before navigating; every click does.
 */
export function useSelectedRollout(initial: string) {
  const [selected, setSelected] = useState(initial);
  const pending = useRef<{ id: string; timer: ReturnType<typeof setTimeout> } | null>(null);

  const settle = useCallback(() => {
    if (pending.current === null) return;
    clearTimeout(pending.current.timer);
    writeAddress(pending.current.id);
    pending.current = null;
  }, []);

  const select = useCallback(
    (id: string) => {
      setSelected(id);
      if (pending.current !== null) clearTimeout(pending.current.timer);
      pending.current = { id, timer: setTimeout(settle, DEBOUNCE_MS) };
    },
    [settle],
  );

  useEffect(() => {
    document.addEventListener('click', settle, { capture: true });
    return () => {
      document.removeEventListener('click', settle, { capture: true });
      if (pending.current !== null) clearTimeout(pending.current.timer);
    };
  }, [settle]);

  return { selected, select, settle };
}

/** With the existing history state the router ignores the change; it reads the address on back and forward. */
function writeAddress(id: string): void {
  const url = new URL(window.location.href);
  if (id === '') url.searchParams.delete('record');
  else url.searchParams.set('record', id);
  window.history.replaceState(window.history.state, '', url);
}
