import type { Blocker, PodBlock } from '@/lib/api/pods';
import { hasEnded, isActive } from '@/lib/history/assemble';
import type { PodSummary } from '@/lib/history/pod';
import type { RevisionHistory } from '@/lib/history/revision';
import { isPersistentBlock } from '@/lib/pods/pod-block';

const BLOCKERS_MAX = 10;

/** When a pod is assessed. */
export interface Assessment {
  /** RFC 3339; without it a pod that is merely slow is never reported as stuck. */
  now?: string | undefined;
  /** The controller has a deadline of its own, before which slow pods prove nothing. */
  hasDeadline?: boolean;
}

/** The default progress deadline of a Deployment: the other kinds have no deadline of their own. */
export const STUCK_AFTER_MS = 600_000;
/** A deletion time contains the grace period. */
const TERMINATED_WITHIN_MS = 60_000;
/** What removes a gate may wait for a quota, or for a node that is still to be created. */
const GATED_MAX_MS = 3_600_000;

/** Whether the block is evidence that the pod does not become ready, or end, by itself: by its kind, or by its duration. */
export function isStuck(block: PodBlock, { now, hasDeadline = false }: Assessment): boolean {
  if (isPersistentBlock(block)) return true;
  if (now === undefined || block.since === null) return false;
  const lastedMs = Date.parse(now) - Date.parse(block.since);
  if (block.kind === 'terminating') return lastedMs >= TERMINATED_WITHIN_MS;
  return !hasDeadline && lastedMs >= (block.kind === 'gated' ? GATED_MAX_MS : STUCK_AFTER_MS);
}

/**
 * The pods that block the rollout, worst first: those with evidence before those that are merely not ready, those that end
 * last, the target's before others', then by restarts and age. `proven` leaves out the ones without evidence. Pods that
 * have failed or succeeded are none: their controllers have replaced them.
 */
export function blockersOf(
  history: RevisionHistory,
  pods: readonly PodSummary[],
  { proven, ...assessment }: Assessment & { proven: boolean },
): Blocker[] {
  const rank = (pod: PodSummary, block: PodBlock) =>
    (isStuck(block, assessment) ? 0 : 4) +
    (block.kind === 'terminating' ? 2 : 0) +
    (history.revisionOfPod.get(pod.uid)?.target === true ? 0 : 1);
  return pods
    .flatMap((pod) => {
      if (pod.block === null || !isCounted(pod)) return [];
      const isShown = isStuck(pod.block, assessment) || (!proven && pod.block.kind !== 'terminating');
      return isShown ? [{ pod, block: pod.block }] : [];
    })
    .sort(
      (a, b) =>
        rank(a.pod, a.block) - rank(b.pod, b.block) ||
        b.block.restarts - a.block.restarts ||
        (a.pod.name < b.pod.name ? -1 : 1),
    )
    .slice(0, BLOCKERS_MAX)
    .map(({ pod, block }) => ({
      pod: pod.name,
      podUid: pod.uid,
      revision: history.revisionOfPod.get(pod.uid)?.number ?? null,
      block,
    }));
}

/**
 * Whether the controller of a pod counts it, or waits for its end. One that failed or was evicted stays listed until it is
 * collected, long after it was replaced.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/controller_utils.go (FilterActivePods)
 */
function isCounted(pod: PodSummary): boolean {
  return pod.deletedAt !== null || !hasEnded(pod);
}

/** The start of the longest block, where evidence exists for all of them. */
export function blockedSince(blockers: readonly Blocker[]): string | null {
  const times = blockers.map(({ block }) => block.since).filter((since) => since !== null);
  return times.sort()[0] ?? null;
}

/** Active pods that are not ready and have no known reason. */
export function startingPods(pods: readonly PodSummary[], assessment: Assessment): PodSummary[] {
  return pods.filter(
    (pod) => isActive(pod) && !pod.ready && (pod.block === null || !isStuck(pod.block, assessment)),
  );
}
