import { isRolling, type Situation, startingPods } from '@/lib/rollout/oam/situation';
import { podRow } from '@/lib/rollout/pod-row';
import { type RolloutPod } from '@/lib/rollout/rollout';
import { type PodSummary } from '@/lib/workloads/pod';

export interface BatchPods {
  /** By the index of the batch, from 1. */
  byBatch: ReadonlyMap<number, readonly RolloutPod[]>;
  /** Of the target, in no batch that can be told. */
  unassigned: readonly RolloutPod[];
}

/**
 * The pods of each batch. Nothing marks them: a batch is taken to have brought those that were made after the ones of the
 * batches before, and of a StatefulSet those with the highest numbers. What was there before the first batch belongs to none.
 */
export function podsOfBatches(situation: Situation): BatchPods {
  const { goals, index, extent, updated } = situation;
  const rows = orderOf(situation).map((pod) => podRow(pod, updated));
  const byBatch = new Map<number, readonly RolloutPod[]>();
  const isShown = isRolling(situation) || isCutShort(situation) || situation.stage === 'finalising';
  const shrinks = extent !== null && extent.target < extent.base;
  if (!isShown || extent === null || shrinks) return { byBatch, unassigned: rows };
  const first = startingPods(situation);
  let from = first;
  for (const [offset, goal] of goals.slice(0, index).entries()) {
    const to = Math.max(from, goal ?? from);
    byBatch.set(offset + 1, rows.slice(from, to));
    from = to;
  }
  return { byBatch, unassigned: [...rows.slice(0, first), ...rows.slice(from)] };
}

function isCutShort({ stage }: Situation): boolean {
  return stage === 'rolloutFailing' || stage === 'rolloutFailed';
}

function orderOf({ pods, rollout }: Situation): PodSummary[] {
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
