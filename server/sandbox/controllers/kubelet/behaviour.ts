import { type Pod } from '@/server/sandbox/controllers/objects/pod';
import { fnv1a } from '@/server/sandbox/controllers/revisions/hash';

/** How the containers of a pod fare. */
export type Outcome =
  /** Gets ready. */
  | 'ready'
  /** Runs and never gets ready. */
  | 'hang'
  /** Ends soon after each start. */
  | 'crash'
  /** Its image can't be had, or whatever `waiting` says. */
  | 'broken';

export interface PodBehaviour {
  readonly outcome: Outcome;
  /** Which container is to blame; the first unless told otherwise. */
  readonly container?: string;
  /** From the assignment of a node until the containers run, or can't. */
  readonly startsAfterMs: number;
  /** From the start until the pod is ready, or the container ends. */
  readonly readyAfterMs: number;
  /** From the deletion until the pod is gone, unless its grace period ends before. */
  readonly stopsAfterMs: number;
  /** Why a broken container waits; default: its image can't be pulled. */
  readonly waiting?: { readonly reason: string; readonly message: string };
  /** How a crashing container ends; default: exit code 1. */
  readonly exit?: { readonly code: number; readonly reason: string; readonly message?: string };
  /** What the readiness probe says while a container hangs. */
  readonly probe?: string;
}

/** Asked again whenever a pod is looked at, so the answer may change with time; it must not depend on chance. */
export type PodBehaviours = (pod: Pod) => PodBehaviour;

const TROUBLES = ['broken', 'crash', 'hang', 'slow'] as const;
const STARTS_AFTER_MS = 1_000;
const READY_AFTER_MS = 3_000;
const SLOW_READY_AFTER_MS = 20_000;
const STOPS_AFTER_MS = 2_000;

/** Pods do what the end of an image's tag says: `app:crash`, `app:2.1.0-hang`. All others get ready after a while. */
export function behaviourByImage(pod: Pod): PodBehaviour {
  for (const trouble of TROUBLES) {
    const pattern = new RegExp(`[:-]${trouble}$`);
    const culprit = pod.spec.containers.find(({ image }) => pattern.test(image ?? ''));
    if (culprit !== undefined) return { ...timesOf(pod, trouble), container: culprit.name };
  }
  return timesOf(pod, 'ready');
}

function timesOf(pod: Pod, trouble: Outcome | 'slow'): PodBehaviour {
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
