import { clsx } from 'clsx';
import { outcomeGlyphs } from '@/components/shared/outcome-glyph';
import { Glyph } from '@/components/ui/glyph';
import { appearanceOf } from '@/lib/timeline/appearance';
import type { RolloutSummary } from '@/lib/api/records';
import { outcomeDuration, outcomeLabel, type RecordedOutcome } from '@/lib/view/record-text';

/**
 * The outcome of a recorded rollout. One in progress has none; its state is shown elsewhere. `withDuration` adds the
 * duration: "Completed in 2 min 02 s", "Rolled back after 44 min".
 */
export function RolloutOutcome({
  rollout,
  withDuration = false,
}: {
  rollout: Pick<RolloutSummary, 'outcome' | 'undoneBy' | 'startedAt' | 'endedAt'>;
  withDuration?: boolean;
}) {
  const { outcome } = rollout;
  if (outcome === null)
    return (
      <span className="text-ink-3" title="In progress">
        <span aria-hidden="true">–</span>
        <span className="sr-only">none yet</span>
      </span>
    );
  // What undid it says more than how soon.
  const time = withDuration && outcome !== 'undone' ? outcomeDuration(rollout) : '';
  return (
    <OutcomeLabel record={rollout} muted={outcome === 'completed'}>
      {`${outcomeLabel(rollout)} ${time}`.trimEnd()}
    </OutcomeLabel>
  );
}

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
