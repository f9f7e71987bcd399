'use client';

import { type Shortcut, useShortcuts } from '@/components/ui/shortcuts';
import { type RevisionItem } from '@/lib/api/revisions';
import { copyWithToast } from '@/components/shared/copy-with-toast';

/** The keys of a workload's page: each does what its button does, and is not there without it. */
export function useWorkloadKeys({
  revisions,
  at,
  onMove,
  compare,
  rollback,
  control,
}: {
  /** Newest first. */
  revisions: readonly RevisionItem[];
  /** Id of the row that the keyboard selected. */
  at: string | null;
  onMove: (id: string) => void;
  /** Absent where nothing can be compared. */
  compare?: {
    choose: (change: { from?: string; to?: string }) => void;
    /** One revision older (1) or newer (-1). */
    step: (by: 1 | -1) => void;
    /** Absent where there is only one. */
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
}): void {
  const index = revisions.findIndex(({ id }) => id === at);
  const current = revisions[index];
  const chosen = rollback?.canChooseTarget === true ? current : otherTarget(revisions, at);

  function moveTo(next: number) {
    const revision = revisions[Math.max(0, Math.min(revisions.length - 1, next))];
    if (!revision) return;
    onMove(revision.id);
    // The row may render only now that the keyboard has selected it.
    setTimeout(() => {
      document
        .querySelector(`[data-revision="${CSS.escape(revision.id)}"]`)
        ?.scrollIntoView({ block: 'nearest' });
    });
  }

  useShortcuts({
    j: { label: 'Next revision', hint: 'move', run: () => moveTo(index + 1) },
    k: { label: 'Previous revision', hint: 'move', run: () => moveTo(index === -1 ? 0 : index - 1) },
    ...(compare && compareKeys(compare, current)),
    ...(rollback && {
      r: {
        label: chosen ? 'Roll back to the selected revision' : 'Roll back',
        hint: chosen || rollback.canChooseTarget ? 'roll back to it' : 'roll back',
        run: () => rollback.open(chosen?.id),
      },
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
export function otherTarget(revisions: readonly RevisionItem[], at: string | null): RevisionItem | undefined {
  return revisions.find(({ id, target }) => id === at && !target);
}

function compareKeys(
  { choose, step, open }: NonNullable<Parameters<typeof useWorkloadKeys>[0]['compare']>,
  current: RevisionItem | undefined,
): Record<string, Shortcut> {
  return {
    '[': { label: 'Compare one revision older', hint: 'revision before, after', run: () => step(1) },
    ']': { label: 'Compare one revision newer', hint: 'revision before, after', run: () => step(-1) },
    a: {
      label: 'Compare from this revision',
      hint: 'choose for compare',
      run: () => current && choose({ from: current.id }),
    },
    b: {
      label: 'Compare to this revision',
      hint: 'choose for compare',
      run: () => current && choose({ to: current.id }),
    },
    ...(open && { c: { label: 'Compare the chosen two', hint: 'compare', run: open } }),
  };
}
