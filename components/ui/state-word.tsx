import { clsx } from 'clsx';
import { Glyph, type GlyphName, RingGlyph, SegmentGlyph } from '@/components/ui/glyph';
import { type WorkloadItem } from '@/lib/api/workloads';
import { type WorkloadState } from '@/lib/workloads/status';

interface Face {
  word: string;
  glyph: GlyphName;
  color: string;
  /** What the state means, for the tooltip. */
  means: string;
}

const states: Record<WorkloadState, Face> = {
  complete: {
    word: 'Complete',
    glyph: 'complete',
    color: 'text-complete',
    means: 'All desired pods run the target revision and are ready.',
  },
  rolling: {
    word: 'In progress',
    glyph: 'restart',
    color: 'text-rolling',
    means: 'Pods are being replaced.',
  },
  held: {
    word: 'Held',
    glyph: 'paused',
    color: 'text-held',
    means: 'A partition, a step or the update strategy keeps pods on an earlier revision until that changes.',
  },
  paused: {
    word: 'Paused',
    glyph: 'paused',
    color: 'text-paused',
    means: 'The rollout was stopped, and waits to be resumed.',
  },
  waiting: {
    word: 'Waiting for deletion',
    glyph: 'waiting',
    color: 'text-held',
    means: 'Pods take the target revision only when they are deleted.',
  },
  stuck: { word: 'Stalled', glyph: 'stuck', color: 'text-stuck', means: 'The rollout makes no progress.' },
  deadlineExceeded: {
    word: 'Stalled',
    glyph: 'stuck',
    color: 'text-stuck',
    means: 'The rollout made no progress within its deadline.',
  },
  degraded: {
    word: 'Degraded',
    glyph: 'degraded',
    color: 'text-degraded',
    means: 'No rollout is in progress, but fewer pods are ready than desired.',
  },
  failed: {
    word: 'Failed',
    glyph: 'failed',
    color: 'text-stuck',
    means: 'Its release controller says that the rollout has failed.',
  },
  unknown: {
    word: 'Unknown',
    glyph: 'unknown',
    color: 'text-unknown',
    means: 'The state can not be told, for the reason beside it.',
  },
};

const outcomes = {
  completed: { word: 'completed', glyph: 'complete', color: 'text-complete' },
  rolledBack: { word: 'rolled back', glyph: 'back', color: 'text-back' },
  superseded: { word: 'superseded', glyph: 'superseded', color: 'text-ink-3' },
  failed: { word: 'failed', glyph: 'failed', color: 'text-stuck' },
  stuck: { word: 'stuck', glyph: 'stuck', color: 'text-stuck' },
  unknown: { word: 'unknown', glyph: 'unknown', color: 'text-unknown' },
} as const satisfies Record<string, Omit<Face, 'means'>>;

export type Outcome = keyof typeof outcomes;

type Stated = Pick<WorkloadItem, 'state' | 'awaitsApproval'>;

/** The word for the state that a workload is in, such as "In progress". */
export function stateWord({ state, awaitsApproval }: Stated): string {
  return awaitsApproval === true ? 'Waiting for approval' : states[state].word;
}

/** The text colour of a state as a class, for a word that is written elsewhere. */
export function stateColor(state: WorkloadState): string {
  return states[state].color;
}

/**
 * The glyph of a state alone, in its colour: beside a name whose row says the word.
 * `share` (0 to 1) fills the ring of `rolling` and the segments of `held`.
 */
export function StateGlyph({
  state,
  awaitsApproval,
  share,
  size = 14,
}: Stated & {
  share?: number;
  size?: number;
}) {
  return (
    <span
      className={clsx('inline-flex', states[state].color)}
      title={`${stateWord({ state, awaitsApproval })}: ${states[state].means}`}
    >
      <StateShape state={state} share={share} size={size} />
    </span>
  );
}

/**
 * Glyph and word of a state; `children` replace the word where more is known ("Held at partition 5").
 * `<StateWord state="rolling" share={0.4} />`
 */
export function StateWord({
  state,
  share,
  glyphSize = 14,
  className,
  children,
}: {
  state: WorkloadState;
  share?: number;
  glyphSize?: number;
  className?: string;
  children?: React.ReactNode;
}) {
  const face = states[state];
  return (
    <span
      title={face.means}
      className={clsx(
        'inline-flex items-baseline gap-[7px] font-medium whitespace-nowrap [&>svg]:self-center',
        face.color,
        className,
      )}
    >
      <StateShape state={state} share={share} size={glyphSize} />
      {children ?? face.word}
    </span>
  );
}

/** Glyph and word of how a rollout ended. `quiet` keeps the colour to the glyph where success should not shout. */
export function OutcomeWord({
  outcome,
  quiet = false,
  className,
  children,
}: {
  outcome: Outcome;
  quiet?: boolean;
  className?: string;
  children?: React.ReactNode;
}) {
  const face = outcomes[outcome];
  return (
    <span
      className={clsx(
        'inline-flex items-baseline gap-[5px] whitespace-nowrap [&>svg]:self-center',
        quiet ? 'text-ink-3' : face.color,
        className,
      )}
    >
      <Glyph name={face.glyph} size={12} className={face.color} />
      {children ?? face.word}
    </span>
  );
}

function StateShape({
  state,
  share,
  size,
}: {
  state: WorkloadState;
  share: number | undefined;
  size: number;
}) {
  if (state === 'rolling') return <RingGlyph share={share ?? 0.3} size={size} />;
  if (state === 'held') return <SegmentGlyph step={(share ?? 0.4) * 5} of={5} size={size} />;
  return <Glyph name={states[state].glyph} size={size} />;
}
