import { useCallback } from 'react';
import { useRouter } from 'next/navigation';
import type { Selection } from '@/components/list/selection';
import { type Shortcut, useShortcuts } from '@/components/ui/shortcuts';

/**
 * Moves the selection through the rows by keys, and opens the selected one; `more` are keys of one list. Returns how to
 * move to the first row, and how to open a page from a row.
 */
export function useRowKeys<Row>({
  rows,
  keyOf,
  noun,
  selection: { at, select, leave },
  open,
  onMove,
  onEnd,
  more,
}: {
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** What a row is: "record". */
  noun: string;
  selection: Selection;
  /** The page that Enter opens. */
  open: { label?: string; href: (row: Row) => string | null };
  /** Brings the row that a key selected into view, and focuses it. */
  onMove: (key: string) => void;
  /** Called for a move beyond the last row. */
  onEnd?: () => void;
  more?: (
    selected: Row | undefined,
    go: (row: Row, href: string) => void,
  ) => Parameters<typeof useShortcuts>[0];
}) {
  const router = useRouter();
  const index = at === '' ? -1 : rows.findIndex((row) => keyOf(row) === at);
  const selected = rows[index];
  const go = useCallback(
    (row: Row, href: string | null) => {
      if (href === null) return;
      leave(keyOf(row));
      router.push(href);
    },
    [leave, keyOf, router],
  );
  function moveTo(next: number) {
    if (next >= rows.length) onEnd?.();
    const row = rows[Math.max(0, Math.min(rows.length - 1, next))];
    if (row === undefined) return;
    select(keyOf(row));
    onMove(keyOf(row));
  }
  const keys: Parameters<typeof useShortcuts>[0] = {
    j: { label: `Next ${noun}`, hint: 'move', run: () => moveTo(index + 1) },
    k: { label: `Previous ${noun}`, hint: 'move', run: () => moveTo(index - 1) },
    enter: {
      label: open.label ?? 'Open',
      hint: 'open',
      run: ({ repeat }) => selected !== undefined && !repeat && go(selected, open.href(selected)),
    },
    ...more?.(selected, go),
  };
  useShortcuts(keys, { enabled: rows.length > 0 });
  return { selected, toFirst: () => moveTo(0), go };
}

/** To the filters, and back to no filters. */
export function filterKeys(clear: () => void, clearLabel = 'Clear filters'): Record<string, Shortcut> {
  return {
    f: {
      label: 'Go to the filters',
      hint: 'filter',
      run: () => document.querySelector<HTMLElement>('[data-first-chip]')?.focus(),
    },
    escape: { label: clearLabel, run: clear },
  };
}

/** Scrolls the row of a key into view and focuses its link. */
export function focusRow(key: string): void {
  rowOf(key)?.scrollIntoView({ block: 'nearest' });
  focusLink(key);
}

/** Focuses the link of a row, which Enter then opens: the one with `data-row-link`, else the first. */
export function focusLink(key: string): void {
  const row = rowOf(key);
  const link = row?.querySelector<HTMLElement>('a[data-row-link]') ?? row?.querySelector('a');
  link?.focus({ preventScroll: true });
}

function rowOf(key: string): Element | null {
  return document.querySelector(`[data-row="${CSS.escape(key)}"]`);
}
