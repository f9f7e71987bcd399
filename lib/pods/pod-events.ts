import type { EventItem, PodBlock } from '@/lib/api/pods';
import type { PodSummary } from '@/lib/history/pod';

type PodEvent = Pick<EventItem, 'reason' | 'message' | 'first' | 'last'>;

/** What the kubelet and the attach controller report while the status of a pod says no more than that it is being created. */
const VOLUME_REASONS: ReadonlySet<string> = new Set(['FailedAttachVolume', 'FailedMount', 'FailedMapVolume']);

/**
 * The pod with what the newest of its events says it waits for: a volume, or an image that is being pulled. The status of a pod has
 * neither.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/events/event.go
 */
export function withEventBlock(
  pod: PodSummary,
  eventsOf: (podUid: string) => readonly PodEvent[],
): PodSummary {
  if (pod.block?.kind !== 'notStarted') return pod;
  const [newest] = eventsOf(pod.uid).toSorted((a, b) => (b.last ?? '').localeCompare(a.last ?? ''));
  const kind = newest === undefined ? null : kindOf(newest.reason);
  if (newest === undefined || kind === null) return pod;
  const { reason, message, first } = newest;
  const block: PodBlock = { ...pod.block, kind, reason, message, since: first ?? pod.block.since };
  return { ...pod, block };
}

function kindOf(reason: string): PodBlock['kind'] | null {
  if (VOLUME_REASONS.has(reason)) return 'volume';
  return reason === 'Pulling' ? 'pulling' : null;
}
