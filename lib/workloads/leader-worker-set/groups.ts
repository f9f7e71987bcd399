import { isActive } from '@/lib/history/assemble';
import { type Revision } from '@/lib/history/revision';
import { type Group, type Groups, type GroupState } from '@/lib/workloads/groups';
import { type Standing } from '@/lib/workloads/kind';
import {
  groupOfPod,
  groupSizeOfPod,
  isLeader,
  keyOfPart,
  keyOfPod,
  type OwnObjects,
  ownObjects,
} from '@/lib/workloads/leader-worker-set/objects';
import { keyOfSource } from '@/lib/workloads/leader-worker-set/revisions';
import { paceOf, partitionOf, replicasOf, sizeOf } from '@/lib/workloads/leader-worker-set/spec';
import { type PodSummary } from '@/lib/workloads/pod';
import { numberAt, textAt } from '@/lib/workloads/read';
import { type Workload } from '@/lib/workloads/workload';
import { capitalised } from '@/lib/workloads/words';

interface Sight extends OwnObjects {
  workload: Workload;
  replicas: number;
  partition: number;
  /** By the present spec, which the controller asks also of groups on an old revision. */
  size: number;
  /** Null while the present template has no revision. */
  targetKey: string | null;
  revisionOfPod: Standing['history']['revisionOfPod'];
  podsOf: ReadonlyMap<number, readonly PodSummary[]>;
  revisionOfKey: ReadonlyMap<string, Revision>;
}

/**
 * The groups as the controller counts them, by number.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go (updateConditions)
 */
export function groupsOf(input: Standing): Groups {
  const sight = sightOf(input);
  const { workload, leaders, replicas, partition } = sight;
  const number = numberAt(leaders?.spec, 'replicas') ?? replicas;
  const items = Array.from({ length: number }, (_, index) => groupAt(sight, index));
  const rolled = items.filter(({ surge, held }) => !surge && !held);
  return {
    items,
    desired: replicas,
    wanted: Math.max(0, replicas - partition),
    updated: rolled.filter(({ updated }) => updated).length,
    ready: rolled.filter(({ ready }) => ready).length,
    pods: items.reduce((sum, { size }) => sum + size, 0),
    partition,
    order: `${capitalised(`groups are replaced as a whole, ${paceOf(workload)}`)}.`,
    afterwards:
      'When all groups are through, the controller deletes every revision but theirs. Shiplog has them in its archive: going back stays possible.',
    parts: partsOf(sight),
    partsNote: `The controller of ${workload.name} writes these StatefulSets again with every look: what is changed on them is undone at once. Change ${workload.name} instead.`,
  };
}

function sightOf(input: Standing): Sight {
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
    ...ownObjects(input),
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
 * The key that all groups are to have; null while the present template has no revision. Releases before 0.5 keep no
 * revisions, only the key.
 */
export function targetKeyOf(standing: Standing): string | null {
  const { target, revisions } = standing.history;
  if (target !== null) return keyOfSource(target.source);
  const { leaders } = ownObjects(standing);
  return revisions.length > 0 || leaders === null ? null : keyOfPart(leaders);
}

function groupAt(sight: Sight, index: number): Group {
  const { replicas, partition, size, workersOf, revisionOfPod } = sight;
  const pods = sight.podsOf.get(index) ?? [];
  const leader = pods.find((pod) => isLeader(pod) && pod.controllerUid === sight.leaders?.uid) ?? null;
  const workers = pods.filter((pod) => !isLeader(pod));
  const set = leader === null ? undefined : workersOf.get(leader.uid);
  const facts = { leader, workers, set };
  const revision: Revision | null = (leader && revisionOfPod.get(leader.uid)) ?? null;
  return {
    index,
    state: stateOf(sight, facts),
    revision,
    unknownRevision: leader !== null && revision === null,
    key: leader && keyOfPod(leader),
    otherKeys: otherKeys(facts).map((key) => ({ key, revision: sight.revisionOfKey.get(key) ?? null })),
    size: sizeByPods(pods) ?? size,
    leader,
    workers,
    updated: isUpdated(sight, facts),
    ready: isReady(sight, facts),
    held: index < partition,
    surge: index >= replicas,
  };
}

interface Members {
  leader: PodSummary | null;
  workers: readonly PodSummary[];
  /** The StatefulSet of its workers. */
  set: Workload | undefined;
}

/** A group on an old revision may have another size than the spec asks for now. */
function sizeByPods(pods: readonly PodSummary[]): number | null {
  const told = pods.find((pod) => isActive(pod) && groupSizeOfPod(pod) !== null) ?? pods[0];
  return told === undefined ? null : groupSizeOfPod(told);
}

function isUpdated({ size, targetKey }: Sight, { leader, set }: Members): boolean {
  if (targetKey === null || leader === null || keyOfPod(leader) !== targetKey) return false;
  return size === 1 || (set !== undefined && keyOfPart(set) === targetKey);
}

/** https://github.com/kubernetes-sigs/lws/blob/main/pkg/utils/statefulset/statefulset_utils.go */
function isReady({ size }: Sight, { leader, set }: Members): boolean {
  if (leader?.phase !== 'Running' || !leader.ready || leader.deletedAt !== null) return false;
  if (size === 1) return true;
  if (set === undefined) return false;
  const { spec, status } = set;
  const isWhole = (numberAt(status, 'availableReplicas') ?? 0) === (numberAt(spec, 'replicas') ?? 1);
  return isWhole && textAt(status, 'currentRevision') === textAt(status, 'updateRevision');
}

function stateOf(sight: Sight, members: Members): GroupState {
  const { leader, set } = members;
  if (leader === null || leader.deletedAt !== null) return 'rebuilding';
  if (otherKeys(members).length > 0) return 'disagrees';
  if (sight.size > 1 && set === undefined) {
    const waits = textAt(sight.workload.spec, 'startupPolicy') === 'LeaderReady' && !leader.ready;
    return waits ? 'starting' : 'rebuilding';
  }
  return isReady(sight, members) ? 'ready' : 'starting';
}

/** Workers whose leader has gone end by themselves; only those of the present leader count. */
function otherKeys({ leader, workers, set }: Members): string[] {
  if (leader === null || leader.deletedAt !== null || set === undefined) return [];
  const own = workers.filter((pod) => isActive(pod) && pod.controllerUid === set.uid).map(keyOfPod);
  const others = [keyOfPart(set), ...own].filter((key) => key !== keyOfPod(leader));
  return [...new Set(others.map((key) => key ?? 'none'))];
}

function partsOf({ leaders, workersOf, podsOf }: Sight): Groups['parts'] {
  const groupOfLeader = new Map(
    [...podsOf].flatMap(([index, pods]) => pods.filter(isLeader).map(({ uid }) => [uid, index] as const)),
  );
  const partOf = (workload: Workload, group: number | null) => ({
    kind: 'StatefulSet',
    name: workload.name,
    group,
    workload,
  });
  const workers = [...workersOf]
    .map(([leader, set]) => partOf(set, groupOfLeader.get(leader) ?? null))
    .sort((a, b) => (a.group ?? Infinity) - (b.group ?? Infinity));
  return [...(leaders === null ? [] : [partOf(leaders, null)]), ...workers];
}
