import { Glyph, type GlyphName } from '@/components/ui/glyph';
import { type RecordItem } from '@/lib/api/records';
import { appearanceOf, type RolloutAppearance } from '@/lib/timeline/fleet-rows';
import { outcomeLabel } from '@/lib/view/record-text';

const glyphs = {
  completed: { glyph: 'complete', color: 'text-complete' },
  back: { glyph: 'back', color: 'text-back' },
  superseded: { glyph: 'superseded', color: 'text-ink-3' },
  failed: { glyph: 'failed', color: 'text-stuck' },
  unknown: { glyph: 'unknown', color: 'text-unknown' },
  stuck: { glyph: 'stuck', color: 'text-stuck' },
  held: { glyph: 'paused', color: 'text-held' },
  rolling: { glyph: 'restart', color: 'text-rolling' },
} as const satisfies Record<RolloutAppearance, { glyph: GlyphName; color: string }>;

type RecordedOutcome = Pick<RecordItem, 'outcome' | 'spans'>;

/** The outcome of a recorded rollout, or its current state, as a glyph in its color. */
export function OutcomeGlyph({ record, size = 14 }: { record: RecordedOutcome; size?: number }) {
  const { glyph, color } = glyphs[appearanceOf(record)];
  return (
    <span className={`inline-flex ${color}`} title={outcomeLabel(record)}>
      <Glyph name={glyph} size={size} />
    </span>
  );
}

/** The text color of the outcome. */
export function outcomeColor(record: RecordedOutcome): string {
  return glyphs[appearanceOf(record)].color;
}
