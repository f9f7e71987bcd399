import { deepEqual, type JsonObject } from '@/lib/kube/json';
import { objectAt, objectsAt } from '@/lib/kube/read';
import { hashOf } from '@/sandbox/controllers/daemon-set/history';
import type { Pass } from '@/sandbox/controllers/pod-set/pod-set-controller';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { ObjectChange } from '@/sandbox/controllers/runtime/informer';
import { withoutZeros } from '@/sandbox/controllers/objects/amounts';
import { type KubeNode, matchesAffinity, targetNode, untolerated } from '@/sandbox/controllers/objects/node';
import {
  isAvailable,
  isDeleting,
  isReady,
  isTerminal,
  type Pod,
  type PodSpec,
  type PodTemplateSpec,
} from '@/sandbox/controllers/objects/pod';
import type { DaemonSet, DaemonSetStatus } from '@/sandbox/controllers/objects/workloads';
import type { Member } from '@/sandbox/engine/pod-set';
import { byCreation, REVISION_LABEL } from '@/sandbox/controllers/revisions/controller-revisions';

/**
 * Whether the daemon should run on the node, and whether a running one may stay.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/daemon/daemon_controller.go (NodeShouldRunDaemonPod)
 */
function suits(set: DaemonSet, node: KubeNode): { shouldRun: boolean; mayStay: boolean } {
  const { spec } = set.spec.template;
  const isOther = spec.nodeName !== undefined && spec.nodeName !== '' && spec.nodeName !== node.metadata.name;
  if (isOther || !matchesAffinity(spec, node)) return { shouldRun: false, mayStay: false };
  const taints = node.spec.taints ?? [];
  const tolerations = daemonTolerations(spec);
  const repelled = (effects: string[]) => untolerated(taints, tolerations, effects) !== undefined;
  return { shouldRun: !repelled(['NoExecute', 'NoSchedule']), mayStay: !repelled(['NoExecute']) };
}

/** Which nodes should have a pod, and which may keep the one that they have. */
export function findPlaces(
  { manager, set }: Pass<DaemonSet>,
  members: readonly Member<Pod>[],
): { places: string[]; desired: number } {
  const occupied = new Set(members.map(({ place }) => place));
  const nodes = manager.nodes.store.all().map((node) => ({ name: node.metadata.name, ...suits(set, node) }));
  const places = nodes.filter(({ name, shouldRun, mayStay }) => shouldRun || (mayStay && occupied.has(name)));
  return {
    places: places.map(({ name }) => name),
    desired: nodes.filter(({ shouldRun }) => shouldRun).length,
  };
}

/** Calls back when a node changes where daemons run. */
export function watchPlaces({ nodes }: Pick<ControllerManager, 'nodes'>, onChange: () => void): void {
  nodes.store.onChange((change) => {
    if (changesPlacement(change)) onChange();
  });
}

/**
 * Pods of the set by the node that they run on or are created for; terminating pods that have ended are left
 * out.
 */
export function podsByNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = isTerminal(pod) && isDeleting(pod) ? undefined : targetNode(pod.spec);
    if (node !== undefined) byNode.set(node, [...(byNode.get(node) ?? []), pod]);
  }
  return byNode;
}

/** Those on a node first, then the older. */
function byPlacement(a: Pod, b: Pod): number {
  return Number(!a.spec.nodeName) - Number(!b.spec.nodeName) || byCreation(a, b);
}

/** Nodes report all the time; only labels and taints decide where daemons run. */
function changesPlacement({ object, before }: ObjectChange<KubeNode>): boolean {
  if (object === undefined || before === undefined) return true;
  const facts = ({ metadata, spec }: KubeNode) => ({ labels: metadata.labels, taints: spec.taints });
  return !deepEqual(facts(object), facts(before));
}

const GENERATION_LABEL = 'pod-template-generation';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/** The template of the pods, with the labels of their revision and the tolerations of daemons. */
export function daemonTemplate(set: DaemonSet, hash: string): PodTemplateSpec {
  const { metadata, spec } = set.spec.template;
  // The API server counts changes of the template in an annotation.
  const generation = set.metadata.annotations?.['deprecated.daemonset.template.generation'];
  const labels: Record<string, string> = { ...metadata?.labels, [REVISION_LABEL]: hash };
  if (generation !== undefined) labels[GENERATION_LABEL] = generation;
  return { metadata: { ...metadata, labels }, spec: { ...spec, tolerations: daemonTolerations(spec) } };
}

/** Bound to one node by an affinity, so that the scheduler still checks whether the pod fits. */
export function forNode({ metadata, spec }: PodTemplateSpec, node: string): PodTemplateSpec {
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  const nodeAffinity = {
    ...objectAt(spec.affinity, 'nodeAffinity'),
    [REQUIRED]: { ...objectAt(spec.affinity, 'nodeAffinity', REQUIRED), nodeSelectorTerms: [term] },
  };
  return { metadata, spec: { ...spec, affinity: { ...spec.affinity, nodeAffinity } } };
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#taints-and-tolerations */
function daemonTolerations(spec: PodSpec): JsonObject[] {
  const added = [
    toleration('not-ready', 'NoExecute'),
    toleration('unreachable', 'NoExecute'),
    toleration('disk-pressure', 'NoSchedule'),
    toleration('memory-pressure', 'NoSchedule'),
    toleration('pid-pressure', 'NoSchedule'),
    toleration('unschedulable', 'NoSchedule'),
    ...(spec.hostNetwork === true ? [toleration('network-unavailable', 'NoSchedule')] : []),
  ];
  const present = objectsAt(spec, 'tolerations');
  const isSame = (a: JsonObject, b: JsonObject) =>
    a.key === b.key &&
    a.effect === b.effect &&
    a.operator === b.operator &&
    (a.value ?? '') === (b.value ?? '');
  const replaced = present.map((own) => added.find((other) => isSame(other, own)) ?? own);
  return [...replaced, ...added.filter((other) => !present.some((own) => isSame(other, own)))];
}

function toleration(taint: string, effect: string): JsonObject {
  return { key: `node.kubernetes.io/${taint}`, operator: 'Exists', effect };
}

const ALWAYS_WRITTEN = [
  'currentNumberScheduled',
  'desiredNumberScheduled',
  'numberMisscheduled',
  'numberReady',
  'collisionCount',
] as const;

/** https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/daemon/daemon_controller.go (updateDaemonSetStatus) */
export function daemonSetStatus(
  set: DaemonSet,
  nodes: readonly KubeNode[],
  byNode: ReadonlyMap<string, Pod[]>,
  hash: string,
  now: number,
): DaemonSetStatus {
  const podsOn = (node: KubeNode) => byNode.get(node.metadata.name) ?? [];
  const desired = nodes.filter((node) => suits(set, node).shouldRun);
  const misplaced = nodes.filter((node) => podsOn(node).length > 0 && !suits(set, node).shouldRun);
  const counted = desired.flatMap((node) => podsOn(node).toSorted(byPlacement)[0] ?? []);
  const available = counted.filter((pod) => isAvailable(pod, set.spec.minReadySeconds, now)).length;
  const status: DaemonSetStatus = {
    ...set.status,
    observedGeneration: set.metadata.generation ?? 0,
    desiredNumberScheduled: desired.length,
    currentNumberScheduled: counted.length,
    numberMisscheduled: misplaced.length,
    numberReady: counted.filter(isReady).length,
    updatedNumberScheduled: counted.filter((pod) => hashOf(pod) === hash).length,
    numberAvailable: available,
    numberUnavailable: desired.length - available,
  };
  return withoutZeros(status, ALWAYS_WRITTEN);
}
