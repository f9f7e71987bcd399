import { deepEqual, type JsonObject } from '@/lib/kube/json';
import type { ApiCore } from '@/sandbox/api/api-core';
import type { ResourceKind } from '@/sandbox/api/objects/resource-kind';
import {
  listOrEmptyAt,
  numberOrZeroAt,
  objectOrEmptyAt,
  type StoredObject,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';

const IN_PROGRESSING = 'rollouts.kruise.io/in-progressing';
const WORKLOAD_TYPE = 'rollouts.kruise.io/workload-type';
const STABLE_REVISION = 'rollouts.kruise.io/stable-revision';
const ROLLOUT_ID = 'rollouts.kruise.io/rollout-id';
const ORIGINAL_UPDATE_TYPE = 'rollouts.kruise.io/daemonset-original-update-strategy';
/** Larger than any number of pods: none is updated. */
const HOLD_ALL = 32_767;

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
    .list('rollouts.rollouts.kruise.io', next.metadata.namespace)
    .find((candidate) => rollsOut(candidate, kind, next.metadata.name));
  if (rollout === undefined) return;
  const isDeployment = kind.kind === 'Deployment';
  const { blueGreen, canary } = objectOrEmptyAt(rollout, 'spec', 'strategy');
  const isUnderWay = previous.metadata.annotations?.[IN_PROGRESSING] !== undefined;
  if (!isAnother(next, previous)) {
    const isEnding = next.metadata.annotations?.[IN_PROGRESSING] === undefined;
    if (isDeployment && isUnderWay && !isEnding && blueGreen === undefined) hold(kind, next);
    return;
  }
  const sets = isDeployment ? setsWithPods(core, next) : [];
  const isRouted = listOrEmptyAt(blueGreen ?? canary, 'trafficRoutings').length > 0;
  if (!isUnderWay && isUnmanaged(kind, next, isRouted, sets)) return;
  // In the middle of a blue-green rollout the surge of a CloneSet holds all of its pods.
  if (!isUnderWay || blueGreen === undefined || isDeployment) hold(kind, next);
  const hash = isUnderWay ? undefined : sets[0]?.metadata.labels?.['pod-template-hash'];
  if (hash !== undefined) next.metadata.labels = { ...next.metadata.labels, [STABLE_REVISION]: hash };
  annotate(next, IN_PROGRESSING, JSON.stringify({ rolloutName: rollout.metadata.name }));
}

function rollsOut({ metadata, spec }: StoredObject, { kind, group }: ResourceKind, name: string): boolean {
  if (metadata.deletionTimestamp !== undefined || objectOrEmptyAt(spec).disabled === true) return false;
  const ref = objectOrEmptyAt(spec, 'workloadRef');
  return textOrEmptyAt(ref, 'apiVersion').startsWith(`${group}/`) && ref.kind === kind && ref.name === name;
}

/** The annotation, not the label of that name, requests a rollout, or prevents one. */
function isAnother(next: StoredObject, previous: StoredObject): boolean {
  const requested = next.metadata.annotations?.[ROLLOUT_ID] ?? '';
  if (requested !== '') return requested !== previous.metadata.annotations?.[ROLLOUT_ID];
  return !deepEqual(templateOf(next), templateOf(previous));
}

function templateOf({ spec }: StoredObject): JsonObject {
  const { metadata, ...template } = objectOrEmptyAt(spec, 'template');
  const { creationTimestamp: _none, ...kept } = objectOrEmptyAt(metadata);
  return { ...template, metadata: kept };
}

/** Rolls out without steps: nothing runs, or traffic would have to be split among more than two versions. */
function isUnmanaged(
  { kind }: ResourceKind,
  { spec, status }: StoredObject,
  isRouted: boolean,
  sets: readonly StoredObject[],
): boolean {
  const { replicas } = objectOrEmptyAt(spec);
  if (kind === 'DaemonSet' || (!isRouted && replicas !== 0)) return false;
  if (replicas === 0) return true;
  return kind === 'Deployment' ? sets.length !== 1 : numberOrZeroAt(status, 'updatedReplicas') !== replicas;
}

function setsWithPods(core: ApiCore, { metadata }: StoredObject): StoredObject[] {
  return core.store
    .list('replicasets.apps', metadata.namespace)
    .filter((set) => set.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true)
    .filter((set) => numberOrZeroAt(set, 'spec', 'replicas') > 0);
}

function annotate({ metadata }: StoredObject, key: string, value: string): void {
  metadata.annotations = { ...metadata.annotations, [key]: value };
}

function hold({ kind, group }: ResourceKind, next: StoredObject): void {
  const spec = objectOrEmptyAt(next, 'spec');
  if (kind === 'Deployment') {
    next.spec = { ...spec, paused: true };
    return;
  }
  const strategy = objectOrEmptyAt(spec, 'updateStrategy');
  if (kind === 'DaemonSet' && group === 'apps') {
    const original = next.metadata.annotations?.[ORIGINAL_UPDATE_TYPE] ?? textOrEmptyAt(strategy, 'type');
    annotate(next, ORIGINAL_UPDATE_TYPE, original);
    next.spec = { ...spec, updateStrategy: { ...strategy, type: 'OnDelete' } };
    return;
  }
  const partition = kind === 'CloneSet' ? '100%' : HOLD_ALL;
  const rollingUpdate = { ...objectOrEmptyAt(strategy, 'rollingUpdate'), partition };
  next.spec = { ...spec, updateStrategy: { ...strategy, rollingUpdate } };
}
