import { fill } from './fill';
import { Fleet, type FleetPlay, type Given, playOf } from './fleet';
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
  const nestedType = !isFlat && scene.chance(20) ? 'OnDelete' : 'RollingUpdate';
  return partitioned(fleet, () => {
    const { partition, paused } = fleet;
    const rules = { partition, paused: paused || undefined, maxUnavailable: '20%', maxSurge: 0 };
    const nested = { type: nestedType, rollingUpdate: { ...rules, podUpdatePolicy: policy } };
    const strategy = isFlat ? { type: policy, ...rules } : nested;
    return fleet.render(fill('CloneSet.spec', { fleet, strategy }), revisionStatus(fleet));
  });
}

export function advancedStatefulSet(scene: Scene, given?: Given): FleetPlay {
  const kind = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'StatefulSet',
    source: 'ControllerRevision',
  } as const;
  const fleet = new Fleet(scene, { ...kind, ordered: true, labelOf: ({ name }) => name }, given);
  const type = scene.pick(['RollingUpdate', 'RollingUpdate', 'RollingUpdate', 'OnDelete']);
  const some = {
    podUpdatePolicy: scene.pick(POLICIES),
    maxUnavailable: scene.pick([undefined, 1, 2, '50%']),
    unorderedUpdate: scene.maybe(15, {}),
    minReadySeconds: fleet.minReadySeconds,
  };
  const management = scene.pick(['OrderedReady', 'Parallel']);
  const reserved = scene.maybe(10, [1]);
  return partitioned(fleet, () => {
    const rules = { ...some, partition: fleet.partition, paused: fleet.paused || undefined };
    const spec = fill('AdvancedStatefulSet.spec', { fleet, management, reserved, type, rules });
    return fleet.render(spec, revisionStatus(fleet));
  });
}

export function advancedDaemonSet(scene: Scene, given?: Given): FleetPlay {
  const apiVersion = scene.pick(['apps.kruise.io/v1alpha1', 'apps.kruise.io/v1beta1']);
  const fleet = new Fleet(scene, { apiVersion, kind: 'DaemonSet', source: 'ControllerRevision' }, given);
  const type = scene.pick(['RollingUpdate', 'RollingUpdate', 'RollingUpdate', 'OnDelete']);
  const some = {
    rollingUpdateType: scene.pick([undefined, 'Standard', 'InPlaceIfPossible']),
    maxUnavailable: scene.pick([1, '25%']),
    maxSurge: scene.maybe(15, 1),
    selector: scene.maybe(8, { matchLabels: { zone: 'a' } }),
  };
  return partitioned(fleet, () => {
    const all = { ...some, partition: fleet.partition, paused: fleet.paused || undefined };
    const spec = fill('AdvancedDaemonSet.spec', {
      fleet,
      type,
      rules: type === 'OnDelete' ? undefined : all,
    });
    const daemonSetHash = fleet.target.hash;
    return fleet.render(spec, { ...daemonStatus(fleet), daemonSetHash, conditions: failuresOf(fleet) });
  });
}

function partitioned(fleet: Fleet, render: FleetPlay['render']): FleetPlay {
  if (fleet.scene.chance(40)) movePartition(fleet, PARTITIONS);
  return playOf(fleet, render, { partition: [12, () => (fleet.write(), movePartition(fleet, PARTITIONS))] });
}

function revisionStatus(fleet: Fleet): JsonObject {
  const { target, stable, replicas } = fleet;
  const counts = fleet.counts();
  const current = counts.updated >= replicas && fleet.mood === 'ready' ? target : stable;
  return fill('Kruise.status', { fleet, counts, current, conditions: failuresOf(fleet) });
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
