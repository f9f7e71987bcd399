import { useCallback, useEffect, useRef, useState } from 'react';
import type { Selection } from '@/components/list/selection';

/** Browsers refuse more than about three changes of the address per second; a held key causes thirty. */
const DEBOUNCE_MS = 400;

/** A selection that the address holds under a name. The address follows once the selection is idle. */
export function useAddressSelection(name: string, initial: string): Selection {
  const [at, setAt] = useState(initial);
  const pending = useRef<{ key: string; timer: ReturnType<typeof setTimeout> } | null>(null);

  const settle = useCallback(() => {
    if (pending.current === null) return;
    clearTimeout(pending.current.timer);
    writeAddress(name, pending.current.key);
    pending.current = null;
  }, [name]);
  const select = useCallback(
    (key: string) => {
      setAt(key);
      if (pending.current !== null) clearTimeout(pending.current.timer);
      pending.current = { key, timer: setTimeout(settle, DEBOUNCE_MS) };
    },
    [settle],
  );
  const leave = useCallback(
    (key: string) => {
      select(key);
      settle();
    },
    [select, settle],
  );

  // A write after a navigation would undo it, and any click may begin one.
  useEffect(() => {
    document.addEventListener('click', settle, { capture: true });
    return () => {
      document.removeEventListener('click', settle, { capture: true });
      if (pending.current !== null) clearTimeout(pending.current.timer);
    };
  }, [settle]);

  return { at, select, leave };
}

/** With the existing history state the router ignores the change; it reads the address on back and forward. */
function writeAddress(name: string, key: string): void {
  const url = new URL(window.location.href);
  if (key === '') url.searchParams.delete(name);
  else url.searchParams.set(name, key);
  window.history.replaceState(window.history.state, '', url);
}
