import { useCallback, useEffect, useRef, useState } from 'react';

/** Browsers refuse more than about three changes of the address a second; a held key makes thirty. */
const SETTLE_MS = 400;

/** The selected row, which the address follows once the selection rests or the page is left for another. */
export function useSelection(initial: string) {
  const [at, setAt] = useState(initial);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const select = useCallback((key: string) => {
    setAt(key);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => writeAddress(key), SETTLE_MS);
  }, []);

  /** To be called before navigating: a later write would undo the navigation. */
  const leave = useCallback((key: string) => {
    clearTimeout(timer.current);
    writeAddress(key);
  }, []);

  return { at, select, leave };
}

/** With the state that is there the router takes no notice; it reads the address when one comes back to it. */
function writeAddress(key: string): void {
  const url = new URL(window.location.href);
  url.searchParams.set('at', key);
  window.history.replaceState(window.history.state, '', url);
}
