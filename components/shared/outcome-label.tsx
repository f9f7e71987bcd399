import { clsx } from 'clsx';
import { outcomeGlyphs } from '@/components/shared/outcome-glyph';
import { Glyph } from '@/components/ui/glyph';
import { appearanceOf } from '@/lib/timeline/appearance';
import { outcomeLabel, type RecordedOutcome } from '@/lib/view/record-text';

/**
 * Glyph and label of a rollout's outcome. `muted` limits the color to the glyph where success should not stand out.
 */
export function OutcomeLabel({
  record,
  muted = false,
  children = outcomeLabel(record),
}: {
  record: RecordedOutcome;
  muted?: boolean;
  children?: React.ReactNode;
}) {
  const { glyph, color } = outcomeGlyphs[appearanceOf(record)];
  return (
    <span
      className={clsx(
        'inline-flex items-baseline gap-[5px] whitespace-nowrap [&>svg]:self-center',
        muted ? 'text-ink-3' : color,
      )}
    >
      <Glyph name={glyph} size={12} className={color} />
      {children}
    </span>
  );
}
