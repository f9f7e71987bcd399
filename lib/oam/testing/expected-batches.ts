import type { RolloutPlan } from '@/lib/oam/plan';

/** The result of a plan for its reader, computed in another way than the controller does. */
interface ExpectedBatches {
  /** Pods of the target after each batch. */
  readonly goals: readonly number[];
  /** Whether its batches fit into what there is to move. */
  readonly fits: boolean;
  /** Pods of each batch that may be missing. */
  readonly missing: readonly number[];
}

export function expectedBatchesOf(plan: RolloutPlan, base: number, size: number): ExpectedBatches {
  const distance = Math.abs(size - base);
  const pods = (amount: number | string | undefined) => {
    if (typeof amount === 'number') return amount;
    const percent = Number(/^\d+/.exec(amount ?? '')?.[0] ?? 0);
    let share = 0;
    while (share * 100 < percent * distance) share += 1;
    return share;
  };
  const count = plan.batches.length;
  if (count === 0) return { ...evenly(plan.numBatches ?? 1, base, size), fits: true };
  const goals: number[] = [];
  let moved = 0;
  for (const batch of plan.batches.slice(0, -1)) {
    moved += pods(batch.replicas);
    goals.push(base + Math.sign(size - base) * moved);
  }
  return {
    goals: [...goals, size],
    fits: count === 1 || moved < distance,
    missing: plan.batches.map(({ maxUnavailable }) => pods(maxUnavailable)),
  };
}

/** The larger batches last. */
function evenly(count: number, base: number, size: number): Omit<ExpectedBatches, 'fits'> {
  const distance = Math.abs(size - base);
  const [each, more] = [Math.floor(distance / count), distance % count];
  const goals = Array.from({ length: count }, (_, index) => {
    const moved = each * (index + 1) + Math.max(0, index + 1 - (count - more));
    return base + Math.sign(size - base) * moved;
  });
  return { goals, missing: goals.map(() => 0) };
}
