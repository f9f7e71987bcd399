import type { Amount, Batch, RolloutPlan } from '@/lib/oam/plan';

/** The range of a plan in pods: from none when rolling, from the current size when scaling. */
export interface Extent {
  readonly mode: 'rolling' | 'scaling';
  readonly base: number;
  readonly target: number;
}

/** Pods of an amount; shares of `of` round up. Undefined for what is no amount. */
export function podsOf(amount: Amount | undefined, of: number): number | undefined {
  if (typeof amount === 'number') return Number.isInteger(amount) && amount >= 0 ? amount : undefined;
  const share = amount === undefined ? undefined : /^(\d+)%$/.exec(amount);
  if (share === undefined || share === null) return undefined;
  return Math.ceil((Number(share[1]) * of) / 100);
}

/**
 * The batches of a plan: those that it lists, or else as many as it counts, of about one size and none
 * smaller than the previous one, or else a single one of everything.
 */
export function batchesOf(plan: RolloutPlan, { base, target }: Extent): readonly Batch[] {
  if (plan.batches.length > 0) return plan.batches;
  const count = Math.max(1, plan.numBatches ?? 1);
  const total = Math.abs(target - base);
  return Array.from({ length: count }, (_, index) => ({
    replicas: Math.floor((total * (index + 1)) / count) - Math.floor((total * index) / count),
    podList: [],
    maxUnavailable: undefined,
    instanceIntervalMs: 0,
    webhooks: [],
    metrics: [],
  })).sort((a, b) => a.replicas - b.replicas);
}

/** Pods to be upgraded, or to exist, after each batch; the last one always reaches the target. */
export function goalsOf(batches: readonly Batch[], extent: Extent): number[] {
  const sizes = sizesOf(batches, extent);
  const sign = extent.target < extent.base ? -1 : 1;
  let sum = 0;
  return sizes.map((size, index) => {
    sum += size;
    return index === sizes.length - 1 ? extent.target : extent.base + sign * sum;
  });
}

/** Pods of the batch that may be missing; a share is of all pods that the plan moves. */
export function unavailableOf(batch: Batch | undefined, { base, target }: Extent): number {
  return podsOf(batch?.maxUnavailable, Math.abs(target - base)) ?? 0;
}

/** The largest number of pods that one batch moves. */
export function largestBatch(batches: readonly Batch[], extent: Extent): number {
  const goals = goalsOf(batches, extent);
  return Math.max(0, ...goals.map((goal, index) => Math.abs(goal - (goals[index - 1] ?? extent.base))));
}

/**
 * What is wrong with a plan, in upstream's words; undefined if nothing is.
 * https://github.com/kubevela/kubevela/blob/v1.8.2/pkg/controller/common/rollout/workloads/common.go
 */
export function describePlanProblem(plan: RolloutPlan, extent: Extent): string | undefined {
  const { numBatches } = plan;
  if (numBatches !== undefined && (!Number.isInteger(numBatches) || numBatches < 1))
    return `the rolloutPlan must have batches, numBatches = ${numBatches}`;
  if (numBatches !== undefined && plan.batches.length > 0 && numBatches !== plan.batches.length)
    return `numBatches is ${numBatches}, but ${plan.batches.length} batches are listed`;
  const batches = batchesOf(plan, extent);
  // ReplicaSets and CloneSets choose which pods end first: a list without effect is worse than none.
  const listing = batches.findIndex(({ podList }) => podList.length > 0);
  if (listing >= 0)
    return `batch ${listing} lists pods by name, which is not supported; set replicas to a number`;
  const { base, target, mode } = extent;
  const isMalformed = batches.some(
    ({ replicas }, index) =>
      podsOf(replicas, Math.abs(target - base)) === undefined &&
      (replicas !== undefined || index < batches.length - 1),
  );
  if (isMalformed) return 'the replicas of a batch are neither a number nor a percentage';
  const sizes = sizesOf(batches, extent);
  const last = sizes.at(-1) ?? 0;
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const withoutLast = total - last;
  const isExact = typeof batches.at(-1)?.replicas !== 'number';
  if (mode === 'rolling') {
    const mismatch = (sum: number) =>
      `the rollout plan batch size mismatch, total batch size = ${sum}, totalReplicas size = ${target}`;
    // An empty workload rolls with a single empty batch.
    if (batches.length > 1 && withoutLast >= target) return mismatch(withoutLast);
    return !isExact && total !== target ? mismatch(total) : undefined;
  }
  const problem = (what: string, sum: number) =>
    `the rollout plan ${what}, total batch size = ${sum}, targetSize size = ${target}`;
  if (target > base && base + withoutLast >= target) return problem('increased too much', withoutLast);
  if (target < base && base - withoutLast <= target) return problem('reduced too much', withoutLast);
  if (target === base && withoutLast !== 0) return problem('changed on no-op scale', withoutLast);
  return !isExact && total !== Math.abs(target - base) ? problem('batch size mismatch', total) : undefined;
}

function sizesOf(batches: readonly Batch[], { base, target }: Extent): number[] {
  return batches.map(({ replicas }) => podsOf(replicas, Math.abs(target - base)) ?? 0);
}
