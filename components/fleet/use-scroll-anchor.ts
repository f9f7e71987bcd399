'use client';

import { useLayoutEffect, useRef } from 'react';
import { type FleetListRow } from '@/components/fleet/fleet-view';
import { anchorShiftPx } from '@/components/fleet/scroll-anchor';

/**
 * Holds the visible rows in place when the list changes. After a change of the query (`question`, any string) the
 * list is shown from its beginning instead.
 */
export function useScrollAnchor(
  body: React.RefObject<HTMLElement | null>,
  rows: readonly FleetListRow[],
  heightOf: (row: FleetListRow) => number,
  question: string,
  stickyPx: number,
): void {
  const last = useRef({ rows, question });
  useLayoutEffect(() => {
    const before = last.current;
    last.current = { rows, question };
    if (before.rows === rows || body.current === null) return;
    const scrolledPx = stickyPx - body.current.getBoundingClientRect().top;
    if (scrolledPx <= 0) return;
    const shift =
      before.question === question ? anchorShiftPx(before.rows, rows, scrolledPx, heightOf) : -scrolledPx;
    if (shift !== 0) window.scrollBy({ top: shift, behavior: 'instant' });
  }, [body, rows, heightOf, question, stickyPx]);
}
