'use client';

import { useEffect, useRef } from 'react';

/**
 * Each time `follow` increments, because a key moved the selection, the row scrolls into view, and takes the focus once
 * it is drawn.
 */
export function useFocusSelection(
  follow: number,
  target: {
    selected: string;
    /** Index of the selected row; -1 without one. */
    indexOf: (selected: string) => number;
    scrollTo: (index: number) => void;
    focus: (selected: string) => void;
  },
): void {
  const latest = useRef(target);
  useEffect(() => {
    latest.current = target;
  });
  useEffect(() => {
    if (follow === 0) return;
    const { selected, indexOf, scrollTo, focus } = latest.current;
    const index = indexOf(selected);
    if (index === -1) return;
    scrollTo(index);
    const frame = requestAnimationFrame(() => focus(selected));
    return () => cancelAnimationFrame(frame);
  }, [follow]);
}
