import { clsx } from 'clsx';
import { Glyph, RingGlyph, SegmentGlyph } from '@/components/ui/glyph';
import { rolloutAppearance, stepAppearance } from '@/components/rollouts/rollout-labels';
import type { RolloutItem, RolloutStepItem } from '@/lib/api/rollouts';

/** The glyph of a rollout's state, in its color; the label must be next to it. */
export function RolloutGlyph({
  rollout: { state, step, replicas },
  size = 14,
}: {
  rollout: Pick<RolloutItem, 'state' | 'step' | 'replicas'>;
  size?: number;
}) {
  const appearance = rolloutAppearance[state];
  return (
    <span className={clsx('inline-flex', appearance.color)} title={appearance.word}>
      {state === 'waiting' ? (
        <SegmentGlyph step={step.index} of={step.total} size={size} />
      ) : appearance.glyph === 'restart' ? (
        <RingGlyph share={shareOf(replicas)} size={size} />
      ) : (
        <Glyph name={appearance.glyph} />
      )}
    </span>
  );
}

/** The glyph of a step's state: full, a ring while in progress, hollow before its start. */
export function StepGlyph({ step: { state, replicas } }: { step: RolloutStepItem }) {
  const appearance = stepAppearance[state];
  if (state === 'planned')
    return (
      <span
        aria-hidden="true"
        className="m-px inline-block size-3 flex-none rounded-full border-[1.5px] border-control"
      />
    );
  return (
    <span className={clsx('inline-flex', appearance.color)}>
      {appearance.glyph === 'restart' ? (
        <RingGlyph share={(replicas.ready ?? 0) / Math.max(1, replicas.planned ?? 1)} />
      ) : (
        <Glyph name={appearance.glyph} />
      )}
    </span>
  );
}

function shareOf({ desired, ready }: RolloutItem['replicas']): number {
  return desired === null || desired === 0 ? 0.1 : (ready ?? 0) / desired;
}
