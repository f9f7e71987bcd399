import {
  type Capacity,
  capacityHeld,
  capacityOf,
  readyCountOf,
  servingAtLeast,
} from '@/lib/workloads/capacity';
import type { PlanResult, RollbackInput } from '@/lib/workloads/kind';
import { checkRollbackDuringRollout } from '@/lib/workloads/kruise/rollout-checks';
import type { Finding } from '@/lib/workloads/plan';
import type { PodSummary } from '@/lib/history/pod';
import { objectAt, objectsAt, textAt, valueAt } from '@/lib/kube/read';
import { resolveAmount } from '@/lib/kube/amount';
import type { ResourceType } from '@/lib/kube/resource';
import { checkPodsToDelete, checkRollback, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import {
  checkEncoding,
  describeNumbering,
  OTHER_OBJECTS_STAY,
  rollbackPlan,
} from '@/lib/workloads/rollback-plan';
import {
  findBlockingPod,
  desiredOf,
  findHeldPods,
  indexOf,
  isOrdered,
  sortByOrdinal,
  partitionOf,
  strategyOf,
} from '@/lib/workloads/stateful-set/ordinals';
import { formatResult, formatTarget, carrierOf } from '@/lib/workloads/rollback-target';
import { formatCount, formatList, formatNames } from '@/lib/format/text';

/** Rollback of a StatefulSet; it does not change annotations, as in kubectl. */
export function planStatefulSetRollback(resource: ResourceType, input: RollbackInput): PlanResult {
  const findings = [
    ...checkRollback(input),
    ...checkRollbackDuringRollout(input, isStable(input)),
    ...checkClaimTemplates(input),
    ...checkPartition(input),
    ...(strategyOf(input.workload) === 'OnDelete' ? checkPodsToDelete(input, otherPods(input)) : []),
    ...checkOrder(input),
    ...checkEncoding(input),
  ];
  return unlessRefused(findings, () =>
    rollbackPlan(resource, input, {
      steps: [...describePodChanges(input), describeNumbering(input, carrierOf(input.history, input.to))],
      stays: [
        `Replicas (${desiredOf(input.workload)}), the update strategy and its partition are unchanged.`,
        'Volume claim templates, claims and their data are not rolled back.',
        'Labels and annotations are unchanged, including kubernetes.io/change-cause.',
        OTHER_OBJECTS_STAY,
      ],
      capacity: capacity(input),
    }),
  );
}

/**
 * Containers mount the claims of the set by the names of its claim templates, which no revision records: a
 * recreated set may have others, and the API server does not check.
 * https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#volume-claim-templates
 */
export function checkClaimTemplates({ workload, template, to }: RollbackInput): Finding[] {
  const spec = objectAt(template, 'spec');
  const known = new Set(
    [
      ...objectsAt(spec, 'volumes').map((volume) => textAt(volume, 'name')),
      ...objectsAt(workload.spec, 'volumeClaimTemplates').map((claim) => textAt(claim, 'metadata', 'name')),
    ].filter((name) => name !== undefined),
  );
  const used = ['initContainers', 'containers'].flatMap((list) =>
    objectsAt(spec, list).flatMap((container) => [
      ...objectsAt(container, 'volumeMounts').map((mount) => textAt(mount, 'name')),
      ...objectsAt(container, 'volumeDevices').map((device) => textAt(device, 'name')),
    ]),
  );
  const missing = [...new Set(used)].filter((name) => name !== undefined && !known.has(name));
  return refuseIf(
    missing.length > 0,
    'missing_claim_template',
    `The template of revision ${formatTarget(to)} mounts ${formatList(missing.map(String), 6)}, but ${workload.name} has no such volume or volume claim template: no pod could be created.`,
    'Choose another revision, or recreate the StatefulSet with that claim template.',
  );
}

/** Whether the rollout would have started from the revision. */
function isStable({ history, to }: RollbackInput): boolean | null {
  const current = history.revisions.find((revision) => revision.current);
  if (current === undefined) return null;
  return !current.target && carrierOf(history, to)?.id === current.id;
}

function checkPartition({ workload, history, pods, to }: RollbackInput): Finding[] {
  const partition = partitionOf(workload);
  const podsHeld = findHeldPods(workload, history, pods, carrierOf(history, to)?.id ?? '');
  if (partition === 0 || podsHeld.length === 0) return [];
  const names = formatNames(podsHeld);
  return [
    {
      severity: 'warning',
      code: 'partition_holds',
      message: `Partition ${partition} holds ${names}: ${podsHeld.length === 1 ? 'it is' : 'they are'} not rolled back to revision ${formatResult({ history, to })}.`,
      action: `Set the partition to 0 afterwards to roll ${podsHeld.length === 1 ? 'it' : 'them'} back too.`,
    },
  ];
}

function checkOrder({ workload, history, pods, to }: RollbackInput): Finding[] {
  const pod = findBlockingPod(workload, history, pods, carrierOf(history, to)?.id ?? '');
  if (pod === null) return [];
  return [
    {
      severity: 'warning',
      code: 'ordered_stuck',
      message: `Pod ${pod.name} is not ready and blocks the rollback: an ordered StatefulSet waits for it instead of replacing it.`,
      action: `Delete ${pod.name} after the rollback.`,
    },
  ];
}

/** Active pods that do not run the revision, the highest index first: the order of an update. */
function otherPods({ workload, history, pods, to }: RollbackInput): PodSummary[] {
  const id = carrierOf(history, to)?.id ?? '';
  return sortByOrdinal(workload, pods)
    .filter((pod) => history.revisionOfPod.get(pod.uid)?.id !== id)
    .reverse();
}

/**
 * A set in parallel order does not count pods that are not ready anyway before it replaces a ready one.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_control.go
 */
function capacity(input: RollbackInput): Capacity {
  const { workload, pods } = input;
  const others = otherPods(input);
  const partition = partitionOf(workload);
  if (strategyOf(workload) === 'OnDelete') return capacityHeld(others.length, 'to delete (OnDelete)');
  const replaced = others.filter((pod) => (indexOf(workload, pod.name) ?? 0) >= partition).length;
  const limit = valueAt(workload.spec, 'updateStrategy', 'rollingUpdate', 'maxUnavailable') ?? 1;
  const desired = desiredOf(workload);
  const unavailable = Math.max(1, resolveAmount(limit, desired, Math.ceil));
  const ready = readyCountOf(pods);
  return capacityOf({
    replaced,
    held: { count: others.length - replaced, by: `held by partition ${partition}` },
    serving: isOrdered(workload)
      ? servingAtLeast(ready, desired, unavailable)
      : Math.max(0, ready - unavailable),
  });
}

function describePodChanges(input: RollbackInput): string[] {
  const { workload, history, pods, to } = input;
  const others = otherPods(input);
  const on = formatResult(input);
  if (strategyOf(workload) === 'OnDelete')
    return [`No pod restarts. Pods that you delete are recreated with revision ${on}.`];
  const movingPods = others.filter((pod) => (indexOf(workload, pod.name) ?? 0) >= partitionOf(workload));
  if (movingPods.length === 0) return ['No pod restarts.'];
  const names = formatNames(movingPods);
  const untouched = sortByOrdinal(workload, pods).length - movingPods.length;
  const order =
    movingPods.length === 1
      ? `${names} is replaced by a pod of revision ${on}.`
      : `${formatCount(movingPods.length, 'pod')} are replaced by pods of revision ${on}, highest ordinal first: ${names}. Each waits until the previous one is ready.`;
  const blocking = findBlockingPod(workload, history, pods, carrierOf(history, to)?.id ?? '');
  return [
    ...(blocking === null ? [] : [`No pod is replaced until ${blocking.name} is ready or deleted.`]),
    untouched === 0
      ? order
      : `${order} ${formatCount(untouched, 'other pod')} ${untouched === 1 ? 'keeps' : 'keep'} running.`,
  ];
}
