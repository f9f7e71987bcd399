import { deepEqual, type JsonObject } from '@/lib/kube/json';
import { type ApiCore } from '@/sandbox/api/api-core';
import { resourceName, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import {
  listOrEmptyAt,
  numberOrZeroAt,
  objectOrEmptyAt,
  type StoredObject,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';

const ROLLOUTS = 'rollouts.rollouts.kruise.io';
const WORKLOAD_TYPE = 'rollouts.kruise.io/workload-type';
const IN_PROGRESSING = 'rollouts.kruise.io/in-progressing';
const DAEMON_SET_TYPE = 'rollouts.kruise.io/daemonset-original-update-strategy';
const STABLE_REVISION = 'rollouts.kruise.io/stable-revision';
const ROLLOUT_ID = 'rollouts.kruise.io/rollout-id';
/** Larger than any number of pods: none is updated. */
const HOLD_ALL = 32_767;
const FLAT_TYPES = ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'];
const FLAT_MEMBERS = ['partition', 'paused', 'maxUnavailable', 'maxSurge'];

/**
 * Starts the rollout of a workload whose Rollout updates it in steps: the write that changes the pod
 * template also pauses the workload. On a real API server a webhook of the Rollouts does that, within the
 * same write.
 * https://github.com/openkruise/rollouts/blob/master/pkg/webhook/workload/mutating/workload_update_handler.go
 */
export function holdBackRollout(
  core: ApiCore,
  kind: ResourceKind,
  next: StoredObject,
  previous: StoredObject,
): void {
  if (next.metadata.labels?.[WORKLOAD_TYPE] === undefined) return;
  const rollout = core.store
    .list(ROLLOUTS, next.metadata.namespace)
    .find((candidate) => steps(candidate, kind, next.metadata.name));
  if (rollout === undefined) return;
  const isBlueGreen = objectOrEmptyAt(rollout, 'spec', 'strategy').blueGreen !== undefined;
  const isUnderWay = previous.metadata.annotations?.[IN_PROGRESSING] !== undefined;
  if (!isAnother(next, previous)) {
    const isEnding = next.metadata.annotations?.[IN_PROGRESSING] === undefined;
    if (kind.kind === 'Deployment' && isUnderWay && !isEnding && !isBlueGreen) hold(kind, next);
    return;
  }
  if (isUnderWay ? false : isUnmanaged(core, kind, rollout, next)) return;
  // In the middle of a blue-green rollout the surge of a CloneSet holds all of its pods.
  if (!(isUnderWay && isBlueGreen && kind.kind === 'CloneSet')) hold(kind, next);
  if (kind.kind === 'Deployment' && !isUnderWay) {
    const [stable] = setsWithPods(core, next);
    const hash = stable?.metadata.labels?.['pod-template-hash'];
    if (hash !== undefined) next.metadata.labels = { ...next.metadata.labels, [STABLE_REVISION]: hash };
  }
  next.metadata.annotations = {
    ...next.metadata.annotations,
    [IN_PROGRESSING]: JSON.stringify({ rolloutName: rollout.metadata.name }),
  };
}

function steps({ metadata, spec }: StoredObject, { kind, group }: ResourceKind, name: string): boolean {
  if (metadata.deletionTimestamp !== undefined || objectOrEmptyAt(spec).disabled === true) return false;
  // v1alpha1 has it one level deeper, and an API server without conversion stores it there.
  const path =
    objectOrEmptyAt(spec).workloadRef === undefined ? ['objectRef', 'workloadRef'] : ['workloadRef'];
  const inGroup = textOrEmptyAt(spec, ...path, 'apiVersion').startsWith(`${group}/`);
  return (
    inGroup && textOrEmptyAt(spec, ...path, 'kind') === kind && textOrEmptyAt(spec, ...path, 'name') === name
  );
}

/** The annotation, not the label of that name, requests a rollout, or prevents one. */
function isAnother(next: StoredObject, previous: StoredObject): boolean {
  const [asked, before] = [next, previous].map(({ metadata }) => metadata.annotations?.[ROLLOUT_ID] ?? '');
  if (asked !== '') return asked !== before;
  return !deepEqual(templateOf(next), templateOf(previous));
}

function templateOf({ spec }: StoredObject): JsonObject {
  const { metadata, ...template } = objectOrEmptyAt(spec, 'template');
  const { creationTimestamp: _none, ...kept } = objectOrEmptyAt(metadata);
  return { ...template, metadata: kept };
}

/** Rolls out without steps: nothing runs, or traffic would have to be split among more than two versions. */
function isUnmanaged(core: ApiCore, kind: ResourceKind, rollout: StoredObject, next: StoredObject): boolean {
  if (kind.kind === 'DaemonSet') return false;
  if (objectOrEmptyAt(next, 'spec').replicas === 0) return true;
  const strategy = objectOrEmptyAt(rollout, 'spec', 'strategy');
  const plan =
    'blueGreen' in strategy ? objectOrEmptyAt(strategy, 'blueGreen') : objectOrEmptyAt(strategy, 'canary');
  if (listOrEmptyAt(plan, 'trafficRoutings').length === 0) return false;
  if (kind.kind === 'Deployment') return setsWithPods(core, next).length !== 1;
  return numberOrZeroAt(next, 'status', 'updatedReplicas') !== numberOrZeroAt(next, 'spec', 'replicas');
}

function setsWithPods(core: ApiCore, { metadata }: StoredObject): StoredObject[] {
  return core.store
    .list('replicasets.apps', metadata.namespace)
    .filter(
      (set) =>
        numberOrZeroAt(set, 'spec', 'replicas') > 0 &&
        set.metadata.ownerReferences?.some(
          (owner) => owner.uid === metadata.uid && owner.controller === true,
        ),
    );
}

function hold(kind: ResourceKind, next: StoredObject): void {
  const spec = objectOrEmptyAt(next, 'spec');
  if (resourceName(kind) === 'deployments.apps') {
    next.spec = { ...spec, paused: true };
    return;
  }
  const strategy = objectOrEmptyAt(spec, 'updateStrategy');
  if (resourceName(kind) === 'daemonsets.apps') {
    const type = next.metadata.annotations?.[DAEMON_SET_TYPE] ?? textOrEmptyAt(strategy, 'type');
    next.metadata.annotations = { ...next.metadata.annotations, [DAEMON_SET_TYPE]: type };
    next.spec = { ...spec, updateStrategy: { ...strategy, type: 'OnDelete' } };
    return;
  }
  const isFlat =
    kind.kind === 'CloneSet' && (next.apiVersion.endsWith('/v1alpha1') || hasFlatRules(strategy));
  const partition = kind.kind === 'CloneSet' ? '100%' : HOLD_ALL;
  next.spec = {
    ...spec,
    updateStrategy: isFlat
      ? { ...strategy, partition }
      : { ...strategy, rollingUpdate: { ...objectOrEmptyAt(strategy, 'rollingUpdate'), partition } },
  };
}

/** As v1alpha1 of a CloneSet writes them. */
function hasFlatRules(strategy: JsonObject): boolean {
  return (
    FLAT_TYPES.includes(textOrEmptyAt(strategy, 'type')) || FLAT_MEMBERS.some((member) => member in strategy)
  );
}
