import { useCallback, useMemo, useState } from 'react';

/** Which records of the queue are selected for one verdict. */
export interface QueueSelection {
  ids: ReadonlySet<string>;
  /** Selects them all, or none of them where all are selected. */
  toggle: (ids: readonly string[]) => void;
  /** Adds them. */
  add: (ids: readonly string[]) => void;
  /** Adds those from the one toggled last to this one. */
  extendTo: (id: string) => void;
  clear: () => void;
}

/** The selection among `queue`; a record that leaves the queue leaves the selection too. */
export function useQueueSelection(queue: readonly string[]): QueueSelection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(noIds);
  const [anchor, setAnchor] = useState<string | null>(null);
  const ids = useMemo(() => new Set(queue.filter((id) => chosen.has(id))), [queue, chosen]);
  const add = useCallback((added: readonly string[]) => {
    setChosen((before) => new Set([...before, ...added]));
    setAnchor(added.at(-1) ?? null);
  }, []);
  const toggle = (toggled: readonly string[]) => {
    if (!toggled.every((id) => ids.has(id))) return add(toggled);
    const removed = new Set(toggled);
    setChosen(new Set([...ids].filter((id) => !removed.has(id))));
    setAnchor(toggled.at(-1) ?? null);
  };
  const extendTo = (id: string) => {
    const [from, to] = [queue.indexOf(anchor ?? id), queue.indexOf(id)].sort((a, b) => a - b);
    add(from === -1 || from === undefined || to === undefined ? [id] : queue.slice(from, to + 1));
    setAnchor(id);
  };
  return { ids, toggle, add, extendTo, clear: () => setChosen(noIds) };
}

const noIds: ReadonlySet<string> = new Set();
