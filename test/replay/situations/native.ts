import { Fleet, type FleetPlay, type Given, playOf } from './fleet';
import { condition, type JsonObject, type Scene } from './scene';

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
  return playOf(fleet, () => {
    const counts = fleet.counts();
    const { total, updated, ready, available } = counts;
    return fleet.render(
      {
        ...{ replicas: fleet.replicas, paused: fleet.paused || undefined, progressDeadlineSeconds: deadline },
        ...{ minReadySeconds: fleet.minReadySeconds, revisionHistoryLimit: fleet.historyLimit },
        selector: { matchLabels: { app: fleet.name } },
        strategy: type === undefined ? undefined : { type, rollingUpdate },
        template: fleet.template,
      },
      {
        observedGeneration: oddity === 'text' ? String(fleet.observed) : fleet.observed,
        ...{ replicas: total, updatedReplicas: updated, readyReplicas: ready || undefined },
        ...{
          availableReplicas: available || undefined,
          unavailableReplicas: fleet.replicas - available || undefined,
        },
        conditions: oddity === 'noConditions' ? undefined : conditionsOf(fleet, deadline ?? 600, oddity),
      },
    );
  });
}

function conditionsOf(fleet: Fleet, deadline: number, oddity: string): JsonObject[] {
  const { scene, progressAt, refusal, replicas } = fleet;
  const isAvailable = fleet.counts().available >= Math.ceil(replicas * 0.75);
  const isLate = scene.now - progressAt > deadline * 1_000;
  const conditions = [condition('Available', isAvailable ? 'True' : 'False', progressAt)];
  const isFormer = oddity === 'former' || fleet.settled;
  if (fleet.paused) conditions.push(condition('Progressing', 'Unknown', progressAt, 'DeploymentPaused'));
  else if (isFormer) conditions.push(condition('Progressing', 'True', progressAt, 'NewReplicaSetAvailable'));
  else if (isLate) conditions.push(condition('Progressing', 'False', progressAt, 'ProgressDeadlineExceeded'));
  else
    conditions.push(
      condition(
        'Progressing',
        oddity === 'contradiction' ? 'False' : 'True',
        progressAt,
        'ReplicaSetUpdated',
      ),
    );
  if (refusal !== undefined)
    conditions.push(condition('ReplicaFailure', 'True', progressAt, 'FailedCreate', refusal));
  return conditions;
}

export function statefulSet(scene: Scene, given?: Given): FleetPlay {
  const fleet: Fleet = new Fleet(
    scene,
    {
      ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', source: 'ControllerRevision', ordered: true },
      labelOf: ({ name }) => name,
    },
    given,
  );
  const type = scene.pick(['RollingUpdate', 'RollingUpdate', 'RollingUpdate', 'RollingUpdate', 'OnDelete']);
  const management = scene.pick(['OrderedReady', 'Parallel', undefined]);
  const oddity = scene.weighted({ none: 92, noHash: 3, zeroObserved: 2, text: 3 });
  if (scene.chance(30)) movePartition(fleet);
  return playOf(
    fleet,
    () => {
      const { total, updated, ready, available } = fleet.counts();
      const { replicas, target } = fleet;
      const current = updated >= replicas && fleet.mood === 'ready' ? target : fleet.stable;
      const template = fleet.template;
      const { partition } = fleet;
      return fleet.render(
        {
          ...{ replicas, serviceName: fleet.name, podManagementPolicy: management, template },
          ...{ minReadySeconds: fleet.minReadySeconds, revisionHistoryLimit: fleet.historyLimit },
          selector: { matchLabels: { app: fleet.name } },
          updateStrategy: {
            type,
            rollingUpdate: type === 'OnDelete' || partition === undefined ? undefined : { partition },
          },
        },
        {
          observedGeneration: oddity === 'zeroObserved' ? 0 : fleet.observed,
          ...{ replicas: total, readyReplicas: ready, availableReplicas: available },
          updatedReplicas: oddity === 'text' ? String(updated) : updated,
          currentReplicas: current === target ? total : total - updated,
          currentRevision: current.name,
          updateRevision: oddity === 'noHash' ? undefined : target.name,
          collisionCount: 0,
        },
      );
    },
    { partition: [9, () => (fleet.write(), movePartition(fleet))] },
  );
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
  const fleet = new Fleet(
    scene,
    { apiVersion: 'apps/v1', kind: 'DaemonSet', source: 'ControllerRevision' },
    given,
  );
  const type = scene.pick(['RollingUpdate', 'RollingUpdate', 'RollingUpdate', 'OnDelete']);
  const rollingUpdate = {
    maxUnavailable: scene.pick([1, '10%', 0]),
    maxSurge: scene.pick([undefined, 0, 1]),
  };
  const isUnderRollout = type === 'OnDelete' && scene.chance(25);
  if (isUnderRollout) fleet.annotations = { 'rollouts.kruise.io/in-progressing': '{"rolloutName":"shop"}' };
  return playOf(fleet, () =>
    fleet.render(
      {
        ...{ minReadySeconds: fleet.minReadySeconds, template: fleet.template },
        selector: { matchLabels: { app: fleet.name } },
        updateStrategy: { type, rollingUpdate: type === 'OnDelete' ? undefined : rollingUpdate },
      },
      daemonStatus(fleet),
    ),
  );
}

export function daemonStatus(fleet: Fleet): JsonObject {
  const { total, updated, ready, available } = fleet.counts();
  const { replicas } = fleet;
  return {
    ...{
      observedGeneration: fleet.observed,
      desiredNumberScheduled: replicas,
      currentNumberScheduled: total,
    },
    ...{ numberMisscheduled: 0, numberReady: ready, updatedNumberScheduled: updated },
    ...{ numberAvailable: available || undefined, numberUnavailable: replicas - available || undefined },
  };
}
