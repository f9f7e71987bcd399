import { clsx } from 'clsx';
import type { ChangeKind } from '@/lib/api/diff-values';

const marks: Record<ChangeKind, { sign: string; colors: string }> = {
  added: { sign: '+', colors: 'bg-added-soft text-added' },
  removed: { sign: '−', colors: 'bg-removed-soft text-removed' },
  changed: { sign: '~', colors: 'bg-changed-soft text-changed' },
  moved: { sign: '↕', colors: 'bg-moved-soft text-moved' },
};

/** The sign of a kind of change. `decorative` where the label is next to it. */
export function ChangeMark({
  kind,
  decorative = false,
  className,
}: {
  kind: ChangeKind;
  decorative?: boolean;
  className?: string;
}) {
  const { sign, colors } = marks[kind];
  return (
    <span
      {...(decorative ? { 'aria-hidden': true } : { role: 'img', 'aria-label': kind })}
      className={clsx(
        'inline-grid size-4 flex-none place-items-center rounded-[3px] font-mono text-[12px]/none font-semibold',
        colors,
        className,
      )}
    >
      {sign}
    </span>
  );
}
