import { isRolling, type OamContext, startingPods } from '@/lib/rollout/oam/context';
import { comparePodNames, podRow, type StepPods } from '@/lib/rollout/common-shape';
import type { RolloutPod } from '@/lib/api/rollouts';
import type { PodSummary } from '@/lib/history/pod';

/**
 * The pods of each batch. No label names the batch of a pod: a batch is assumed to have added the pods
 * created after those of the previous batches, and for a StatefulSet those with the highest ordinals. Pods
 * from before the first batch belong to none.
 */
export function podsOfBatches(context: OamContext): StepPods {
  const { goals, index, extent, updated } = context;
  const rows = orderOf(context).map((pod) => podRow(pod, updated));
  const bySteps = new Map<number, readonly RolloutPod[]>();
  const isShown = isRolling(context) || isCutShort(context) || context.stage === 'finalising';
  const shrinks = extent !== null && extent.target < extent.base;
  if (!isShown || extent === null || shrinks) return { bySteps, unassigned: rows };
  const first = startingPods(context);
  let from = first;
  for (const [offset, goal] of goals.slice(0, index).entries()) {
    const to = Math.max(from, goal ?? from);
    bySteps.set(offset + 1, rows.slice(from, to));
    from = to;
  }
  return { bySteps, unassigned: [...rows.slice(0, first), ...rows.slice(from)] };
}

function isCutShort({ stage }: OamContext): boolean {
  return stage === 'rolloutFailing' || stage === 'rolloutFailed';
}

function orderOf({ pods, rollout }: OamContext): PodSummary[] {
  if (rollout.workload.kind === 'StatefulSet')
    return pods.toSorted((a, b) => ordinalOf(b) - ordinalOf(a) || comparePodNames(a, b));
  return pods.toSorted((a, b) =>
    a.createdAt === b.createdAt ? comparePodNames(a, b) : a.createdAt < b.createdAt ? -1 : 1,
  );
}

function ordinalOf({ name }: PodSummary): number {
  const digits = /-(\d{1,9})$/.exec(name)?.[1];
  return digits === undefined ? -1 : Number(digits);
}
