'use client';

import { useEffect, useRef } from 'react';

/**
 * Each time `follow` increments, because a key moved the selection, the row scrolls into view, and the element whose
 * `attribute` holds the selection takes the focus once it is drawn.
 */
export function useFocusSelection(
  follow: number,
  target: {
    attribute: `data-${string}`;
    selected: string;
    /** Index of the selected row; -1 without one. */
    indexOf: (selected: string) => number;
    scrollTo: (index: number) => void;
  },
): void {
  const latest = useRef(target);
  useEffect(() => {
    latest.current = target;
  });
  useEffect(() => {
    if (follow === 0) return;
    const { attribute, selected, indexOf, scrollTo } = latest.current;
    const index = indexOf(selected);
    if (index === -1) return;
    scrollTo(index);
    const frame = requestAnimationFrame(() => focus(attribute, selected));
    return () => cancelAnimationFrame(frame);
  }, [follow]);
}

function focus(attribute: string, value: string): void {
  document
    .querySelector<HTMLElement>(`[${attribute}="${CSS.escape(value)}"]`)
    ?.focus({ preventScroll: true });
}

/**
 * Scrolls the row whose `attribute` has the value into view and focuses its link, which Enter then opens: the one with
 * `data-row-link`, else the first.
 */
export function focusRow(attribute: `data-${string}`, value: string): void {
  const row = document.querySelector(`[${attribute}="${CSS.escape(value)}"]`);
  row?.scrollIntoView({ block: 'nearest' });
  const link = row?.querySelector<HTMLElement>('a[data-row-link]') ?? row?.querySelector('a');
  link?.focus({ preventScroll: true });
}
