import { type HistoryInput } from '@/lib/workloads/kind';
import {
  GROUP_INDEX,
  GROUP_SIZE,
  NAME,
  REVISION_KEY,
  WORKER_INDEX,
} from '@/lib/workloads/leader-worker-set/marks';
import { leaderWorkerSets } from '@/lib/workloads/leader-worker-set/resource';
import { type WholeRef } from '@/lib/workloads/kind';
import { type PodSummary } from '@/lib/workloads/pod';
import { type Workload } from '@/lib/workloads/workload';

/** The objects of a LeaderWorkerSet, each found by who controls it. */
export interface OwnObjects {
  /** The StatefulSet of all leaders; null until the controller has made it. */
  leaders: Workload | null;
  /** StatefulSets of workers by uid of the leader that controls them. */
  workersOf: ReadonlyMap<string, Workload>;
  /** Those whose leader is gone or ends; the garbage collector takes them. */
  abandoned: readonly Workload[];
}

/** The chain is: LeaderWorkerSet, StatefulSet of the leaders, leader, StatefulSet of its workers, worker. */
export function ownObjects({
  workload,
  pods,
  parts = [],
}: Pick<HistoryInput, 'workload' | 'pods' | 'parts'>): OwnObjects {
  const leaders = parts.find((part) => controllerOf(part)?.uid === workload.uid) ?? null;
  const leaderUids = new Set(
    pods.filter((pod) => leaders !== null && pod.controllerUid === leaders.uid).map(({ uid }) => uid),
  );
  const others = parts.filter((part) => part !== leaders);
  const workersOf = new Map<string, Workload>();
  for (const part of others) {
    const owner = controllerOf(part)?.uid;
    if (owner !== undefined && leaderUids.has(owner)) workersOf.set(owner, part);
  }
  const kept = new Set(workersOf.values());
  return { leaders, workersOf, abandoned: others.filter((part) => !kept.has(part)) };
}

/**
 * The LeaderWorkerSet whose StatefulSet this is: that of its leaders, which it controls itself, or that of the workers of
 * one group, which their leader controls. Null for a StatefulSet that somebody made.
 */
export function wholeOfStatefulSet(set: Pick<Workload, 'owners' | 'labels'>): WholeRef | null {
  const owner = controllerOf(set);
  if (owner === undefined) return null;
  const resource = leaderWorkerSets.id;
  if (owner.kind === leaderWorkerSets.kind && owner.apiVersion.startsWith(`${leaderWorkerSets.group}/`))
    return { resource, name: owner.name };
  const name = Object.hasOwn(set.labels, NAME) ? set.labels[NAME] : undefined;
  return owner.kind === 'Pod' && name !== undefined ? { resource, name } : null;
}

/** The LeaderWorkerSet that a pod names. */
export function wholeOfPod({ marks }: Pick<PodSummary, 'marks'>): WholeRef | null {
  const name = marks?.[NAME];
  return name === undefined ? null : { resource: leaderWorkerSets.id, name };
}

/** Key of the revision that a StatefulSet of ours was made by. */
export function keyOfPart({ labels }: Pick<Workload, 'labels'>): string | null {
  return labels[REVISION_KEY] ?? null;
}

export function keyOfPod(pod: PodSummary): string | null {
  return pod.marks?.[REVISION_KEY] ?? null;
}

/** Number of the group; null for a pod that the webhook of the controller has not marked. */
export function groupOfPod(pod: PodSummary): number | null {
  return wholeNumber(pod.marks?.[GROUP_INDEX]);
}

/** Its number in the group; 0 leads. */
export function memberOfPod(pod: PodSummary): number | null {
  return wholeNumber(pod.marks?.[WORKER_INDEX]);
}

export function isLeader(pod: PodSummary): boolean {
  return pod.marks?.[WORKER_INDEX] === '0';
}

/** How many pods its group is to have, as it was when the pod was made. */
export function groupSizeOfPod(pod: PodSummary): number | null {
  return wholeNumber(pod.marks?.[GROUP_SIZE]);
}

function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

function controllerOf({ owners }: Pick<Workload, 'owners'>) {
  return owners.find((owner) => owner.controller === true);
}
