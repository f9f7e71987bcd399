import { selectorText } from '@/sandbox/api/objects/scale';
import {
  type CloneSet,
  type CloneSetStatus,
  rollingOf,
} from '@/sandbox/controllers/kruise/clone-set/clone-set';
import { isAt } from '@/sandbox/controllers/kruise/clone-set/pods';
import { isChanging, isServing } from '@/sandbox/controllers/kruise/shared/in-place';
import { withoutZeros } from '@/sandbox/controllers/objects/amounts';
import { isReady, type Pod } from '@/sandbox/controllers/objects/pod';
import { timeText } from '@/sandbox/controllers/objects/time';
import { type Condition } from '@/sandbox/controllers/objects/workloads';
import { type ChosenRevisions } from '@/sandbox/controllers/stateful-set/revisions';

const ALWAYS_WRITTEN = [
  'replicas',
  'readyReplicas',
  'availableReplicas',
  'updatedReplicas',
  'updatedReadyReplicas',
  'collisionCount',
] as const;

/**
 * Once all pods are at the update revision it is the current one too, ready or not.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/cloneset/cloneset_status.go
 */
export function cloneSetStatus(
  set: CloneSet,
  { current, update, collisionCount }: ChosenRevisions,
  pods: readonly Pod[],
  now: number,
): CloneSetStatus {
  const { replicas, minReadySeconds, selector } = set.spec;
  const updated = pods.filter((pod) => isAt(pod, update.metadata.name));
  const countReady = (some: readonly Pod[]) => some.filter((pod) => isReady(pod) && !isChanging(pod)).length;
  const countServing = (some: readonly Pod[]) =>
    some.filter((pod) => isServing(pod, minReadySeconds, now)).length;
  const isStable = updated.length === pods.length && pods.length === replicas;
  const conditions = set.status?.conditions ?? firstConflict(pods, now);
  const status = {
    ...(conditions && { conditions }),
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: countReady(pods),
    availableReplicas: countServing(pods),
    updatedReplicas: updated.length,
    updatedReadyReplicas: countReady(updated),
    updatedAvailableReplicas: countServing(updated),
    expectedUpdatedReplicas: replicas - rollingOf(set).kept,
    currentRevision: (isStable ? update : current).metadata.name,
    updateRevision: update.metadata.name,
    collisionCount,
    labelSelector: selectorText(selector),
  };
  return withoutZeros(status, ALWAYS_WRITTEN);
}

/**
 * While the first pods start, the real controller and its kubelet write one of them at the same time: the
 * controller retries at once, and never removes this condition.
 */
function firstConflict(pods: readonly Pod[], now: number): Condition[] | undefined {
  const [pod] = pods;
  if (pod === undefined) return undefined;
  const message = `Operation cannot be fulfilled on pods "${pod.metadata.name}": the object has been modified; please apply your changes to the latest version and try again`;
  return [{ type: 'FailedUpdate', status: 'True', lastTransitionTime: timeText(now), message }];
}
