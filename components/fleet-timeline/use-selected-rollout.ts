'use client';

import { useCallback, useEffect, useRef, useState } from 'react';

/** Browsers refuse more than about three changes of the address a second; a held key makes thirty. */
const SETTLE_MS = 400;

/**
 * The selected rollout, which the address follows once the selection rests. A write that came after a navigation would
 * undo it, so `settle` is to be called before one; a click on anything does.
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
      pending.current = { id, timer: setTimeout(settle, SETTLE_MS) };
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

/** With the state that is there the router takes no notice; it reads the address when one comes back to it. */
function writeAddress(id: string): void {
  const url = new URL(window.location.href);
  if (id === '') url.searchParams.delete('record');
  else url.searchParams.set('record', id);
  window.history.replaceState(window.history.state, '', url);
}
