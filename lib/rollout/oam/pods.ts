import { isRolling, type OamContext, startingPods } from '@/lib/rollout/oam/context';
import { podRow } from '@/lib/rollout/pod-row';
import type { RolloutPod } from '@/lib/api/rollouts';
import type { PodSummary } from '@/lib/history/pod';

export interface BatchPods {
  /** By the index of the batch, from 1. */
  byBatch: ReadonlyMap<number, readonly RolloutPod[]>;
  /** Of the target, in no known batch. */
  unassigned: readonly RolloutPod[];
}

/**
 * The pods of each batch. No label names the batch of a pod: a batch is assumed to have added the pods
 * created after those of the previous batches, and for a StatefulSet those with the highest ordinals. Pods
 * from before the first batch belong to none.
 */
export function podsOfBatches(context: OamContext): BatchPods {
  const { goals, index, extent, updated } = context;
  const rows = orderOf(context).map((pod) => podRow(pod, updated));
  const byBatch = new Map<number, readonly RolloutPod[]>();
  const isShown = isRolling(context) || isCutShort(context) || context.stage === 'finalising';
  const shrinks = extent !== null && extent.target < extent.base;
  if (!isShown || extent === null || shrinks) return { byBatch, unassigned: rows };
  const first = startingPods(context);
  let from = first;
  for (const [offset, goal] of goals.slice(0, index).entries()) {
    const to = Math.max(from, goal ?? from);
    byBatch.set(offset + 1, rows.slice(from, to));
    from = to;
  }
  return { byBatch, unassigned: [...rows.slice(0, first), ...rows.slice(from)] };
}

function isCutShort({ stage }: OamContext): boolean {
  return stage === 'rolloutFailing' || stage === 'rolloutFailed';
}

function orderOf({ pods, rollout }: OamContext): PodSummary[] {
  if (rollout.workload.kind === 'StatefulSet')
    return pods.toSorted((a, b) => ordinalOf(b) - ordinalOf(a) || (a.name < b.name ? -1 : 1));
  return pods.toSorted((a, b) =>
    a.createdAt === b.createdAt ? (a.name < b.name ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1,
  );
}

function ordinalOf({ name }: PodSummary): number {
  const digits = /-(\d{1,9})$/.exec(name)?.[1];
  return digits === undefined ? -1 : Number(digits);
}
