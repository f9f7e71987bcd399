import {
  GROUP_INDEX,
  GROUP_SIZE,
  REVISION_KEY,
  WORKER_INDEX,
} from '@/lib/workloads/leader-worker-set/metadata';
import { recordedGroupTemplate } from '@/lib/workloads/leader-worker-set/template';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  type GroupTemplate,
  indexOf,
  type LeaderWorkerSet,
  recordEvent,
} from '@/sandbox/controllers/leader-worker-set/leader-worker-set';
import { asLws, listRevisions, revisionOf } from '@/sandbox/controllers/leader-worker-set/revisions';
import { leaderLabels, workersDraft } from '@/sandbox/controllers/leader-worker-set/stateful-sets';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import { isDeleting, isReady, type Pod } from '@/sandbox/controllers/objects/pod';
import { type StatefulSet } from '@/sandbox/controllers/objects/workloads';

/** The interval at which a leader's workers are retried while its revision is missing. */
const RETRY_MS = 1_000;

/**
 * Creates the workers of every leader, and restarts a group that lost a worker. Returns in how many
 * milliseconds to requeue; undefined where only a change can help.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/pod_controller.go
 */
export async function keepWorkers(
  manager: ControllerManager,
  set: LeaderWorkerSet,
  leaders: StatefulSet,
): Promise<number | undefined> {
  let wait: number | undefined;
  const pods = manager.pods.store.inNamespace(set.metadata.namespace);
  for (const leader of pods.filter((pod) => isControlledBy(pod, leaders))) {
    const workers = manager.statefulSets.store.get(keyOfWorkers(leader));
    const isOwn = workers !== undefined && isControlledBy(workers, leader);
    if (isDeleting(leader)) continue;
    await markLeader(manager, leader);
    if (isOwn) await keepGroup(manager, set, leader, workers, pods);
    // The workers of the previous leader are terminating.
    else if (workers === undefined) wait = (await makeWorkers(manager, set, leader)) ? wait : RETRY_MS;
  }
  return wait;
}

function keyOfWorkers({ metadata: { namespace, name } }: Pod): string {
  return `${namespace ?? '-'}/${name}`;
}

/** What a webhook writes before a pod is stored; the sandbox has no webhook. */
async function markLeader(manager: ControllerManager, leader: Pod): Promise<void> {
  const labels = leaderLabels(leader);
  if (leader.metadata.labels?.[GROUP_INDEX] === labels[GROUP_INDEX]) return;
  await manager.pods.as('lws').patch(leader, { labels });
}

async function keepGroup(
  manager: ControllerManager,
  set: LeaderWorkerSet,
  leader: Pod,
  workers: StatefulSet,
  pods: readonly Pod[],
): Promise<void> {
  const own = pods.filter((pod) => isControlledBy(pod, workers));
  for (const pod of own) {
    const place = String(indexOf(pod));
    if (pod.metadata.labels?.[WORKER_INDEX] === place || isDeleting(pod)) continue;
    await manager.pods.as('lws').patch(pod, { labels: { [WORKER_INDEX]: place } });
  }
  const lost = own.find((pod) => isDeleting(pod) || restartsOf(pod) > 0);
  const { restartPolicy } = set.spec.leaderWorkerTemplate;
  if (restartPolicy === 'None' || isDeleting(workers) || (lost === undefined && restartsOf(leader) === 0))
    return;
  await manager.pods.delete(leader);
  const [name, failed] = [leader.metadata.name, lost ?? leader];
  const message = `Worker pod ${failed.metadata.name} failed, deleted leader pod ${name} to recreate group ${indexOf(leader)}`;
  recordEvent(manager, set, 'RecreateGroup', message);
}

function restartsOf({ status }: Pod): number {
  return (status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
}

/** False where there is no revision to create them from. */
async function makeWorkers(manager: ControllerManager, set: LeaderWorkerSet, leader: Pod): Promise<boolean> {
  const { labels = {}, annotations = {} } = leader.metadata;
  if (annotations[GROUP_SIZE] === '1') return true;
  if (set.spec.startupPolicy === 'LeaderReady' && !isReady(leader)) return true;
  const key = labels[REVISION_KEY] ?? '';
  const revision = revisionOf(listRevisions(manager, set), key);
  const recorded = recordedGroupTemplate(revision?.data)?.leaderWorkerTemplate;
  if (recorded === undefined) return false;
  const draft = workersDraft(set, leader, recorded as object as GroupTemplate, key);
  await asLws(manager.statefulSets).create(set.metadata.namespace, draft);
  const { name } = leader.metadata;
  recordEvent(manager, set, 'GroupsProgressing', `Created worker statefulset for leader pod ${name}`);
  return true;
}
