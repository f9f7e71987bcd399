import { deepEqual } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { keyOf } from '@/server/cluster/reflector-store';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type ObjectChange } from '@/sandbox/controllers/engine/informer';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import {
  GROUP_INDEX,
  GROUP_SIZE,
  indexOf,
  type LeaderWorkerSet,
  NAME,
  readStrategy,
  recordEvent,
  REVISION_KEY,
  withDefaults,
  WORKER_INDEX,
} from '@/sandbox/controllers/leader-worker-set/leader-worker-set';
import {
  advance,
  countDone,
  type Group,
  partitionOf,
  reportStatus,
} from '@/sandbox/controllers/leader-worker-set/groups';
import { chooseRevision, findTemplate, truncate } from '@/sandbox/controllers/leader-worker-set/revisions';
import {
  draftLeaders,
  draftWorkers,
  groupLabels,
  type LeaderProgress,
} from '@/sandbox/controllers/leader-worker-set/stateful-sets';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import { isDeleting, isReady, type Pod } from '@/sandbox/controllers/objects/pod';
import { type StatefulSet } from '@/sandbox/controllers/objects/workloads';

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
