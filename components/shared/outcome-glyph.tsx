import { Glyph, type GlyphName, RingGlyph, SegmentGlyph } from '@/components/ui/glyph';
import { appearanceOf, type RolloutAppearance } from '@/lib/timeline/appearance';
import { outcomeLabel, type RecordedOutcome } from '@/lib/view/record-text';

/** The glyph of each appearance, and its text color. */
export const outcomeGlyphs = {
  completed: { glyph: 'complete', color: 'text-complete' },
  undone: { glyph: 'back', color: 'text-back' },
  back: { glyph: 'back', color: 'text-back' },
  superseded: { glyph: 'superseded', color: 'text-ink-3' },
  noPods: { glyph: 'minus', color: 'text-ink-3' },
  failed: { glyph: 'failed', color: 'text-stuck' },
  unknown: { glyph: 'unknown', color: 'text-unknown' },
  stuck: { glyph: 'stuck', color: 'text-stuck' },
  held: { glyph: 'waiting', color: 'text-held' },
  rolling: { glyph: 'restart', color: 'text-rolling' },
} as const satisfies Record<RolloutAppearance, { glyph: GlyphName; color: string }>;

/** The outcome of a recorded rollout, or its current state, as a glyph in its color. */
export function OutcomeGlyph({ record, size = 14 }: { record: RecordedOutcome; size?: number }) {
  return (
    <span className={`inline-flex ${outcomeColor(record)}`} title={outcomeLabel(record)}>
      <OutcomeShape record={record} size={size} />
    </span>
  );
}

/** A rollout in progress has the shape that its workload has in that state. */
function OutcomeShape({ record, size }: { record: RecordedOutcome; size: number }) {
  const appearance = appearanceOf(record);
  if (appearance === 'rolling') return <RingGlyph share={0.3} size={size} />;
  if (appearance !== 'held') return <Glyph name={outcomeGlyphs[appearance].glyph} size={size} />;
  const waitsFor = record.spans?.find(({ to }) => to === null)?.waitsFor;
  if (waitsFor === 'resume') return <Glyph name="paused" size={size} />;
  if (waitsFor === 'deletion') return <Glyph name="waiting" size={size} />;
  return <SegmentGlyph step={2} of={5} size={size} />;
}

/** The text color of the outcome. */
export function outcomeColor(record: RecordedOutcome): string {
  return outcomeGlyphs[appearanceOf(record)].color;
}
