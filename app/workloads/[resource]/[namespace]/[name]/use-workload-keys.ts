'use client';

import { useShortcuts } from '@/components/ui/shortcuts';
import { type RevisionItem } from '@/lib/api/revisions';
import { copyWithToast } from '@/components/shared/copy-with-toast';

/** The keys of a workload's page. */
export function useWorkloadKeys({
  revisions,
  at,
  paused,
  onMove,
  onChoose,
  onStep,
  onCompare,
  onRollback,
  onPause,
  canChooseTarget = false,
}: {
  /** Newest first. */
  revisions: readonly RevisionItem[];
  /** Id of the row that the keyboard selected. */
  at: string | null;
  /** Absent where the kind cannot be paused. */
  paused?: boolean;
  onMove: (id: string) => void;
  onChoose: (change: { from?: string; to?: string }) => void;
  /** One revision older (1) or newer (-1). */
  onStep: (by: 1 | -1) => void;
  onCompare: () => void;
  /** Without an id, to the default revision. */
  onRollback: (id?: string) => void;
  onPause?: (action: 'pause' | 'resume') => void;
  /** The last revision of a deleted incarnation can be rolled back to like any other. */
  canChooseTarget?: boolean;
}): void {
  const index = revisions.findIndex(({ id }) => id === at);
  const current = revisions[index];

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
    j: { label: 'Next revision', run: () => moveTo(index + 1) },
    k: { label: 'Previous revision', run: () => moveTo(index === -1 ? 0 : index - 1) },
    '[': { label: 'Compare one revision older', run: () => onStep(1) },
    ']': { label: 'Compare one revision newer', run: () => onStep(-1) },
    a: { label: 'Compare from this revision', run: () => current && onChoose({ from: current.id }) },
    b: { label: 'Compare to this revision', run: () => current && onChoose({ to: current.id }) },
    c: { label: 'Compare the chosen two', run: onCompare },
    r: {
      label: 'Roll back',
      run: () => onRollback(current && (canChooseTarget || !current.target) ? current.id : undefined),
    },
    ...(onPause && {
      p: { label: 'Pause or resume', run: () => onPause(paused ? 'resume' : 'pause') },
    }),
    y: { label: 'Copy link', run: () => void copyWithToast(window.location.href, 'Link copied') },
  });
}
