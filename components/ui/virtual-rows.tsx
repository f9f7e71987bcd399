'use client';

import { useLayoutEffect, useState } from 'react';
import { useWindowVirtualizer } from '@tanstack/react-virtual';

interface VirtualRow {
  index: number;
  key: string | number | bigint;
}

/**
 * Draws only the visible rows of a long list, scrolling with the page. Put a spacer of `beforePx` in front of the
 * rows and one of `afterPx` behind them (`<SpacerRow>` in a table), and `ref` on the element that holds them all.
 *
 * Wrap the row in `memo` and pass stable values, so that scrolling draws only the new rows. Pass another `keyOf` only
 * for other rows: the places of all are then computed again. `rowHeight` must be exact: it avoids measuring 10,000
 * rows. A change of `layout` (any string, such as 'phone') reads it again. `stickyPx` is the height of what covers the
 * upper edge of the page when a row is scrolled to.
 */
export function useVirtualRows({
  count,
  rowHeight,
  keyOf,
  layout = '',
  stickyPx = 0,
}: {
  count: number;
  rowHeight: (index: number) => number;
  keyOf: (index: number) => string;
  layout?: string;
  stickyPx?: number;
}): {
  ref: (element: HTMLElement | null) => void;
  rows: readonly VirtualRow[];
  beforePx: number;
  afterPx: number;
  scrollTo: (index: number) => void;
} {
  const [element, ref] = useState<HTMLElement | null>(null);
  const [offsetPx, setOffsetPx] = useState(0);

  useLayoutEffect(() => {
    if (!element) return;
    const measure = () => setOffsetPx(Math.round(element.getBoundingClientRect().top + window.scrollY));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);

  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: rowHeight,
    getItemKey: keyOf,
    overscan: 6,
    scrollMargin: offsetPx,
    scrollPaddingStart: stickyPx,
    scrollPaddingEnd: 48,
    useFlushSync: false,
    // Rows drawn by the server, and by the browser before it has measured.
    initialRect: { width: 1440, height: 1100 },
  });

  useLayoutEffect(() => virtualizer.measure(), [virtualizer, layout]);

  const rows = virtualizer.getVirtualItems();
  const first = rows[0];
  const last = rows.at(-1);
  return {
    ref,
    rows,
    beforePx: first ? first.start - offsetPx : 0,
    afterPx: last ? virtualizer.getTotalSize() - (last.end - offsetPx) : 0,
    scrollTo: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  };
}

/** A spacer for the rows that are not drawn, inside a table body. */
export function SpacerRow({ heightPx }: { heightPx: number }) {
  if (heightPx <= 0) return null;
  return (
    <tr aria-hidden="true" className="max-desk:block">
      <td className="p-0 max-desk:block" style={{ height: heightPx }} />
    </tr>
  );
}
