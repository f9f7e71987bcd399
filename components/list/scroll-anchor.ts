import { useLayoutEffect, useRef } from 'react';

/** A line of a list: a row, the head of a group of rows, or one that stands for rows that are not shown. */
export type AnchorLine<Row> =
  | { kind: 'group'; key: string; title: string; remark?: string; count: number }
  | { kind: 'fold'; key: string; title: string }
  | { kind: 'row'; key: string; row: Row };

/**
 * Holds the visible rows in place when the list changes. After a change of the filters (`question`, any string) the
 * list is shown from its beginning instead.
 */
export function useScrollAnchor<Row>(
  body: React.RefObject<HTMLElement | null>,
  lines: readonly AnchorLine<Row>[],
  heightOf: (line: AnchorLine<Row>) => number,
  question: string,
  stickyPx: number,
): void {
  const last = useRef({ lines, question });
  useLayoutEffect(() => {
    const before = last.current;
    last.current = { lines, question };
    if (before.lines === lines || body.current === null) return;
    const scrolledPx = stickyPx - body.current.getBoundingClientRect().top;
    if (scrolledPx <= 0) return;
    const shift =
      before.question === question ? anchorShiftPx(before.lines, lines, scrolledPx, heightOf) : -scrolledPx;
    if (shift !== 0) window.scrollBy({ top: shift, behavior: 'instant' });
  }, [body, lines, heightOf, question, stickyPx]);
}

/** About one screen of rows. */
const ROWS_TRIED_MAX = 40;

/**
 * How far to scroll so that visible rows do not move when rows are added, removed or reordered. `scrolledPx` is the
 * height of the old rows above the visible area. 0 where nothing is above it, or where none of the rows just below
 * its edge remains.
 */
export function anchorShiftPx<Row>(
  before: readonly AnchorLine<Row>[],
  after: readonly AnchorLine<Row>[],
  scrolledPx: number,
  heightOf: (line: AnchorLine<Row>) => number,
): number {
  if (scrolledPx <= 0) return 0;
  const places = new Map<string, number>();
  let place = 0;
  for (const line of after) {
    places.set(line.key, place);
    place += heightOf(line);
  }
  place = 0;
  let tried = 0;
  for (const line of before) {
    const now = line.kind === 'row' && place >= scrolledPx ? places.get(line.key) : undefined;
    if (now !== undefined) return now - place;
    if (place >= scrolledPx && (tried += 1) > ROWS_TRIED_MAX) return 0;
    place += heightOf(line);
  }
  return 0;
}
