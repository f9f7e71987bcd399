import type { Pod } from '@/sandbox/controllers/objects/pod';
import { fnv1a } from '@/sandbox/controllers/revisions/hash';

/** The outcome of a pod's containers. */
export type PodOutcome =
  /** Becomes ready. */
  | 'ready'
  /** Runs and never becomes ready. */
  | 'hang'
  /** Exits soon after each start. */
  | 'crash'
  /** Its image can't be pulled. */
  | 'broken';

export interface PodBehaviour {
  readonly outcome: PodOutcome;
  /** The broken container; the first by default. */
  readonly container?: string;
  /** From the assignment of a node until the containers run, or can't. */
  readonly startsAfterMs: number;
  /** From the start until the pod is ready, or the container exits. */
  readonly readyAfterMs: number;
  /** From the deletion until the pod is removed, unless its grace period ends before. */
  readonly stopsAfterMs: number;
  /** The message of the readiness probe while a container hangs. */
  readonly probe?: string;
}

/** Called on every reconcile of a pod, so the result may change with time; it must not be random. */
export type PodBehaviours = (pod: Pod) => PodBehaviour;

const TROUBLES = ['broken', 'crash', 'hang', 'slow'] as const;
const STARTS_AFTER_MS = 1_000;
const READY_AFTER_MS = 3_000;
const SLOW_READY_AFTER_MS = 20_000;
const STOPS_AFTER_MS = 2_000;

/**
 * Pods behave by the end of an image's tag: `app:crash`, `app:2.1.0-hang`. All others become ready after a
 * while.
 */
export function behaviourByImage(pod: Pod): PodBehaviour {
  for (const trouble of TROUBLES) {
    const pattern = new RegExp(`[:-]${trouble}$`);
    const culprit = pod.spec.containers.find(({ image }) => pattern.test(image ?? ''));
    if (culprit !== undefined) return { ...timesOf(pod, trouble), container: culprit.name };
  }
  return timesOf(pod, 'ready');
}

function timesOf(pod: Pod, trouble: PodOutcome | 'slow'): PodBehaviour {
  return {
    outcome: trouble === 'slow' ? 'ready' : trouble,
    startsAfterMs: STARTS_AFTER_MS + jitterMs(pod, 0, 1),
    readyAfterMs: trouble === 'slow' ? SLOW_READY_AFTER_MS : READY_AFTER_MS + jitterMs(pod, 1, 3),
    stopsAfterMs: STOPS_AFTER_MS + jitterMs(pod, 2, 2),
  };
}

/** Up to so many whole seconds, in milliseconds; always the same for the same pod. */
export function jitterMs(pod: Pod, salt: number, secondsMax: number): number {
  return (fnv1a(Buffer.from(`${salt} ${pod.metadata.name}`)) % (secondsMax + 1)) * 1000;
}
