import { useCallback, useEffect, useRef, useState } from 'react';

/** Browsers refuse more than about three changes of the address per second; a held key causes thirty. */
const DEBOUNCE_MS = 400;

/** The selected row. The address follows once the selection is idle, or before a navigation. */
export function useSelectedRow(initial: string) {
  const [at, setAt] = useState(initial);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const select = useCallback((key: string) => {
    setAt(key);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => writeAddress(key), DEBOUNCE_MS);
  }, []);

  /** Call before navigating: a later write would undo the navigation. */
  const leave = useCallback((key: string) => {
    clearTimeout(timer.current);
    writeAddress(key);
  }, []);

  return { at, select, leave };
}

/** With the existing history state the router ignores the change; it reads the address on back and forward. */
function writeAddress(key: string): void {
  const url = new URL(window.location.href);
  url.searchParams.set('at', key);
  window.history.replaceState(window.history.state, '', url);
}
