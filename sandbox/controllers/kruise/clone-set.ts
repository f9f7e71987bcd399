import { countKept } from '@/sandbox/controllers/objects/amounts';
import { resolveAmount } from '@/lib/kube/amount';
import { selectorText } from '@/sandbox/api/objects/scale';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import { podDraft } from '@/sandbox/controllers/runtime/pod-control';
import { hashPart } from '@/sandbox/controllers/kruise/rollout/workload';
import { isActive, isAvailable, isReady, type Pod } from '@/sandbox/controllers/objects/pod';
import { timeText } from '@/sandbox/controllers/objects/time';
import type { Condition, IntOrString } from '@/sandbox/controllers/objects/workloads';
import { readInPlace, withGate } from '@/sandbox/controllers/pod-set/in-place';
import {
  type Pass,
  type PodSet,
  type PodSetStrategy,
  runPodSets,
} from '@/sandbox/controllers/pod-set/pod-set-controller';
import { podsToSpare } from '@/sandbox/controllers/replica-set/replica-set-controller';
import { REVISION_LABEL } from '@/sandbox/controllers/revisions/controller-revisions';
import { fnv1a, safeEncode } from '@/sandbox/controllers/revisions/hash';
import { moveByNumber } from '@/sandbox/engine/pod-set';

interface CloneSet extends PodSet {
  spec: PodSet['spec'] & {
    replicas: number;
    scaleStrategy?: { podsToDelete?: string[] };
    updateStrategy?: Rules & { type?: string; rollingUpdate?: Rules & { podUpdatePolicy?: string } };
  };
  status: PodSet['status'] & { conditions?: Condition[] };
}

type Rules = {
  partition?: IntOrString | null;
  paused?: boolean;
  maxUnavailable?: IntOrString;
  maxSurge?: IntOrString;
};

const INSTANCE_LABEL = 'apps.kruise.io/cloneset-instance-id';
const SPECIFIED_DELETE = 'apps.kruise.io/specified-delete';
const ID_LENGTH = 5;

export function runCloneSets(manager: ControllerManager): void {
  runPodSets(manager, cloneSets);
}

/**
 * A number of pods of any names.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/cloneset/cloneset_controller.go
 */
const cloneSets: PodSetStrategy<CloneSet> = {
  kind: 'clonesets.apps.kruise.io',
  component: 'cloneset-controller',
  placeOf: () => '',
  sort: (pods, now) => podsToSpare(pods.filter(isActive), pods, pods.length, now),
  isNamed: ({ spec }, { metadata }) =>
    metadata.labels?.[SPECIFIED_DELETE] === 'true' ||
    spec.scaleStrategy?.podsToDelete?.includes(metadata.name) === true,
  plan: ({ set }, members) => moveByNumber(readPolicy(set), members),
  inPlace: ({ spec }) =>
    readInPlace(spec.updateStrategy?.rollingUpdate?.podUpdatePolicy ?? spec.updateStrategy?.type),
  revisionLabels: ({ metadata: { name } }) => ({
    [REVISION_LABEL]: name,
    'pod-template-hash': hashPart(name),
  }),
  draft: ({ manager, set, now }, { template, index }) => {
    const { metadata, spec } = podDraft(set, template);
    const id = findFreeId(manager, set, `${set.metadata.uid} ${now} ${index}`);
    const state = { 'lifecycle.apps.kruise.io/state': 'Normal' };
    const labels = { ...template.metadata?.labels, [INSTANCE_LABEL]: id, ...state };
    const annotations = {
      ...template.metadata?.annotations,
      'lifecycle.apps.kruise.io/timestamp': timeText(now),
    };
    const name = `${set.metadata.name}-${id}`;
    return { metadata: { ...metadata, name, labels, annotations }, spec: withGate(spec) };
  },
  status: reportStatus,
};

/** v1beta1 has the rules one level deeper than v1alpha1; a server without conversion stores them as they were written. */
function readPolicy({ spec }: CloneSet) {
  const { type, rollingUpdate, ...flat } = spec.updateStrategy ?? {};
  const { partition, paused, maxSurge = 0, maxUnavailable = '20%' }: Rules = { ...flat, ...rollingUpdate };
  const surge = resolveAmount(maxSurge, spec.replicas, Math.ceil);
  return {
    replicas: spec.replicas,
    kept: countKept(partition, spec.replicas),
    surge,
    unavailable: resolveAmount(maxUnavailable, spec.replicas, surge === 0 ? Math.ceil : Math.floor),
    isHeld: paused === true || type === 'OnDelete',
  };
}

/** One that no pod has, different each time, and the same for the same history. */
function findFreeId({ pods }: ControllerManager, { metadata }: CloneSet, seed: string): string {
  for (let attempt = 0; ; attempt += 1) {
    const hash = fnv1a(Buffer.from(`${seed} ${attempt}`));
    const id = safeEncode(String(hash).padStart(ID_LENGTH, '0')).slice(-ID_LENGTH);
    if (pods.store.get(`${metadata.namespace ?? '-'}/${metadata.name}-${id}`) === undefined) return id;
  }
}

/** Once all pods are at the update revision it is the current one too, ready or not. */
function reportStatus({ set, revisions, now }: Pass<CloneSet>, all: readonly Pod[]): CloneSet['status'] {
  const { replicas, minReadySeconds, selector } = set.spec;
  const { current, update, collisionCount } = revisions;
  const pods = all.filter(isActive);
  const updated = pods.filter(({ metadata }) => metadata.labels?.[REVISION_LABEL] === update.metadata.name);
  const countAvailable = (some: readonly Pod[]) =>
    some.filter((pod) => isAvailable(pod, minReadySeconds, now)).length;
  const isComplete = updated.length === pods.length && pods.length === replicas;
  const conditions = set.status.conditions ?? describeFirstConflict(pods, now);
  return {
    ...(conditions && { conditions }),
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: pods.filter(isReady).length,
    availableReplicas: countAvailable(pods),
    updatedReplicas: updated.length,
    updatedReadyReplicas: updated.filter(isReady).length,
    updatedAvailableReplicas: countAvailable(updated),
    expectedUpdatedReplicas: replicas - readPolicy(set).kept,
    currentRevision: (isComplete ? update : current).metadata.name,
    updateRevision: update.metadata.name,
    collisionCount,
    labelSelector: selectorText(selector),
  };
}

/**
 * While the first pods start, the real controller and its kubelet write one of them at the same time: the
 * controller retries at once, and never removes this condition.
 */
function describeFirstConflict([pod]: readonly Pod[], now: number): Condition[] | undefined {
  if (pod === undefined) return undefined;
  const message = `Operation cannot be fulfilled on pods "${pod.metadata.name}": the object has been modified; please apply your changes to the latest version and try again`;
  return [{ type: 'FailedUpdate', status: 'True', lastTransitionTime: timeText(now), message }];
}
