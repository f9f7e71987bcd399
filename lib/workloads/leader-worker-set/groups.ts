import { isActive } from '@/lib/history/assemble';
import type { Revision } from '@/lib/history/revision';
import type { Group, Groups } from '@/lib/workloads/groups';
import type { GroupState } from '@/lib/api/workload-values';
import type { WorkloadWithHistory } from '@/lib/workloads/kind';
import {
  groupOfPod,
  groupSizeOfPod,
  isLeader,
  keyOfStatefulSet,
  keyOfPod,
  type OwnedObjects,
  ownedObjects,
} from '@/lib/workloads/leader-worker-set/objects';
import { keyOfSource } from '@/lib/workloads/leader-worker-set/revisions';
import { describePace, partitionOf, replicasOf, sizeOf } from '@/lib/workloads/leader-worker-set/spec';
import type { PodSummary } from '@/lib/history/pod';
import { numberAt, textAt } from '@/lib/kube/read';
import type { Workload } from '@/lib/history/workload';
import { capitalize } from '@/lib/format/text';

interface GroupContext extends OwnedObjects {
  workload: Workload;
  replicas: number;
  partition: number;
  /** By the current spec, which the controller also applies to groups on an old revision. */
  size: number;
  /** Null while the current template has no revision. */
  targetKey: string | null;
  revisionOfPod: WorkloadWithHistory['history']['revisionOfPod'];
  podsOf: ReadonlyMap<number, readonly PodSummary[]>;
  revisionOfKey: ReadonlyMap<string, Revision>;
}

/**
 * The groups as the controller counts them, by number.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go (updateConditions)
 */
export function groupsOf(input: WorkloadWithHistory): Groups {
  const context = groupContextOf(input);
  const { workload, leaders, replicas, partition } = context;
  const number = numberAt(leaders?.spec, 'replicas') ?? replicas;
  const items = Array.from({ length: number }, (_, index) => groupAt(context, index));
  const inRollout = items.filter(({ surge, held }) => !surge && !held);
  return {
    items,
    desired: replicas,
    wanted: Math.max(0, replicas - partition),
    updated: inRollout.filter(({ updated }) => updated).length,
    ready: inRollout.filter(({ ready }) => ready).length,
    pods: items.reduce((sum, { size }) => sum + size, 0),
    partition,
    order: `${capitalize(`groups are replaced as a whole, ${describePace(workload)}`)}.`,
    afterwards:
      'When the rollout completes, the controller deletes older revisions. Shiplog keeps them, so you can still roll back.',
    parts: childrenOf(context),
    partsNote: `The controller of ${workload.name} manages these StatefulSets and reverts any change at once. Change ${workload.name} instead.`,
  };
}

function groupContextOf(input: WorkloadWithHistory): GroupContext {
  const { workload, history, pods } = input;
  const podsOf = new Map<number, PodSummary[]>();
  for (const pod of pods) {
    const index = groupOfPod(pod);
    if (index === null) continue;
    const group = podsOf.get(index);
    if (group === undefined) podsOf.set(index, [pod]);
    else group.push(pod);
  }
  return {
    ...ownedObjects(input),
    workload,
    replicas: replicasOf(workload),
    partition: partitionOf(workload),
    size: sizeOf(workload),
    targetKey: targetKeyOf(input),
    revisionOfPod: history.revisionOfPod,
    podsOf,
    revisionOfKey: new Map(
      history.revisions.map((revision) => [keyOfSource(revision.source), revision] as const),
    ),
  };
}

/**
 * The desired key of all groups; null while the current template has no revision. Versions before 0.5 record
 * no revisions, only the key.
 */
export function targetKeyOf(input: WorkloadWithHistory): string | null {
  const { target, revisions } = input.history;
  if (target !== null) return keyOfSource(target.source);
  const { leaders } = ownedObjects(input);
  return revisions.length > 0 || leaders === null ? null : keyOfStatefulSet(leaders);
}

function groupAt(context: GroupContext, index: number): Group {
  const { replicas, partition, size, workersOf, revisionOfPod } = context;
  const pods = context.podsOf.get(index) ?? [];
  const leader = pods.find((pod) => isLeader(pod) && pod.controllerUid === context.leaders?.uid) ?? null;
  const workers = pods.filter((pod) => !isLeader(pod));
  const set = leader === null ? undefined : workersOf.get(leader.uid);
  const facts = { leader, workers, set };
  const revision: Revision | null = (leader && revisionOfPod.get(leader.uid)) ?? null;
  return {
    index,
    state: stateOf(context, facts),
    revision,
    unknownRevision: leader !== null && revision === null,
    key: leader && keyOfPod(leader),
    otherKeys: otherKeys(facts).map((key) => ({ key, revision: context.revisionOfKey.get(key) ?? null })),
    size: sizeByPods(pods) ?? size,
    leader,
    workers,
    updated: isUpdated(context, facts),
    ready: isReady(context, facts),
    held: index < partition,
    surge: index >= replicas,
  };
}

interface GroupMembers {
  leader: PodSummary | null;
  workers: readonly PodSummary[];
  /** The StatefulSet of its workers. */
  set: Workload | undefined;
}

/** A group on an old revision may have another size than the spec now. */
function sizeByPods(pods: readonly PodSummary[]): number | null {
  const labelledPod = pods.find((pod) => isActive(pod) && groupSizeOfPod(pod) !== null) ?? pods[0];
  return labelledPod === undefined ? null : groupSizeOfPod(labelledPod);
}

function isUpdated({ size, targetKey }: GroupContext, { leader, set }: GroupMembers): boolean {
  if (targetKey === null || leader === null || keyOfPod(leader) !== targetKey) return false;
  return size === 1 || (set !== undefined && keyOfStatefulSet(set) === targetKey);
}

/**
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/utils/statefulset/statefulset_utils.go. Pods and
 * StatefulSets arrive by different watches: a group whose pods still look unready isn't ready yet.
 */
function isReady({ size }: GroupContext, { leader, workers, set }: GroupMembers): boolean {
  if (leader?.phase !== 'Running' || !leader.ready || leader.deletedAt !== null) return false;
  if (size === 1) return true;
  if (set === undefined) return false;
  const { spec, status } = set;
  const wanted = numberAt(spec, 'replicas') ?? 1;
  const hasAllWorkers = (numberAt(status, 'availableReplicas') ?? 0) === wanted;
  const seen = workers.filter((pod) => pod.ready && isActive(pod)).length;
  return (
    hasAllWorkers && seen >= wanted && textAt(status, 'currentRevision') === textAt(status, 'updateRevision')
  );
}

function stateOf(context: GroupContext, members: GroupMembers): GroupState {
  const { leader, set } = members;
  if (leader === null || leader.deletedAt !== null) return 'rebuilding';
  if (otherKeys(members).length > 0) return 'disagrees';
  if (context.size > 1 && set === undefined) {
    const waits = textAt(context.workload.spec, 'startupPolicy') === 'LeaderReady' && !leader.ready;
    return waits ? 'starting' : 'rebuilding';
  }
  return isReady(context, members) ? 'ready' : 'starting';
}

/** Workers without a leader end by themselves; only those of the current leader count. */
function otherKeys({ leader, workers, set }: GroupMembers): string[] {
  if (leader === null || leader.deletedAt !== null || set === undefined) return [];
  const own = workers.filter((pod) => isActive(pod) && pod.controllerUid === set.uid).map(keyOfPod);
  const others = [keyOfStatefulSet(set), ...own].filter((key) => key !== keyOfPod(leader));
  return [...new Set(others.map((key) => key ?? 'none'))];
}

function childrenOf({ leaders, workersOf, podsOf }: GroupContext): Groups['parts'] {
  const groupOfLeader = new Map(
    [...podsOf].flatMap(([index, pods]) => pods.filter(isLeader).map(({ uid }) => [uid, index] as const)),
  );
  const childOf = (workload: Workload, group: number | null) => ({
    kind: 'StatefulSet',
    name: workload.name,
    group,
    workload,
  });
  const workers = [...workersOf]
    .map(([leader, set]) => childOf(set, groupOfLeader.get(leader) ?? null))
    .sort((a, b) => (a.group ?? Infinity) - (b.group ?? Infinity));
  return [...(leaders === null ? [] : [childOf(leaders, null)]), ...workers];
}
