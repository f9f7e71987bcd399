import { textAt } from '@/lib/kube/read';
import { controllerOf } from '@/lib/kube/object';
import type { HistoryInput } from '@/lib/workloads/kind';
import {
  GROUP_INDEX,
  GROUP_SIZE,
  NAME,
  REVISION_KEY,
  WORKER_INDEX,
} from '@/lib/workloads/leader-worker-set/metadata';
import { leaderWorkerSets } from '@/lib/workloads/leader-worker-set/resource';
import type { ParentRef } from '@/lib/workloads/kind';
import type { PodSummary } from '@/lib/history/pod';
import type { Workload } from '@/lib/history/workload';

/** The objects of a LeaderWorkerSet, each found by its controller. */
export interface OwnedObjects {
  /** The StatefulSet of all leaders; null until the controller has created it. */
  leaders: Workload | null;
  /** StatefulSets of workers by uid of the leader that controls them. */
  workersOf: ReadonlyMap<string, Workload>;
  /** Those whose leader is deleted or ends; the garbage collector deletes them. */
  abandoned: readonly Workload[];
}

/** The chain is: LeaderWorkerSet, StatefulSet of the leaders, leader, StatefulSet of its workers, worker. */
export function ownedObjects({
  workload,
  pods,
  children = [],
}: Pick<HistoryInput, 'workload' | 'pods' | 'children'>): OwnedObjects {
  const leaders = children.find((child) => controllerOf(child.owners)?.uid === workload.uid) ?? null;
  const leaderUids = new Set(
    pods.filter((pod) => leaders !== null && pod.controllerUid === leaders.uid).map(({ uid }) => uid),
  );
  const others = children.filter((child) => child !== leaders);
  const workersOf = new Map<string, Workload>();
  for (const child of others) {
    const owner = controllerOf(child.owners)?.uid;
    if (owner !== undefined && leaderUids.has(owner)) workersOf.set(owner, child);
  }
  const claimedSets = new Set(workersOf.values());
  return { leaders, workersOf, abandoned: others.filter((child) => !claimedSets.has(child)) };
}

/**
 * The LeaderWorkerSet whose StatefulSet this is: that of its leaders, which it controls itself, or that of
 * the workers of one group, which their leader controls. Null for a StatefulSet that the controller did not
 * create.
 */
export function parentOfStatefulSet(set: Pick<Workload, 'owners' | 'labels'>): ParentRef | null {
  const owner = controllerOf(set.owners);
  if (owner === undefined) return null;
  const resource = leaderWorkerSets.id;
  if (owner.kind === leaderWorkerSets.kind && owner.apiVersion.startsWith(`${leaderWorkerSets.group}/`))
    return { resource, name: owner.name };
  const name = textAt(set.labels, NAME);
  return owner.kind === 'Pod' && name !== undefined ? { resource, name } : null;
}

/** The LeaderWorkerSet that a pod names. */
export function parentOfPod({ metadataValues }: Pick<PodSummary, 'metadataValues'>): ParentRef | null {
  const name = metadataValues?.[NAME];
  return name === undefined ? null : { resource: leaderWorkerSets.id, name };
}

/** Key of the revision that this StatefulSet was created by. */
export function keyOfStatefulSet({ labels }: Pick<Workload, 'labels'>): string | null {
  return labels[REVISION_KEY] ?? null;
}

export function keyOfPod(pod: PodSummary): string | null {
  return pod.metadataValues?.[REVISION_KEY] ?? null;
}

/** Number of the group; null for a pod that the webhook of the controller has not labeled. */
export function groupOfPod(pod: PodSummary): number | null {
  return wholeNumber(pod.metadataValues?.[GROUP_INDEX]);
}

/** Its number in the group; 0 leads. */
export function memberOfPod(pod: PodSummary): number | null {
  return wholeNumber(pod.metadataValues?.[WORKER_INDEX]);
}

export function isLeader(pod: PodSummary): boolean {
  return pod.metadataValues?.[WORKER_INDEX] === '0';
}

/** The size of its group at the time when the pod was created. */
export function groupSizeOfPod(pod: PodSummary): number | null {
  return wholeNumber(pod.metadataValues?.[GROUP_SIZE]);
}

function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
