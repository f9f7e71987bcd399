import { clsx } from 'clsx';
import { Glyph, type GlyphName, RingGlyph, SegmentGlyph } from '@/components/ui/glyph';
import type { WorkloadItem } from '@/lib/api/workloads';
import type { WorkloadState } from '@/lib/api/workload-values';

interface Appearance {
  word: string;
  glyph: GlyphName;
  color: string;
  /** Meaning of the state, for the tooltip. */
  means: string;
}

// prettier-ignore
const stateAppearances: Record<WorkloadState, Appearance> = {
  complete: { word: 'Complete', glyph: 'complete', color: 'text-complete', means: 'All desired pods run the target revision and are ready.' },
  rolling: { word: 'In progress', glyph: 'restart', color: 'text-rolling', means: 'Pods are being replaced.' },
  scaling: { word: 'Scaling', glyph: 'restart', color: 'text-rolling', means: 'The number of desired pods was raised, and the new pods are not available yet.' },
  held: { word: 'Held', glyph: 'paused', color: 'text-held', means: 'A partition, a step or the update strategy keeps pods on an earlier revision until it is changed.' },
  paused: { word: 'Paused', glyph: 'paused', color: 'text-paused', means: 'The rollout is paused until it is resumed.' },
  waiting: { word: 'Waiting for pod deletion', glyph: 'waiting', color: 'text-held', means: 'A pod runs the target revision only after its old pod is deleted.' },
  stuck: { word: 'Stalled', glyph: 'stuck', color: 'text-stuck', means: 'The rollout makes no progress.' },
  deadlineExceeded: { word: 'Stalled', glyph: 'stuck', color: 'text-stuck', means: 'The rollout made no progress within its deadline.' },
  degraded: { word: 'Degraded', glyph: 'degraded', color: 'text-degraded', means: 'No rollout is in progress, but fewer pods are ready than desired.' },
  failed: { word: 'Failed', glyph: 'failed', color: 'text-stuck', means: 'The rollout controller reports that the rollout failed.' },
  unknown: { word: 'Unknown', glyph: 'unknown', color: 'text-unknown', means: 'The state is unknown, for the reason beside it.' },
};

type Stated = Pick<WorkloadItem, 'state' | 'awaitsApproval'>;

/** The label of a workload's state, such as "In progress". */
export function stateLabel({ state, awaitsApproval }: Stated): string {
  return awaitsApproval === true ? 'Waiting for approval' : stateAppearances[state].word;
}

/** The text color of a state as a class, for a label that is drawn elsewhere. */
export function stateColor(state: WorkloadState): string {
  return stateAppearances[state].color;
}

/**
 * The glyph of a state alone, in its color: next to a name whose row shows the label. `share` (0 to 1) fills the ring
 * of `rolling` and `scaling`, and the segments of `held`.
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
      className={clsx('inline-flex', stateAppearances[state].color)}
      title={`${stateLabel({ state, awaitsApproval })}: ${awaitsApproval === true ? 'The next step starts when a person approves it.' : stateAppearances[state].means}`}
    >
      <StateShape state={state} share={share} size={size} />
    </span>
  );
}

/**
 * Glyph and label of a state; `children` replace the label with a more specific text ("Held at partition 5").
 * `<StateLabel state="rolling" share={0.4} />`
 */
export function StateLabel({
  state,
  share,
  className,
  children,
}: {
  state: WorkloadState;
  share?: number;
  className?: string;
  children?: React.ReactNode;
}) {
  const appearance = stateAppearances[state];
  return (
    <span
      title={appearance.means}
      className={clsx(
        'inline-flex items-baseline gap-[7px] font-medium whitespace-nowrap [&>svg]:self-center',
        appearance.color,
        className,
      )}
    >
      <StateShape state={state} share={share} size={14} />
      {children ?? appearance.word}
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
  if (state === 'rolling' || state === 'scaling') return <RingGlyph share={share ?? 0.3} size={size} />;
  if (state === 'held') return <SegmentGlyph step={(share ?? 0.4) * 5} of={5} size={size} />;
  return <Glyph name={stateAppearances[state].glyph} size={size} />;
}
