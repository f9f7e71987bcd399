import { fill } from './fill';
import { Fleet, type FleetPlay, type Given, playOf } from './fleet';
import { condition, type JsonObject, type KubeObject, type Scene } from './scene';

export function deployment(scene: Scene, given?: Given): FleetPlay {
  const fleet = new Fleet(scene, { apiVersion: 'apps/v1', kind: 'Deployment', source: 'ReplicaSet' }, given);
  const type = scene.pick(['RollingUpdate', 'RollingUpdate', 'RollingUpdate', 'Recreate', undefined]);
  const deadline = scene.pick([600, 600, 600, 60, undefined, 2_147_483_647]);
  const rollingUpdate =
    type === 'RollingUpdate'
      ? { maxSurge: scene.pick([1, '25%', 0]), maxUnavailable: scene.pick([0, '25%', 1]) }
      : undefined;
  const oddity = scene.weighted({ none: 82, noConditions: 5, former: 8, text: 2, contradiction: 3 });
  if (scene.chance(6)) {
    fleet.annotations = { 'rollouts.kruise.io/in-progressing': JSON.stringify({ rolloutName: 'shop' }) };
    fleet.paused = scene.chance(80);
  }
  const strategy = type === undefined ? undefined : { type, rollingUpdate };
  return playOf(fleet, () => {
    const counts = fleet.counts();
    const observed = oddity === 'text' ? String(fleet.observed) : fleet.observed;
    const conditions = oddity === 'noConditions' ? undefined : conditionsOf(fleet, deadline ?? 600, oddity);
    const unavailable = fleet.replicas - counts.available;
    const status = fill('Deployment.status', { counts, observed, conditions, unavailable });
    return fleet.render(fill('Deployment.spec', { fleet, deadline, strategy }), status);
  });
}

function conditionsOf(fleet: Fleet, deadline: number, oddity: string): JsonObject[] {
  const { scene, progressAt, refusal, replicas } = fleet;
  const isAvailable = fleet.counts().available >= Math.ceil(replicas * 0.75);
  const isLate = scene.now - progressAt > deadline * 1_000;
  const conditions = [condition('Available', isAvailable ? 'True' : 'False', progressAt)];
  const isFormer = oddity === 'former' || fleet.settled;
  const progress = (status: string, reason: string) => condition('Progressing', status, progressAt, reason);
  if (fleet.paused) conditions.push(progress('Unknown', 'DeploymentPaused'));
  else if (isFormer) conditions.push(progress('True', 'NewReplicaSetAvailable'));
  else if (isLate) conditions.push(progress('False', 'ProgressDeadlineExceeded'));
  else conditions.push(progress(oddity === 'contradiction' ? 'False' : 'True', 'ReplicaSetUpdated'));
  if (refusal !== undefined)
    conditions.push(condition('ReplicaFailure', 'True', progressAt, 'FailedCreate', refusal));
  return conditions;
}

export function statefulSet(scene: Scene, given?: Given): FleetPlay {
  const kind = { apiVersion: 'apps/v1', kind: 'StatefulSet', source: 'ControllerRevision' } as const;
  const fleet = new Fleet(scene, { ...kind, ordered: true, labelOf: ({ name }) => name }, given);
  const type = scene.pick(['RollingUpdate', 'RollingUpdate', 'RollingUpdate', 'RollingUpdate', 'OnDelete']);
  const management = scene.pick(['OrderedReady', 'Parallel', undefined]);
  const oddity = scene.weighted({ none: 92, noHash: 3, zeroObserved: 2, text: 3 });
  if (scene.chance(30)) movePartition(fleet);
  function render(): KubeObject[] {
    const counts = fleet.counts();
    const { replicas, target, partition } = fleet;
    const { total, updated } = counts;
    const current = updated >= replicas && fleet.mood === 'ready' ? target : fleet.stable;
    const rules = type === 'OnDelete' || partition === undefined ? undefined : { partition };
    const status = fill('StatefulSet.status', {
      counts,
      current,
      observed: oddity === 'zeroObserved' ? 0 : fleet.observed,
      updated: oddity === 'text' ? String(updated) : updated,
      currentReplicas: current === target ? total : total - updated,
      update: oddity === 'noHash' ? undefined : target.name,
    });
    return fleet.render(fill('StatefulSet.spec', { fleet, management, type, rules }), status);
  }
  return playOf(fleet, render, { partition: [9, () => (fleet.write(), movePartition(fleet))] });
}

/** The partition holds pods; most often those above it are updated and ready. */
export function movePartition(
  fleet: Fleet,
  values: readonly (number | string)[] = [0, 1, 2, 3, 10, '1'],
): void {
  const { scene, replicas } = fleet;
  fleet.partition = scene.pick(values);
  if (fleet.stable === fleet.target || scene.chance(20)) return;
  const percent = /^(\d+)%$/.exec(String(fleet.partition))?.[1];
  const held =
    percent === undefined ? Number(fleet.partition) : Math.ceil((replicas * Number(percent)) / 100);
  fleet.place(Math.max(0, replicas - held), scene.chance(70) ? 'ready' : undefined);
}

export function daemonSet(scene: Scene, given?: Given): FleetPlay {
  const kind = { apiVersion: 'apps/v1', kind: 'DaemonSet', source: 'ControllerRevision' } as const;
  const fleet = new Fleet(scene, kind, given);
  const type = scene.pick(['RollingUpdate', 'RollingUpdate', 'RollingUpdate', 'OnDelete']);
  const some = { maxUnavailable: scene.pick([1, '10%', 0]), maxSurge: scene.pick([undefined, 0, 1]) };
  const isUnderRollout = type === 'OnDelete' && scene.chance(25);
  if (isUnderRollout) fleet.annotations = { 'rollouts.kruise.io/in-progressing': '{"rolloutName":"shop"}' };
  const rules = type === 'OnDelete' ? undefined : some;
  const render = () => fleet.render(fill('DaemonSet.spec', { fleet, type, rules }), daemonStatus(fleet));
  return playOf(fleet, render);
}

export function daemonStatus(fleet: Fleet): JsonObject {
  const counts = fleet.counts();
  return fill('DaemonSet.status', { fleet, counts, unavailable: fleet.replicas - counts.available });
}
