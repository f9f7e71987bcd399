import { isActive } from '@/lib/history/assemble';
import type { RevisionHistory } from '@/lib/history/revision';
import type { Workload } from '@/lib/history/workload';
import { lastReadyAt } from '@/lib/pods/by-revision';
import type { ProgressDeadline, WorkloadFacts } from '@/lib/engine/facts';
import { conditionAt, numberAt, textAt } from '@/lib/kube/read';
import { STUCK_AFTER_MS } from '@/lib/pods/blockers';
import type { StatusInput } from '@/lib/workloads/kind';

export function isObserved({ status, generation }: Workload): boolean {
  return (numberAt(status, 'observedGeneration') ?? 0) >= generation;
}

/** Of kinds whose objects have an observed generation of 0 until a controller has observed them. */
export function isObservedOnce({ status, generation }: Workload): boolean {
  const observed = numberAt(status, 'observedGeneration') ?? 0;
  return observed !== 0 && observed >= generation;
}

/** What stands for no deadline: objects of old API versions have it, and OpenKruise writes it. */
const NO_DEADLINE_SECONDS = 2_147_483_647;

/**
 * The progress deadline that a controller of ReplicaSets measures itself; null where there is none.
 * https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#progress-deadline-seconds
 */
export function readDeadline({ spec, status }: Workload): ProgressDeadline | null {
  const seconds = numberAt(spec, 'progressDeadlineSeconds') ?? 600;
  const progressing = conditionAt(status, 'Progressing');
  const isExceeded = progressing?.reason === 'ProgressDeadlineExceeded';
  if (seconds >= NO_DEADLINE_SECONDS && !isExceeded) return null;
  return { seconds, isExceeded, since: textAt(progressing, 'lastTransitionTime') ?? null };
}

/** A ReplicaSet cannot create pods: a quota, or an admission plugin, refuses them. */
export function readReplicaFailure({ status }: Workload): WorkloadFacts['failure'] {
  const condition = conditionAt(status, 'ReplicaFailure');
  if (condition?.status !== 'True') return null;
  return {
    verb: 'created',
    message: textAt(condition, 'message') ?? textAt(condition, 'reason') ?? 'ReplicaFailure',
    since: textAt(condition, 'lastTransitionTime') ?? null,
  };
}

/** When the rollout of the target began, RFC 3339, or at the latest; empty without a target: what is older proves nothing of it. */
export function findRolloutStart({ target }: RevisionHistory): string {
  return target?.activations.at(-1)?.from ?? target?.createdAt ?? '';
}

/**
 * Pods that cannot be created, for kinds that have no condition for it: the events of their controller are the only
 * evidence. One proves it while pods are missing and none was created since.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/controller_utils.go (FailedCreatePodReason)
 */
export function readFailedCreate(
  { events = [], history, pods }: StatusInput,
  desired: number,
): WorkloadFacts['failure'] {
  if (pods.filter(isActive).length >= desired) return null;
  const startedAt = findRolloutStart(history);
  const since = pods.reduce((last, { createdAt }) => (createdAt > last ? createdAt : last), startedAt);
  let latest: (typeof events)[number] | undefined;
  for (const event of events)
    if (event.reason === 'FailedCreate' && (event.last ?? '') >= (latest?.last ?? since)) latest = event;
  if (latest === undefined) return null;
  return { verb: 'created', message: latest.message, since: latest.first ?? latest.last };
}

/**
 * Whether the only revision may still be rolled out for the first time: its controller names it as the current one from the
 * start. Its pods become ready one after the other, so it is over when none has for as long as a pod may take.
 */
export function isFirstRolloutOpen({ workload, history, pods, now }: StatusInput): boolean {
  if (history.revisions.length !== 1) return false;
  if (now === undefined) return true;
  return Date.parse(now) - Date.parse(lastReadyAt(pods, workload.createdAt)) < STUCK_AFTER_MS;
}

/** Pods as a controller counts them; one that is 0 may be absent. */
export interface PodCounts {
  desired: number;
  /** Of any revision. */
  total: number;
  updated: number;
  ready: number;
  available: number;
}

/** The counts of a controller of replicas. */
export function countReplicas({ status }: Pick<Workload, 'status'>, desired: number): PodCounts {
  return {
    desired,
    total: numberAt(status, 'replicas') ?? 0,
    updated: numberAt(status, 'updatedReplicas') ?? 0,
    ready: numberAt(status, 'readyReplicas') ?? 0,
    available: numberAt(status, 'availableReplicas') ?? 0,
  };
}

/** The counts of a controller that runs a pod on each node. */
export function countNodes({ status }: Pick<Workload, 'status'>, desired: number): PodCounts {
  return {
    desired,
    total: numberAt(status, 'currentNumberScheduled') ?? 0,
    updated: numberAt(status, 'updatedNumberScheduled') ?? 0,
    ready: numberAt(status, 'numberReady') ?? 0,
    available: numberAt(status, 'numberAvailable') ?? 0,
  };
}
