import { fill } from './fill';
import { Fleet, type FleetPlay, playOf } from './fleet';
import { movePartition } from './native';
import { isReady, type Pod, renderPod } from './pods';
import { condition, type JsonObject, type KubeObject, type Metadata, ownerOf, type Scene } from './scene';

const DOMAIN = 'leaderworkerset.sigs.k8s.io';

/** Groups of a leader and its workers: the leaders are the pods of the fleet. */
export function leaderWorkerSet(scene: Scene): FleetPlay {
  const size = scene.pick([1, 2, 2, 3]);
  const fleet = new Fleet(scene, {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    source: 'ControllerRevision',
    ordered: true,
    hashLabel: `${DOMAIN}/template-revision-hash`,
    recordOf: (template) => ({
      leaderWorkerTemplate: { ...groupTemplate(template, size), $patch: 'replace' },
    }),
  });
  const { name } = fleet;
  const set = { apiVersion: 'apps/v1', kind: 'StatefulSet' };
  const uid = scene.uid();
  fleet.failing = { ...set, name, uid };
  const limits = { maxUnavailable: scene.pick([1, 2, '50%']), maxSurge: scene.pick([0, 0, 1]) };
  const startupPolicy = scene.pick([undefined, 'LeaderCreated', 'LeaderReady']);
  const oddity = scene.weighted({ none: 84, disagrees: 5, noWorkers: 3, noLeaders: 2, looping: 6 });
  if (scene.chance(30)) movePartition(fleet);

  function labelsOf(key: string, group?: number, member?: number): JsonObject {
    const labels: JsonObject = {
      app: name,
      [`${DOMAIN}/name`]: name,
      [`${DOMAIN}/template-revision-hash`]: key,
    };
    if (group !== undefined) labels[`${DOMAIN}/group-index`] = String(group);
    if (member !== undefined) labels[`${DOMAIN}/worker-index`] = String(member);
    return labels;
  }

  function setOf(
    metadata: Metadata,
    replicas: number,
    ready: number,
    partition?: number | string,
  ): KubeObject {
    const named = { name: metadata.name, revision: `${metadata.name}-1` };
    return fill('LeaderWorkerSet.set', { metadata, replicas, ready, partition, ...named });
  }

  function leadersOf(): KubeObject {
    const { replicas, partition, target, at } = fleet;
    const surge = fleet.isComplete ? 0 : Math.min(replicas, limits.maxSurge);
    const ownerReferences = fleet.ownerOf();
    const labels = labelsOf(target.hash);
    const metadata = scene.meta(name, { uid, at, labels, ownerReferences, generation: 1 });
    return setOf(metadata, replicas + surge, fleet.counts().ready, partition);
  }

  /** The workers are as their leader; some start after it, or fail. */
  function workersOf(leader: Pod): KubeObject[] {
    const { ordinal, state, at } = leader;
    const key = oddity === 'disagrees' && ordinal === 0 ? 'other' : leader.revision;
    const base = leader.uid.slice(0, -4);
    // The same leader keeps its workers as they are.
    const turn = Number.parseInt(leader.uid.slice(0, 2), 16);
    const late = turn % 2 ? 'creating' : 'crash';
    const owners = ownerOf({ ...set, name: leader.name }, `${base}5e75`);
    const workers = Array.from({ length: size - 1 }, (_, index): Pod => ({
      ...leader,
      state: state === 'ready' && turn > 235 ? late : state,
      uid: `${base}00${index}0`,
      name: `${leader.name}-${index + 1}`,
      owners,
    }));
    const ownerReferences = ownerOf({ apiVersion: 'v1', kind: 'Pod', name: leader.name }, leader.uid);
    const labels = labelsOf(key, ordinal);
    const members = { uid: `${base}5e75`, at, labels, ownerReferences, generation: 1 };
    const group = setOf(scene.meta(leader.name, members), size - 1, workers.filter(isReady).length);
    const podOf = (pod: Pod, index: number) => renderPod(scene, pod, labelsOf(key, ordinal, index + 1));
    return [group, ...workers.map(podOf)];
  }

  function render(): KubeObject[] {
    const { replicas, partition, template } = fleet;
    const leaders = leadersOf();
    fleet.podLabels = ({ ordinal, revision }) => labelsOf(revision, ordinal, 0);
    const groups = fleet.pods.flatMap((leader) => {
      leader.owners = ownerOf({ ...set, name }, uid);
      leader.annotations = { [`${DOMAIN}/size`]: String(size) };
      return size === 1 || oddity === 'noWorkers' ? [] : workersOf(leader);
    });
    if (oddity === 'looping' && fleet.events.length === 0 && replicas > 0) {
      fleet.failing = undefined;
      const failure = `Worker pod ${name}-0-1 failed, deleted leader pod ${name}-0 to recreate group 0`;
      fleet.fail(failure, 'RecreateGroup');
    }
    const rules = { ...limits, partition };
    const groupSpec = groupTemplate(template, size);
    const spec = fill('LeaderWorkerSet.spec', { fleet, startupPolicy, template: groupSpec, rules });
    const conditions = [condition(fleet.isComplete ? 'Available' : 'Progressing', 'True', fleet.progressAt)];
    const status = fill('LeaderWorkerSet.status', { fleet, counts: fleet.counts(), conditions });
    return fleet.render(spec, status, oddity === 'noLeaders' ? groups : [leaders, ...groups]);
  }

  return playOf(fleet, render, { partition: [10, () => (fleet.write(), movePartition(fleet))] });
}

function groupTemplate(workerTemplate: JsonObject, size: number): JsonObject {
  return { size, restartPolicy: 'RecreateGroupOnPodRestart', workerTemplate };
}
