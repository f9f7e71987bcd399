import { type Counts, Fleet, type FleetPlay, type Given, playOf } from './fleet';
import { daemonStatus, movePartition } from './native';
import { condition, type JsonObject, type Scene } from './scene';

const PARTITIONS = [0, 0, 1, 2, 3, '0%', '20%', '50%', '80%', '100%', 'most'];
const POLICIES = [undefined, 'ReCreate', 'InPlaceIfPossible', 'InPlaceIfPossible', 'InPlaceOnly'];

export function cloneSet(scene: Scene, given?: Given): FleetPlay {
  const isFlat = scene.chance(80);
  const apiVersion = `apps.kruise.io/${isFlat ? 'v1alpha1' : 'v1beta1'}`;
  const options = { apiVersion, kind: 'CloneSet', source: 'ControllerRevision' } as const;
  const fleet = new Fleet(scene, { ...options, labelOf: ({ name }) => name }, given);
  const policy = scene.pick(POLICIES);
  const isOnDelete = !isFlat && scene.chance(20);
  return partitioned(fleet, () => {
    const { partition, replicas, template, paused } = fleet;
    const rules = { partition, paused: paused || undefined, maxUnavailable: '20%', maxSurge: 0 };
    const nested = {
      type: isOnDelete ? 'OnDelete' : 'RollingUpdate',
      rollingUpdate: { ...rules, podUpdatePolicy: policy },
    };
    return fleet.render(
      {
        ...{ replicas, template, minReadySeconds: fleet.minReadySeconds },
        ...{ revisionHistoryLimit: fleet.historyLimit, selector: { matchLabels: { app: fleet.name } } },
        updateStrategy: isFlat ? { type: policy, ...rules } : nested,
      },
      revisionStatus(fleet, fleet.counts()),
    );
  });
}

export function advancedStatefulSet(scene: Scene, given?: Given): FleetPlay {
  const fleet = new Fleet(
    scene,
    {
      ...{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', source: 'ControllerRevision' },
      ...{ ordered: true, labelOf: ({ name }) => name },
    },
    given,
  );
  const type = scene.pick(['RollingUpdate', 'RollingUpdate', 'RollingUpdate', 'OnDelete']);
  const rules = {
    podUpdatePolicy: scene.pick(POLICIES),
    maxUnavailable: scene.pick([undefined, 1, 2, '50%']),
    unorderedUpdate: scene.maybe(15, {}),
    minReadySeconds: fleet.minReadySeconds,
  };
  const management = scene.pick(['OrderedReady', 'Parallel']);
  const reserveOrdinals = scene.maybe(10, [1]);
  return partitioned(fleet, () => {
    const { partition, replicas, template, paused } = fleet;
    return fleet.render(
      {
        ...{ replicas, template, podManagementPolicy: management, reserveOrdinals, serviceName: fleet.name },
        ...{ revisionHistoryLimit: fleet.historyLimit, selector: { matchLabels: { app: fleet.name } } },
        updateStrategy: { type, rollingUpdate: { ...rules, partition, paused: paused || undefined } },
      },
      revisionStatus(fleet, fleet.counts()),
    );
  });
}

export function advancedDaemonSet(scene: Scene, given?: Given): FleetPlay {
  const apiVersion = scene.pick(['apps.kruise.io/v1alpha1', 'apps.kruise.io/v1beta1']);
  const fleet = new Fleet(scene, { apiVersion, kind: 'DaemonSet', source: 'ControllerRevision' }, given);
  const type = scene.pick(['RollingUpdate', 'RollingUpdate', 'RollingUpdate', 'OnDelete']);
  const rules = {
    rollingUpdateType: scene.pick([undefined, 'Standard', 'InPlaceIfPossible']),
    maxUnavailable: scene.pick([1, '25%']),
    maxSurge: scene.maybe(15, 1),
    selector: scene.maybe(8, { matchLabels: { zone: 'a' } }),
  };
  return partitioned(fleet, () => {
    const { partition, template, paused, minReadySeconds, target } = fleet;
    const rollingUpdate =
      type === 'OnDelete' ? undefined : { ...rules, partition, paused: paused || undefined };
    const selector = { matchLabels: { app: fleet.name } };
    return fleet.render(
      { template, minReadySeconds, selector, updateStrategy: { type, rollingUpdate } },
      { ...daemonStatus(fleet), daemonSetHash: target.hash, conditions: failuresOf(fleet) },
    );
  });
}

function partitioned(fleet: Fleet, render: FleetPlay['render']): FleetPlay {
  if (fleet.scene.chance(40)) movePartition(fleet, PARTITIONS);
  return playOf(fleet, render, { partition: [12, () => (fleet.write(), movePartition(fleet, PARTITIONS))] });
}

function revisionStatus(
  fleet: Fleet,
  { total, updated, ready, available, updatedReady }: Counts,
): JsonObject {
  const { target, stable, replicas, observed } = fleet;
  const current = updated >= replicas && fleet.mood === 'ready' ? target : stable;
  return {
    ...{ observedGeneration: observed, replicas: total, readyReplicas: ready, availableReplicas: available },
    ...{ updatedReplicas: updated, updatedReadyReplicas: updatedReady, currentRevision: current.name },
    ...{ updateRevision: target.name, conditions: failuresOf(fleet) },
  };
}

/** The controllers never clear these, so some are of an earlier rollout, or of a conflict that is over. */
function failuresOf({ scene, refusal, changedAt, at }: Fleet): JsonObject[] | undefined {
  const type = scene.namespace.endsWith('3') ? 'FailedUpdate' : 'FailedScale';
  if (refusal !== undefined) return [condition(type, 'True', changedAt + 2_000, 'Error', refusal)];
  if (!scene.namespace.endsWith('9')) return undefined;
  return [
    condition(type, 'True', at, 'Error', 'the object has been modified; please apply your changes again'),
  ];
}
