'use client';

import { useShortcuts } from '@/components/ui/shortcuts';
import { isComparable } from '@/components/revisions/revision-pair';
import type { RevisionListRow } from '@/components/revisions/revision-rows';
import type { RevisionItem } from '@/lib/api/revisions';
import { copyWithToast } from '@/components/shared/copy-with-toast';
import { showRefusal } from '@/components/shared/show-refusal';

/** The keys of a workload's page: each does what its button does, and is not there without it. */
export function useWorkloadKeys({
  rows,
  at,
  onMove,
  compare,
  rollback,
  control,
  stale = null,
}: {
  /** The history as it is listed, newest first. */
  rows: readonly RevisionListRow[];
  /** Key of the row that the keyboard selected. */
  at: string | null;
  onMove: (key: string) => void;
  /** Absent where nothing can be compared. */
  compare?: {
    /** Selects a row, or clears it. */
    toggle: (key: string) => void;
    /** Absent where there is only one revision. */
    open?: () => void;
  };
  /** Absent where nothing can be rolled back. */
  rollback?: {
    /** Without an id, to the default revision. */
    open: (id?: string) => void;
    /** The last revision of a deleted incarnation can be rolled back to like any other. */
    canChooseTarget: boolean;
  };
  /** Absent where it can't be paused or resumed now. */
  control?: { action: 'pause' | 'resume'; open: () => void };
  /** Why nothing can be changed while the page is stale: the keys of the actions then say so. */
  stale?: string | null;
}): void {
  const listed = rows.flatMap((row) => (row.kind === 'revision' ? [row] : []));
  const index = listed.findIndex(({ key }) => key === at);
  const current = listed[index];
  const chosen = rollback?.canChooseTarget === true ? current?.revision : otherTarget(rows, at);

  function moveTo(next: number) {
    const row = listed[Math.max(0, Math.min(listed.length - 1, next))];
    if (!row) return;
    onMove(row.key);
    // The row may render only now that the keyboard has selected it.
    setTimeout(() => {
      document
        .querySelector(`[data-revision="${CSS.escape(row.key)}"]`)
        ?.scrollIntoView({ block: 'nearest' });
    });
  }

  useShortcuts({
    j: { label: 'Next row', hint: 'move', run: () => moveTo(index + 1) },
    k: { label: 'Previous row', hint: 'move', run: () => moveTo(index === -1 ? 0 : index - 1) },
    // Without a row the key scrolls the page.
    ...(compare &&
      current &&
      isComparable(current.revision) && {
        ' ': {
          label: 'Select the row to compare',
          hint: 'select',
          run: () => compare.toggle(current.key),
        },
      }),
    ...(compare?.open && { c: { label: 'Compare', hint: 'compare', run: compare.open } }),
    ...(rollback && {
      r: {
        label: chosen ? 'Roll back to the selected revision' : 'Roll back',
        hint: chosen || rollback.canChooseTarget ? 'roll back to it' : 'roll back',
        run: () => rollback.open(chosen?.id),
      },
    }),
    ...(stale !== null && {
      r: () => showRefusal('Roll back', stale),
      p: () => showRefusal('Pause or resume', stale),
    }),
    ...(control && {
      p: {
        label: control.action === 'pause' ? 'Pause' : 'Resume',
        hint: control.action,
        run: control.open,
      },
    }),
    y: {
      label: 'Copy link',
      hint: 'copy link',
      run: () => void copyWithToast(window.location.href, 'Link copied'),
    },
  });
}

/** The selected revision where the key rolls back to it, and not to the one that the button names. */
export function otherTarget(rows: readonly RevisionListRow[], at: string | null): RevisionItem | undefined {
  const row = rows.find(({ key }) => key === at);
  return row?.kind === 'revision' && !row.revision.target ? row.revision : undefined;
}
