import { type Amount, type Batch, type RolloutPlan } from '@/lib/oam/plan';

/** From how many pods to how many a plan goes: when rolling from none, when scaling from the size there was. */
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
 * The batches that a plan comes to: those that it lists, or else as many as it counts, of about one size and none
 * smaller than the one before, or else one of everything.
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

/** Pods that are to be upgraded, or there, after each batch; the last always has the target reached. */
export function goalsOf(batches: readonly Batch[], extent: Extent): number[] {
  const sizes = sizesOf(batches, extent);
  const sign = extent.target < extent.base ? -1 : 1;
  let sum = 0;
  return sizes.map((size, index) => {
    sum += size;
    return index === sizes.length - 1 ? extent.target : extent.base + sign * sum;
  });
}

/** Pods of the batch that may be missing, a share being of all that the plan moves. */
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
export function problemOfPlan(plan: RolloutPlan, extent: Extent): string | undefined {
  const { numBatches } = plan;
  if (numBatches !== undefined && (!Number.isInteger(numBatches) || numBatches < 1))
    return `the rolloutPlan must have batches, numBatches = ${numBatches}`;
  if (numBatches !== undefined && plan.batches.length > 0 && numBatches !== plan.batches.length)
    return `the number of batches ${numBatches} is not that of the batches listed, ${plan.batches.length}`;
  const batches = batchesOf(plan, extent);
  // Which pods go first is up to ReplicaSets and CloneSets: a list that is not kept to is worse than none.
  const listing = batches.findIndex(({ podList }) => podList.length > 0);
  if (listing >= 0)
    return `batch ${listing} lists the pods it is to take, which can't be chosen; give a number as its replicas`;
  const { base, target, mode } = extent;
  const isMalformed = batches.some(
    ({ replicas }, index) =>
      podsOf(replicas, Math.abs(target - base)) === undefined &&
      (replicas !== undefined || index < batches.length - 1),
  );
  if (isMalformed) return 'the rollout plan has a batch whose replicas are neither a number nor a percentage';
  const sizes = sizesOf(batches, extent);
  const last = sizes.at(-1) ?? 0;
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  const most = whole - last;
  const isExact = typeof batches.at(-1)?.replicas !== 'number';
  if (mode === 'rolling') {
    const mismatch = (sum: number) =>
      `the rollout plan batch size mismatch, total batch size = ${sum}, totalReplicas size = ${target}`;
    // A single batch of nothing at all is how an empty workload rolls.
    if (batches.length > 1 && most >= target) return mismatch(most);
    return !isExact && whole !== target ? mismatch(whole) : undefined;
  }
  const told = (what: string, sum: number) =>
    `the rollout plan ${what}, total batch size = ${sum}, targetSize size = ${target}`;
  if (target > base && base + most >= target) return told('increased too much', most);
  if (target < base && base - most <= target) return told('reduced too much', most);
  if (target === base && most !== 0) return told('changed on no-op scale', most);
  return !isExact && whole !== Math.abs(target - base) ? told('batch size mismatch', whole) : undefined;
}

function sizesOf(batches: readonly Batch[], { base, target }: Extent): number[] {
  return batches.map(({ replicas }) => podsOf(replicas, Math.abs(target - base)) ?? 0);
}
