import type { RolloutStep } from '@/lib/api/rollouts';
import type { StepState } from '@/lib/api/rollout-values';

/** The state of a step by its place: those before the current one are done, those after it are planned. */
export function placeStep(index: number, current: number, atCurrent: StepState): StepState {
  if (index === current) return atCurrent;
  return index < current ? 'done' : 'planned';
}

type Counts = Pick<RolloutStep['replicas'], 'updated' | 'ready'>;

/** Of a step that no pods count for. */
export const NO_COUNTS: Counts = { updated: null, ready: null };

/** At most as many pods as a completed step requested: the rest belongs to later ones. Null: all count. */
export function boundCounts(
  { updated, ready }: { updated: number; ready: number },
  planned: number | null,
): Counts {
  const most = planned ?? Infinity;
  return { updated: Math.min(updated, most), ready: Math.min(ready, most) };
}
