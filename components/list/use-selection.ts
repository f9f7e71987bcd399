import { useCallback, useEffect, useRef, useState } from 'react';
import { readDraft, saveDraft } from '@/components/ui/draft';

/** The selected row of a list: a key and no position, so that it stays on its row when rows move. */
export interface Selection {
  /** Empty without one. */
  at: string;
  select: (key: string) => void;
  /** To be called before the page is left, with the row that leads away. */
  leave: (key: string) => void;
}

/** A selection that this browser remembers under a name, so that it is there after going back. */
export function useRememberedSelection(name: string | undefined): Selection {
  const [at, setAt] = useState(() => (name === undefined ? null : readDraft(name)) ?? '');
  const select = useCallback(
    (key: string) => {
      setAt(key);
      if (name !== undefined) saveDraft(name, key);
    },
    [name],
  );
  return { at, select, leave: select };
}

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
