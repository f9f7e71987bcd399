import { Fleet, type FleetPlay, playOf } from './fleet';
import { movePartition } from './native';
import { isReady, type Pod, renderPod } from './pods';
import { condition, type JsonObject, type KubeObject, ownerOf, type Scene } from './scene';

const DOMAIN = 'leaderworkerset.sigs.k8s.io';

/** Groups of a leader and its workers: the leaders are the pods of the fleet. */
export function leaderWorkerSet(scene: Scene): FleetPlay {
  const size = scene.pick([1, 2, 2, 3]);
  const fleet = new Fleet(scene, {
    ...{ apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', source: 'ControllerRevision' },
    ...{ ordered: true, hashLabel: `${DOMAIN}/template-revision-hash` },
    recordOf: (template) => ({
      leaderWorkerTemplate: { ...groupTemplate(template, size), $patch: 'replace' },
    }),
  });
  const leadersUid = scene.uid();
  fleet.failing = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: fleet.name, uid: leadersUid };
  const rules = { maxUnavailable: scene.pick([1, 2, '50%']), maxSurge: scene.pick([0, 0, 1]) };
  const startupPolicy = scene.pick([undefined, 'LeaderCreated', 'LeaderReady']);
  const oddity = scene.weighted({ none: 84, disagrees: 5, noWorkers: 3, noLeaders: 2, looping: 6 });
  if (scene.chance(30)) movePartition(fleet);
  return playOf(
    fleet,
    () => {
      const { name, replicas, partition, target, template } = fleet;
      const ofLeaders = { apiVersion: 'apps/v1', kind: 'StatefulSet', name };
      const labels = (key: string, others: JsonObject) => ({
        ...{ app: name, [`${DOMAIN}/name`]: name, [`${DOMAIN}/template-revision-hash`]: key },
        ...others,
      });
      const surge = fleet.isComplete ? 0 : Math.min(replicas, rules.maxSurge);
      const leaders = statefulSetOf(fleet, name, {
        ...{ uid: leadersUid, at: fleet.at, labels: labels(target.hash, {}), owners: fleet.ownerOf() },
        ...{ replicas: replicas + surge, ready: fleet.counts().ready, partition },
      });
      fleet.podLabels = ({ ordinal, revision }) =>
        labels(revision, { [`${DOMAIN}/group-index`]: String(ordinal), [`${DOMAIN}/worker-index`]: '0' });
      const groups = fleet.pods.flatMap((leader) => {
        const key = oddity === 'disagrees' && leader.ordinal === 0 ? 'other' : leader.revision;
        leader.owners = ownerOf(ofLeaders, leadersUid);
        leader.annotations = { [`${DOMAIN}/size`]: String(size) };
        return size === 1 || oddity === 'noWorkers' ? [] : workersOf(fleet, leader, size - 1, labels, key);
      });
      if (oddity === 'looping' && fleet.events.length === 0 && replicas > 0) {
        fleet.failing = undefined;
        fleet.fail(
          `Worker pod ${name}-0-1 failed, deleted leader pod ${name}-0 to recreate group 0`,
          'RecreateGroup',
        );
      }
      const { ready, updated, total } = fleet.counts();
      return fleet.render(
        {
          ...{ replicas, startupPolicy, leaderWorkerTemplate: groupTemplate(template, size) },
          rolloutStrategy: { type: 'RollingUpdate', rollingUpdateConfiguration: { ...rules, partition } },
        },
        {
          ...{
            observedGeneration: fleet.observed,
            replicas: total,
            readyReplicas: ready,
            updatedReplicas: updated,
          },
          conditions: [condition(fleet.isComplete ? 'Available' : 'Progressing', 'True', fleet.progressAt)],
        },
        oddity === 'noLeaders' ? groups : [leaders, ...groups],
      );
    },
    { partition: [10, () => (fleet.write(), movePartition(fleet))] },
  );
}

function groupTemplate(workerTemplate: JsonObject, size: number): JsonObject {
  return { size, restartPolicy: 'RecreateGroupOnPodRestart', workerTemplate };
}

interface SetFacts {
  uid: string;
  at: number;
  labels: JsonObject;
  owners: ReturnType<typeof ownerOf>;
  replicas: number;
  ready: number;
  partition?: number | string;
}

function statefulSetOf({ scene }: Fleet, name: string, facts: SetFacts): KubeObject {
  const { uid, at, labels, owners, replicas, ready, partition } = facts;
  return {
    ...{ apiVersion: 'apps/v1', kind: 'StatefulSet' },
    metadata: scene.meta(name, { uid, at, labels, ownerReferences: owners, generation: 1 }),
    spec: {
      ...{ replicas, selector: { matchLabels: { app: name } }, template: { spec: { containers: [] } } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } },
    },
    status: {
      ...{ observedGeneration: 1, replicas, readyReplicas: ready, availableReplicas: ready },
      ...{ currentRevision: `${name}-1`, updateRevision: `${name}-1` },
    },
  };
}

/** The workers are as their leader; some start after it, or fail. */
function workersOf(
  fleet: Fleet,
  leader: Pod,
  replicas: number,
  labels: (key: string, others: JsonObject) => JsonObject,
  key: string,
): KubeObject[] {
  const { scene } = fleet;
  const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: leader.name };
  const uid = `${leader.uid.slice(0, -4)}5e75`;
  const group = { [`${DOMAIN}/group-index`]: String(leader.ordinal) };
  // The same leader keeps its workers as they are.
  const turn = Number.parseInt(leader.uid.slice(0, 2), 16);
  const state = leader.state === 'ready' && turn > 235 ? (turn % 2 ? 'creating' : 'crash') : leader.state;
  const workers = Array.from({ length: replicas }, (_, index): Pod => ({
    ...{
      ...leader,
      state,
      uid: `${leader.uid.slice(0, -4)}00${index}0`,
      name: `${leader.name}-${index + 1}`,
    },
    owners: ownerOf(set, uid),
  }));
  const sets = statefulSetOf(fleet, leader.name, {
    ...{ uid, at: leader.at, replicas, ready: workers.filter(isReady).length, labels: labels(key, group) },
    owners: ownerOf({ apiVersion: 'v1', kind: 'Pod', name: leader.name }, leader.uid),
  });
  const pods = workers.map((worker, index) =>
    renderPod(scene, worker, labels(key, { ...group, [`${DOMAIN}/worker-index`]: String(index + 1) })),
  );
  return [sets, ...pods];
}
