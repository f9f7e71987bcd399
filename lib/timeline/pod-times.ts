import { type PodItem } from '@/lib/api/pods';

/** The times that the pods of one revision prove, in milliseconds since 1970. */
interface PodTimes {
  runningSinceMs: number | null;
  unreadySinceMs: number | null;
}

/** Its problem exists from the beginning: such a pod has never been ready. */
const neverReady = new Set(['imagePull', 'configError', 'unschedulable', 'volume', 'init', 'notStarted']);

/** Times per revision id. An existing pod has existed since its creation; deleted ones left no trace. */
export function podTimes(pods: readonly PodItem[]): Map<string, PodTimes> {
  const times = new Map<string, PodTimes>();
  for (const pod of pods) {
    if (pod.revisionId === null) continue;
    const known = times.get(pod.revisionId);
    times.set(pod.revisionId, {
      runningSinceMs: earliest(known?.runningSinceMs ?? null, Date.parse(pod.createdAt)),
      unreadySinceMs: earliest(known?.unreadySinceMs ?? null, pod.ready ? null : unreadySince(pod)),
    });
  }
  return times;
}

function unreadySince({ block, createdAt }: PodItem): number | null {
  if (block === null) return null;
  if (neverReady.has(block.kind)) return Date.parse(createdAt);
  return block.since === null ? null : Date.parse(block.since);
}

function earliest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
