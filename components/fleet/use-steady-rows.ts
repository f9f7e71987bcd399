'use client';

import { useLayoutEffect, useRef } from 'react';
import { type FleetRow } from '@/components/fleet/fleet-view';
import { steadyShift } from '@/components/fleet/steady-rows';

/**
 * Keeps what is in sight where it is when the list changes under it. After a change of the question (`question`, any
 * text) the list is shown from its beginning instead.
 */
export function useSteadyRows(
  body: React.RefObject<HTMLElement | null>,
  rows: readonly FleetRow[],
  heightOf: (row: FleetRow) => number,
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
      before.question === question ? steadyShift(before.rows, rows, scrolledPx, heightOf) : -scrolledPx;
    if (shift !== 0) window.scrollBy({ top: shift, behavior: 'instant' });
  }, [body, rows, heightOf, question, stickyPx]);
}
