import { deepEqual } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { keyOf } from '@/server/cluster/reflector-store';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { ObjectChange } from '@/sandbox/controllers/runtime/informer';
import type { Resource } from '@/sandbox/controllers/runtime/resource';
import {
  draftLeaders,
  draftWorkers,
  GROUP_INDEX,
  GROUP_SIZE,
  groupLabels,
  indexOf,
  type LeaderProgress,
  type LeaderWorkerSet,
  NAME,
  readStrategy,
  recordEvent,
  REVISION_KEY,
  withDefaults,
  WORKER_INDEX,
} from '@/sandbox/controllers/leader-worker-set/leader-worker-set';
import { chooseRevision, findTemplate, truncate } from '@/sandbox/controllers/leader-worker-set/revisions';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import { isDeleting, isReady, type Pod } from '@/sandbox/controllers/objects/pod';
import { timeText } from '@/sandbox/controllers/objects/time';
import type { Condition, StatefulSet } from '@/sandbox/controllers/objects/workloads';

/**
 * Maintains the groups of LeaderWorkerSets: their leaders are the pods of one StatefulSet, the workers of each leader
 * those of another.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go
 */
export function runLeaderWorkerSets(manager: ControllerManager): void {
  const kind = manager.follow<LeaderWorkerSet>('leaderworkersets.leaderworkerset.x-k8s.io');
  const work = manager.register(async (key) => {
    const set = kind.resource?.store.get(key);
    if (kind.resource !== undefined && set !== undefined && !isDeleting(set))
      await sync(manager, kind.resource, withDefaults(set));
  });
  kind.onChange(({ object, before }) => {
    const state = object ?? before;
    if (state !== undefined) work.add(keyOf(state));
  });
  const onMember = ({ object, before }: ObjectChange<KubeObject>) => {
    const { namespace = '-', labels } = (object ?? before)?.metadata ?? {};
    const name = labels?.[NAME];
    if (name !== undefined) work.add(`${namespace}/${name}`);
  };
  manager.pods.store.onChange(onMember);
  manager.statefulSets.store.onChange(onMember);
}

async function sync(
  manager: ControllerManager,
  sets: Resource<LeaderWorkerSet>,
  set: LeaderWorkerSet,
): Promise<void> {
  const before = findOwned(manager, set);
  if (before !== undefined && isDeleting(before)) return;
  const revision = await chooseRevision(manager, set, before);
  const groups = before === undefined ? [] : observeGroups(manager, set, before, revision.key);
  const progress = advance(set, before, groups, revision.isNew);
  const leaders = await applyLeaders(manager, set, before, revision.key, progress);
  for (const leader of podsOf(manager, leaders))
    if (!isDeleting(leader)) await keepGroup(manager, set, leader);
  const reached = observeGroups(manager, set, leaders, revision.key);
  const status = reportStatus(manager, set, leaders, reached);
  if (!deepEqual(status, set.status)) await sets.as('lws').replaceStatus({ ...set, status });
  const isComplete = readStrategy(set).partition === 0 && countDone(set, reached) === set.spec.replicas;
  if (isComplete) await truncate(manager, set, revision.key);
}

/** The StatefulSet of the name of an object that it owns. */
function findOwned(manager: ControllerManager, owner: KubeObject): StatefulSet | undefined {
  const found = manager.statefulSets.store.get(keyOf(owner));
  return found !== undefined && isControlledBy(found, owner) ? found : undefined;
}

function podsOf(manager: ControllerManager, owner: KubeObject): Pod[] {
  return manager.pods.store.inNamespace(owner.metadata.namespace).filter((pod) => isControlledBy(pod, owner));
}

function observeGroups(
  manager: ControllerManager,
  set: LeaderWorkerSet,
  leaders: StatefulSet,
  key: string,
): Group[] {
  return podsOf(manager, leaders).flatMap((leader) => {
    const workers = findOwned(manager, leader);
    const isAlone = set.spec.leaderWorkerTemplate.size === 1;
    if (workers === undefined && !isAlone) return [];
    const members = [leader, ...(workers === undefined || isAlone ? [] : [workers])];
    return {
      index: indexOf(leader),
      isUpdated: members.every(({ metadata }) => metadata.labels?.[REVISION_KEY] === key),
      isReady: isReady(leader) && (workers === undefined || isComplete(workers)),
    };
  });
}

function isComplete({ spec, status }: StatefulSet): boolean {
  const { availableReplicas = 0, currentRevision, updateRevision } = status;
  return availableReplicas === spec.replicas && currentRevision === updateRevision;
}

/** A group whose leader exists, and the StatefulSet of its workers. */
interface Group {
  readonly index: number;
  readonly isUpdated: boolean;
  readonly isReady: boolean;
}

/** Of the desired groups. */
function countDone({ spec }: LeaderWorkerSet, groups: readonly Group[]): number {
  return groups.filter(({ index, isReady, isUpdated }) => index < spec.replicas && isReady && isUpdated)
    .length;
}

/**
 * How far the leaders are to be updated. The partition of their StatefulSet decreases as groups become ready, and never
 * below that of the LeaderWorkerSet.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go (rollingUpdateParameters)
 */
function advance(
  set: LeaderWorkerSet,
  before: StatefulSet | undefined,
  groups: readonly Group[],
  isNew: boolean,
): LeaderProgress {
  const wanted = set.spec.replicas;
  const { partition: lowest, unavailable, surge } = readStrategy(set);
  if (before === undefined) return { partition: lowest, replicas: wanted };
  const { replicas } = before.spec;
  const partition = partitionOf(before);
  const left = wanted - countDone(set, groups);
  // The surge is given back as the last groups become ready.
  const size = wanted + (left <= surge ? Math.max(0, left - unavailable) : surge);
  if (isNew) return { partition: Math.min(wanted, replicas), replicas: Math.max(wanted, size) };
  if (replicas < wanted || (partition === lowest && replicas === wanted))
    return { partition: Math.max(partition, lowest), replicas: wanted };
  const next = findPartition(
    groups,
    Math.min(replicas, wanted + surge),
    unavailable + Math.max(0, replicas - wanted),
  );
  return { partition: Math.max(lowest, Math.min(partition, next)), replicas: size };
}

/** So many groups below those that are done may be updated at once; groups that are not ready count. */
function findPartition(groups: readonly Group[], replicas: number, step: number): number {
  const isReady = new Set(groups.filter((group) => group.isReady).map(({ index }) => index));
  const isUpdated = new Set(groups.filter((group) => group.isUpdated).map(({ index }) => index));
  let first = replicas;
  while (first > 0 && isReady.has(first - 1) && isUpdated.has(first - 1)) first -= 1;
  const lowest = Math.max(0, first - step);
  const down = Array.from({ length: lowest }, (_, index) => index).filter((index) => !isReady.has(index));
  let partition = lowest + down.length;
  while (partition > lowest && (!isReady.has(partition - 1) || isUpdated.has(partition - 1))) partition -= 1;
  return partition;
}

function partitionOf({ spec }: StatefulSet): number {
  return spec.updateStrategy.rollingUpdate?.partition ?? 0;
}

const CONDITIONS = {
  UpdateInProgress: { reason: 'GroupsUpdating', message: 'Rolling Upgrade is in progress' },
  Progressing: { reason: 'GroupsProgressing', message: 'Replicas are progressing' },
  Available: { reason: 'AllGroupsReady', message: 'All replicas are ready' },
};

/** https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go (updateConditions) */
function reportStatus(
  manager: ControllerManager,
  set: LeaderWorkerSet,
  leaders: StatefulSet,
  groups: readonly Group[],
) {
  const { replicas } = set.spec;
  const { partition } = readStrategy(set);
  const wanted = groups.filter(({ index }) => index < replicas);
  const isOutdated = wanted.some(({ index, isUpdated }) => index >= partition && !isUpdated);
  const isAvailable = !isOutdated && wanted.filter(({ isReady }) => isReady).length === replicas;
  const readyReplicas = groups.filter(({ isReady }) => isReady).length;
  const before = set.status.conditions ?? [];
  const conditions = Object.entries(CONDITIONS).flatMap(([type, { reason, message }]): Condition[] => {
    const known = before.find((condition) => condition.type === type);
    const isActive = type === 'Progressing' || isOutdated || known?.status === 'True';
    const status = (type === 'Available' ? isAvailable : !isAvailable && isActive) ? 'True' : 'False';
    if (known?.status === status || (known === undefined && status === 'False')) return known ? [known] : [];
    const counts = `with ${readyReplicas} groups ready of total ${replicas} groups`;
    if (status === 'True') recordEvent(manager, set, reason, `${message}, ${counts}`);
    return [{ type, status, reason, message, lastTransitionTime: timeText(manager.now()) }];
  });
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: leaders.status.replicas ?? 0,
    readyReplicas,
    updatedReplicas: groups.filter(({ isUpdated }) => isUpdated).length,
    hpaPodSelector: `${NAME}=${set.metadata.name},${WORKER_INDEX}=0`,
    conditions,
  };
}

async function applyLeaders(
  manager: ControllerManager,
  set: LeaderWorkerSet,
  before: StatefulSet | undefined,
  key: string,
  progress: LeaderProgress,
): Promise<StatefulSet> {
  const sets = manager.statefulSets.as('lws');
  const { metadata, spec } = draftLeaders(set, key, progress);
  if (before === undefined) {
    recordEvent(manager, set, 'GroupsProgressing', `Created leader statefulset ${metadata.name}`);
    return sets.create(set.metadata.namespace, { metadata, spec });
  }
  const after = {
    ...before,
    metadata: {
      ...before.metadata,
      labels: { ...before.metadata.labels, ...metadata.labels },
      annotations: { ...before.metadata.annotations, ...metadata.annotations },
    },
    spec: { ...before.spec, replicas: progress.replicas },
  };
  // The API server has completed what it stores, so only what changes is replaced.
  if (before.metadata.labels?.[REVISION_KEY] !== key) after.spec.template = spec.template;
  const partition = partitionOf(before);
  if (partition !== progress.partition) {
    after.spec.updateStrategy = spec.updateStrategy;
    const message = `Updating replicas ${progress.partition} to ${partition - 1} (inclusive)`;
    recordEvent(manager, set, 'GroupsUpdating', message);
  }
  const isApplied =
    deepEqual(after.spec, before.spec) &&
    deepEqual(after.metadata.labels, before.metadata.labels) &&
    deepEqual(after.metadata.annotations, before.metadata.annotations ?? {});
  return isApplied ? before : sets.replace(after);
}

/**
 * Creates the workers of a leader, and restarts the group where one of its pods was lost.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/pod_controller.go
 */
async function keepGroup(manager: ControllerManager, set: LeaderWorkerSet, leader: Pod): Promise<void> {
  const pods = manager.pods.as('lws');
  const labels = groupLabels(leader);
  if (leader.metadata.labels?.[GROUP_INDEX] === undefined) await pods.patch(leader, { labels });
  const workers = findOwned(manager, leader);
  if (workers === undefined) return makeWorkers(manager, set, leader);
  const members = podsOf(manager, workers);
  for (const pod of members)
    if (pod.metadata.labels?.[WORKER_INDEX] === undefined)
      await pods.patch(pod, { labels: { [WORKER_INDEX]: String(indexOf(pod)) } });
  const lost = [...members, leader].find((pod) => isDeleting(pod) || hasRestarted(pod));
  const isKept = set.spec.leaderWorkerTemplate.restartPolicy === 'None' || isDeleting(workers);
  if (lost === undefined || isKept) return;
  await pods.delete(leader);
  const message = `Worker pod ${lost.metadata.name} failed, deleted leader pod ${leader.metadata.name} to recreate group ${indexOf(leader)}`;
  recordEvent(manager, set, 'RecreateGroup', message);
}

function hasRestarted({ status }: Pod): boolean {
  return (status.containerStatuses ?? []).some(({ restartCount }) => restartCount > 0);
}

/** Not before the leader is ready, where the set says so, and not while the former workers terminate. */
async function makeWorkers(manager: ControllerManager, set: LeaderWorkerSet, leader: Pod): Promise<void> {
  const { labels = {}, annotations = {}, name, namespace } = leader.metadata;
  const isWaiting = set.spec.startupPolicy === 'LeaderReady' && !isReady(leader);
  const isTaken = manager.statefulSets.store.get(keyOf(leader)) !== undefined;
  const key = labels[REVISION_KEY] ?? '';
  const template = findTemplate(manager, set, key);
  if (isWaiting || isTaken || template === undefined || annotations[GROUP_SIZE] === '1') return;
  await manager.statefulSets.as('lws').create(namespace, draftWorkers(set, leader, template, key));
  recordEvent(manager, set, 'GroupsProgressing', `Created worker statefulset for leader pod ${name}`);
}
