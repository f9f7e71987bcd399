import type { RolloutPod } from '@/lib/api/rollouts';
import { isPersistentBlock } from '@/lib/workloads/pod-block';
import { describeBlock } from '@/lib/workloads/blockers';
import type { PodSummary } from '@/lib/history/pod';

/** A pod as a step lists it; `revision` null where the workload has no number for its revision. */
export function podRow(pod: PodSummary, revision: { number: number | null; id: string } | null): RolloutPod {
  const { uid, name, ip, node, phase, ready, readyAt, createdAt, restarts } = pod;
  return {
    uid,
    name,
    ip,
    node,
    phase,
    ready,
    readyAt,
    createdAt,
    restarts,
    blocked: pod.block !== null && isPersistentBlock(pod.block) ? describeBlock(pod.block) : null,
    revision: revision?.number ?? null,
    revisionId: revision?.id ?? null,
  };
}
