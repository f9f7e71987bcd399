import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { controllerUidOf, type KubeObject } from '@/lib/kube/object';
import type { PodSummary } from '@/lib/history/pod';
import type { PodBlock } from '@/lib/api/pods';
import { conditionAt, numberAt, objectAt, objectsAt, textAt, valueAt } from '@/lib/kube/read';

const IMAGE_REASONS = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);

const CONFIG_REASONS = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'StartError',
  'ContainerCannotRun',
  'PreCreateHookError',
  'PreStartHookError',
  'PostStartHookError',
]);

/** So many restarts are a loop also while the container happens to run. */
export const LOOP_RESTARTS = 3;

/** A pod as the cache stores it. */
export function podSummaryOf(pod: KubeObject): PodSummary {
  const { metadata, status } = pod;
  const ready = conditionAt(status, 'Ready');
  const isReady = ready?.status === 'True';
  return {
    uid: metadata.uid,
    namespace: metadata.namespace ?? '-',
    name: metadata.name,
    controllerUid: controllerUidOf(pod) ?? null,
    node: textAt(pod.spec, 'nodeName') ?? null,
    ip: textAt(status, 'podIP') ?? null,
    phase: textAt(status, 'phase') ?? 'Unknown',
    ready: isReady,
    readyAt: isReady ? (textAt(ready, 'lastTransitionTime') ?? null) : null,
    createdAt: metadata.creationTimestamp,
    startedAt: textAt(status, 'startTime') ?? null,
    deletedAt: metadata.deletionTimestamp ?? null,
    restarts: [
      ...containerStatusesOf(pod, 'containerStatuses'),
      ...containerStatusesOf(pod, 'initContainerStatuses'),
    ].reduce((sum, container) => sum + (numberAt(container, 'restartCount') ?? 0), 0),
    revisionLabel: metadata.labels?.['controller-revision-hash'] ?? null,
    templateGeneration: metadata.labels?.['pod-template-generation'] ?? null,
    images: podImages(pod),
    block: podBlockOf(pod),
  };
}

/**
 * Why a pod is not ready, by its own status; null when it is ready, has finished, or ends normally. A pod
 * that is merely starting (kinds `notStarted`, `readiness`, a running init container) has a block too: {@link
 * isPersistentBlock} decides whether something is really wrong.
 * https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
 */
export function podBlockOf(pod: KubeObject): PodBlock | null {
  if (pod.metadata.deletionTimestamp !== undefined)
    return terminatingBlock(pod, pod.metadata.deletionTimestamp);
  const phase = textAt(pod.status, 'phase');
  if (phase === 'Succeeded' || conditionAt(pod.status, 'Ready')?.status === 'True') return null;
  if (phase === 'Failed') return failedBlock(pod);
  return unscheduledBlock(pod) ?? worstContainerBlock(pod) ?? notReadyBlock(pod);
}

/**
 * Whether the block is evidence that the pod will not become ready by itself, as opposed to not being ready
 * yet.
 */
export function isPersistentBlock(block: PodBlock): boolean {
  switch (block.kind) {
    case 'imagePull':
    case 'configError':
    case 'unschedulable':
    case 'failed':
      return true;
    case 'crashLoop':
      return block.reason === 'CrashLoopBackOff' || block.restarts >= LOOP_RESTARTS;
    case 'init':
      return (
        block.reason === 'CrashLoopBackOff' ||
        (block.lastTermination !== null && block.restarts >= LOOP_RESTARTS)
      );
    case 'terminating':
    case 'gated':
    case 'volume':
    case 'readiness':
    case 'notStarted':
    case 'pulling':
      return false;
  }
}

/** `since` contains the grace period: a pod that is still there a minute later is late, whatever the cause. */
function terminatingBlock(pod: KubeObject, since: string): PodBlock {
  const finalizers = pod.metadata.finalizers ?? [];
  if (finalizers.length > 0)
    return blockWithoutContainer('terminating', 'Finalizers', `held by ${finalizers.join(', ')}`, since);
  if (isNodeLost(pod))
    return blockWithoutContainer('terminating', 'NodeLost', textAt(pod.status, 'message') ?? null, since);
  return blockWithoutContainer('terminating', 'Terminating', null, since);
}

/**
 * The node lifecycle controller taints a node that does not respond, and the pods on it are deleted for that; the kubelet
 * cannot confirm the deletion. Versions before 1.29 reported the reason NodeLost, or an unknown readiness.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-based-evictions
 */
function isNodeLost({ status }: KubeObject): boolean {
  const disruption = conditionAt(status, 'DisruptionTarget');
  return (
    (disruption?.status === 'True' && disruption.reason === 'DeletionByTaintManager') ||
    textAt(status, 'reason') === 'NodeLost' ||
    conditionAt(status, 'Ready')?.status === 'Unknown'
  );
}

function failedBlock(pod: KubeObject): PodBlock {
  const last = containerStatusesOf(pod, 'containerStatuses')
    .map((container) => terminationOf(objectAt(container, 'state', 'terminated')))
    .find((termination) => termination !== null);
  return {
    ...blockWithoutContainer(
      'failed',
      textAt(pod.status, 'reason') ?? 'Failed',
      textAt(pod.status, 'message') ?? null,
      null,
    ),
    since: last?.finishedAt ?? null,
    lastTermination: last ?? null,
  };
}

function unscheduledBlock(pod: KubeObject): PodBlock | null {
  const condition = conditionAt(pod.status, 'PodScheduled');
  if (condition?.status !== 'False') return null;
  const message = textAt(condition, 'message') ?? null;
  return blockWithoutContainer(
    condition.reason === 'SchedulingGated' ? 'gated' : isAboutVolume(message) ? 'volume' : 'unschedulable',
    textAt(condition, 'reason') ?? 'Unschedulable',
    message,
    textAt(condition, 'lastTransitionTime') ?? null,
  );
}

function isAboutVolume(message: string | null): boolean {
  return /persistentvolumeclaim|volume node affinity|volume binding|unbound immediate/i.test(message ?? '');
}

/**
 * An init container that always restarts is a sidecar: it never finishes, and its readiness counts as that of the others.
 * https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/
 */
function worstContainerBlock(pod: KubeObject): PodBlock | null {
  const sidecars = new Set(
    objectsAt(pod.spec, 'initContainers')
      .filter(({ restartPolicy }) => restartPolicy === 'Always')
      .map(({ name }) => name),
  );
  const initial = containerStatusesOf(pod, 'initContainerStatuses');
  const [asSidecars, asInit] = [
    initial.filter(({ name }) => sidecars.has(name)),
    initial.filter(({ name }) => !sidecars.has(name)),
  ];
  const blocks = [
    ...asInit.map((container) => containerBlock(pod, container, true)),
    ...[...asSidecars, ...containerStatusesOf(pod, 'containerStatuses')].map((container) =>
      containerBlock(pod, container, false),
    ),
  ].filter((block) => block !== null);
  return (
    blocks.find(isPersistentBlock) ?? blocks.find((block) => block.kind === 'crashLoop') ?? blocks[0] ?? null
  );
}

function containerBlock(pod: KubeObject, container: JsonObject, isInit: boolean): PodBlock | null {
  const restarts = numberAt(container, 'restartCount') ?? 0;
  const waiting = objectAt(container, 'state', 'waiting');
  const terminated = objectAt(container, 'state', 'terminated');
  const last = terminationOf(terminated) ?? terminationOf(objectAt(container, 'lastState', 'terminated'));
  const block = (kind: PodBlock['kind'], reason: string, message: Json | undefined): PodBlock => ({
    kind,
    container: textAt(container, 'name') ?? null,
    reason,
    message: typeof message === 'string' ? message : null,
    since: notReadySince(pod),
    restarts,
    lastTermination: last,
  });
  const crash: PodBlock['kind'] = isInit ? 'init' : 'crashLoop';
  if (waiting !== undefined) {
    const reason = textAt(waiting, 'reason') ?? 'Waiting';
    if (IMAGE_REASONS.has(reason)) return block('imagePull', reason, waiting.message);
    if (CONFIG_REASONS.has(reason)) return block('configError', reason, waiting.message);
    if (reason === 'CrashLoopBackOff') return block(crash, reason, waiting.message);
    return isInit ? null : block('notStarted', reason, waiting.message);
  }
  if (terminated !== undefined) {
    const isDone = isInit && numberAt(terminated, 'exitCode') === 0;
    return isDone ? null : block(crash, textAt(terminated, 'reason') ?? 'Terminated', terminated.message);
  }
  if (container.ready === true) return null;
  if (isInit) return block('init', last?.reason ?? 'Running', null);
  if (restarts >= LOOP_RESTARTS && last !== null) return block('crashLoop', last.reason ?? 'Error', null);
  const condition = conditionAt(pod.status, 'Ready');
  return {
    ...block('readiness', textAt(condition, 'reason') ?? 'NotReady', condition?.message),
    since: textAt(container, 'state', 'running', 'startedAt') ?? notReadySince(pod),
  };
}

/** No container is reported: not started yet, or held by a readiness gate. */
function notReadyBlock(pod: KubeObject): PodBlock {
  const ready = conditionAt(pod.status, 'Ready');
  const message = textAt(ready, 'message') ?? null;
  if (textAt(pod.status, 'phase') === 'Running')
    return blockWithoutContainer(
      'readiness',
      textAt(ready, 'reason') ?? 'NotReady',
      message,
      notReadySince(pod),
    );
  const scheduledAt = textAt(conditionAt(pod.status, 'PodScheduled'), 'lastTransitionTime');
  return blockWithoutContainer(
    'notStarted',
    textAt(pod.status, 'reason') ?? 'Pending',
    message,
    scheduledAt ?? null,
  );
}

function notReadySince(pod: KubeObject): string | null {
  const ready = conditionAt(pod.status, 'Ready');
  return ready?.status === 'False' ? (textAt(ready, 'lastTransitionTime') ?? null) : null;
}

function terminationOf(terminated: JsonObject | undefined): PodBlock['lastTermination'] {
  if (terminated === undefined) return null;
  return {
    reason: textAt(terminated, 'reason') ?? null,
    exitCode: numberAt(terminated, 'exitCode') ?? null,
    finishedAt: textAt(terminated, 'finishedAt') ?? null,
  };
}

function blockWithoutContainer(
  kind: PodBlock['kind'],
  reason: string,
  message: string | null,
  since: string | null,
): PodBlock {
  return { kind, container: null, reason, message, since, restarts: 0, lastTermination: null };
}

function containerStatusesOf(
  pod: KubeObject,
  list: 'containerStatuses' | 'initContainerStatuses',
): JsonObject[] {
  return objectsAt(pod.status, list);
}

/** Images by the spec; the id is that of the running container. */
function podImages(pod: KubeObject): PodSummary['images'] {
  const ids = new Map(
    containerStatusesOf(pod, 'containerStatuses').map((container) => [
      container.name,
      textAt(container, 'imageID'),
    ]),
  );
  const containers = valueAt(pod.spec, 'containers');
  return (Array.isArray(containers) ? containers.filter(isJsonObject) : []).map((container) => ({
    container: textAt(container, 'name') ?? '',
    image: textAt(container, 'image') ?? '',
    imageId: ids.get(container.name) || null,
  }));
}
