import { deepEqual } from '@/lib/kube/json';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { claim, ownersConcerned } from '@/sandbox/controllers/engine/owners';
import { asError, errorText } from '@/sandbox/controllers/engine/resource';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { createPod, deletePod } from '@/sandbox/controllers/engine/pod-control';
import { controllerOf, isControlledBy } from '@/sandbox/controllers/objects/owner';
import {
  isActive,
  isDeleting,
  isTerminal,
  nextAvailableIn,
  type Pod,
  isAvailable,
  isReady,
} from '@/sandbox/controllers/objects/pod';
import {
  type ReplicaSet,
  type Condition,
  type ReplicaSetStatus,
} from '@/sandbox/controllers/objects/workloads';
import { podsToSpare } from '@/sandbox/controllers/replica-set/pod-ranking';
import { withoutZeros } from '@/sandbox/controllers/objects/amounts';
import { timeText } from '@/sandbox/controllers/objects/time';

const COMPONENT = 'replicaset-controller';
/** At most so many pods are created or deleted at a time. */
const BURST = 500;

/**
 * Maintains the desired number of pods of each ReplicaSet.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/replicaset/replica_set.go
 */
export function runReplicaSets(manager: ControllerManager): void {
  const work = manager.register((key) => syncReplicaSet(manager, work, key));
  manager.replicaSets.store.onChange(({ object, before }) => {
    const state = object ?? before;
    if (state !== undefined) work.add(keyOf(state));
  });
  manager.pods.store.onChange((change) => {
    for (const key of ownersConcerned(manager.replicaSets, change)) work.add(key);
  });
}

async function syncReplicaSet(manager: ControllerManager, work: Worklist, key: ObjectKey): Promise<void> {
  const set = manager.replicaSets.store.get(key);
  if (set === undefined) return;
  const selector = parseLabelSelector(set.spec.selector);
  const pods = manager.pods.store
    .inNamespace(set.metadata.namespace)
    .filter((pod) => controllerOf(pod) === undefined || isControlledBy(pod, set));
  const claimed = await claim({
    owner: set,
    owners: manager.replicaSets,
    resource: manager.pods,
    candidates: pods.filter(isActive),
  });
  const terminating = pods.filter(
    (pod) =>
      isDeleting(pod) &&
      !isTerminal(pod) &&
      isControlledBy(pod, set) &&
      matchesSelector(selector, pod.metadata.labels ?? {}),
  );
  let failure: Error | undefined;
  if (!isDeleting(set)) {
    try {
      await manageReplicas(manager, set, claimed);
    } catch (error) {
      failure = asError(error);
    }
  }
  const said = failure === undefined ? undefined : errorText(failure);
  await saveStatus(manager, set, { active: claimed, terminating, failure: said });
  if (failure !== undefined) throw failure;
  const waitMs = nextAvailableIn(claimed, set.spec.minReadySeconds, manager.now());
  if (waitMs !== undefined) work.addAfter(key, waitMs);
}

async function manageReplicas(
  manager: ControllerManager,
  set: ReplicaSet,
  active: readonly Pod[],
): Promise<void> {
  const missing = set.spec.replicas - active.length;
  if (missing > 0) {
    const slots = Array.from({ length: Math.min(missing, BURST) }, (_, index) => index);
    await manager.slowStart(slots, () => createPod(manager, COMPONENT, set, set.spec.template));
  } else if (missing < 0) {
    const count = Math.min(-missing, BURST);
    const spared = podsToSpare(active, relatedPods(manager, set), count, manager.now());
    await manager.each(spared, (pod) => deletePod(manager, COMPONENT, set, pod));
  }
}

/** Pods of all ReplicaSets with the same owner. */
function relatedPods(manager: ControllerManager, set: ReplicaSet): Pod[] {
  const owner = controllerOf(set);
  if (owner === undefined) return [];
  const selectors = manager.replicaSets.store
    .inNamespace(set.metadata.namespace)
    .filter((other) => controllerOf(other)?.uid === owner.uid)
    .map(({ spec }) => parseLabelSelector(spec.selector));
  return manager.pods.store
    .inNamespace(set.metadata.namespace)
    .filter(({ metadata }) => selectors.some((selector) => matchesSelector(selector, metadata.labels ?? {})));
}

async function saveStatus(
  manager: ControllerManager,
  set: ReplicaSet,
  observed: Parameters<typeof replicaSetStatus>[1],
): Promise<void> {
  const status = replicaSetStatus(set, observed, manager.now());
  if (!deepEqual(status, set.status)) await manager.replicaSets.replaceStatus({ ...set, status });
}

interface Observed {
  readonly active: readonly Pod[];
  readonly terminating: readonly Pod[];
  /** The error of creating or deleting pods. */
  readonly failure: string | undefined;
}

/**
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/replicaset/replica_set_utils.go (calculateStatus)
 */
function replicaSetStatus(
  { spec, metadata, status }: ReplicaSet,
  { active, terminating, failure }: Observed,
  now: number,
): ReplicaSetStatus {
  const ofTemplate = parseLabelSelector({ matchLabels: spec.template.metadata?.labels ?? {} });
  const counts = {
    replicas: active.length,
    fullyLabeledReplicas: active.filter((pod) => matchesSelector(ofTemplate, pod.metadata.labels ?? {}))
      .length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter((pod) => isAvailable(pod, spec.minReadySeconds, now)).length,
    terminatingReplicas: terminating.length,
  };
  const conditions = conditionsOf(status.conditions ?? [], active.length - spec.replicas, failure, now);
  return withoutZeros({ ...counts, observedGeneration: metadata.generation ?? 0, conditions }, [
    'replicas',
    'terminatingReplicas',
  ]);
}

/** A failure keeps its first message, until a sync succeeds. */
function conditionsOf(
  present: readonly Condition[],
  surplus: number,
  failure: string | undefined,
  now: number,
): Condition[] {
  const others = present.filter(({ type }) => type !== 'ReplicaFailure');
  if (failure === undefined) return others;
  if (others.length < present.length) return [...present];
  const reason = surplus < 0 ? 'FailedCreate' : 'FailedDelete';
  const lastTransitionTime = timeText(now);
  return [
    ...others,
    { type: 'ReplicaFailure', status: 'True', lastTransitionTime, reason, message: failure },
  ];
}
