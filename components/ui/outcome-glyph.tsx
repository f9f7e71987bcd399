import { Glyph, type GlyphName } from '@/components/ui/glyph';
import { type RecordItem } from '@/lib/api/records';
import { outcomeText } from '@/lib/ledger/record-words';

const faces = {
  completed: { glyph: 'complete', color: 'text-complete' },
  rolledBack: { glyph: 'back', color: 'text-back' },
  superseded: { glyph: 'superseded', color: 'text-ink-3' },
  failed: { glyph: 'failed', color: 'text-stuck' },
  unknown: { glyph: 'unknown', color: 'text-unknown' },
  stuck: { glyph: 'stuck', color: 'text-stuck' },
  held: { glyph: 'paused', color: 'text-held' },
  rolling: { glyph: 'restart', color: 'text-rolling' },
} as const satisfies Record<string, { glyph: GlyphName; color: string }>;

type Recorded = Pick<RecordItem, 'outcome' | 'spans'>;

/** How a recorded rollout ended, or what it does now, as a glyph in its colour. */
export function OutcomeGlyph({ record, size = 14 }: { record: Recorded; size?: number }) {
  const { glyph, color } = faceOf(record);
  return (
    <span className={`inline-flex ${color}`} title={outcomeText(record)}>
      <Glyph name={glyph} size={size} />
    </span>
  );
}

/** The text colour of how it ended. */
export function outcomeColor(record: Recorded): string {
  return faceOf(record).color;
}

function faceOf({ outcome, spans }: Recorded): { glyph: GlyphName; color: string } {
  if (outcome !== null) return faces[outcome];
  return faces[spans.find(({ to }) => to === null)?.kind ?? 'rolling'];
}
