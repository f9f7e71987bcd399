import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { KubeNode } from '@/sandbox/controllers/objects/node';
import { isActive, isDeleting, isTerminal, type Pod, podCondition } from '@/sandbox/controllers/objects/pod';
import { timeText } from '@/sandbox/controllers/objects/time';
import { explain, type Misfit, misfits } from '@/sandbox/controllers/scheduler/fit';

const NAME = 'default-scheduler';
const SOURCE = { component: NAME, host: 'sandbox' };

/**
 * Binds each new pod to a node: of those with room the one with the fewest pods of the same owner, then of
 * all.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/
 */
export function runScheduler(manager: ControllerManager): void {
  /** Nodes of pods that are being bound, by uid of the pod. */
  const assumed = new Map<string, string>();
  const work = manager.register((key) => schedulePod(manager, assumed, key));
  const retryAll = () => {
    for (const pod of manager.pods.store.all()) if (isWaiting(pod)) work.add(keyOf(pod));
  };
  manager.pods.store.onChange(({ object, before }) => {
    if (object !== undefined && isWaiting(object)) work.add(keyOf(object));
    else assumed.delete((object ?? before)?.metadata.uid ?? '');
    // A pod that has ended leaves room for another.
    const hasLeft =
      object === undefined || (isTerminal(object) && before !== undefined && !isTerminal(before));
    if (hasLeft) retryAll();
  });
  manager.nodes.store.onChange(retryAll);
}

function isWaiting(pod: Pod): boolean {
  const { nodeName, schedulerName, schedulingGates } = pod.spec;
  const isOurs = (schedulerName ?? NAME) === NAME && (schedulingGates ?? []).length === 0;
  return isOurs && !nodeName && isActive(pod);
}

async function schedulePod(
  manager: ControllerManager,
  assumed: Map<string, string>,
  key: ObjectKey,
): Promise<void> {
  const pod = manager.pods.store.get(key);
  if (pod === undefined || !isWaiting(pod) || assumed.has(pod.metadata.uid)) return;
  const nodes = manager.nodes.store.all().filter((node) => !isDeleting(node));
  const byNode = podsByNode(manager, assumed);
  const verdicts = nodes.map((node) => misfits(pod, node, byNode.get(node.metadata.name) ?? []));
  const fitting = nodes.filter((_, index) => verdicts[index]?.length === 0);
  const node = fitting.toSorted(byCrowd(pod, byNode))[0];
  if (node === undefined) return postpone(manager, pod, verdicts);
  assumed.set(pod.metadata.uid, node.metadata.name);
  try {
    await bind(manager, pod, node);
  } catch (error) {
    assumed.delete(pod.metadata.uid);
    throw error;
  }
}

function podsByNode(manager: ControllerManager, assumed: ReadonlyMap<string, string>): Map<string, Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of manager.pods.store.all()) {
    const name = pod.spec.nodeName ?? assumed.get(pod.metadata.uid);
    if (!name) continue;
    const present = byNode.get(name);
    if (present === undefined) byNode.set(name, [pod]);
    else present.push(pod);
  }
  return byNode;
}

function byCrowd(pod: Pod, byNode: ReadonlyMap<string, Pod[]>): (a: KubeNode, b: KubeNode) => number {
  const owner = pod.metadata.ownerReferences?.[0]?.uid;
  const on = ({ metadata }: KubeNode) =>
    (byNode.get(metadata.name) ?? []).filter((other) => !isTerminal(other));
  const kin = (node: KubeNode) =>
    on(node).filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === owner).length;
  return (a, b) =>
    kin(a) - kin(b) || on(a).length - on(b).length || (a.metadata.name < b.metadata.name ? -1 : 1);
}

async function bind(manager: ControllerManager, pod: Pod, node: KubeNode): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  const target = { apiVersion: 'v1', kind: 'Node', name: node.metadata.name };
  const metadata = { name, uid, ...(namespace === undefined ? {} : { namespace }) };
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata, target };
  await manager.pods.as('kube-scheduler').post(pod, 'binding', binding);
  const message = `Successfully assigned ${namespace}/${name} to ${node.metadata.name}`;
  record(manager, pod, 'Normal', 'Scheduled', message);
}

async function postpone(
  manager: ControllerManager,
  pod: Pod,
  verdicts: readonly (readonly Misfit[])[],
): Promise<void> {
  const message = explain(verdicts);
  const present = podCondition(pod, 'PodScheduled');
  if (present?.status === 'False' && present.message === message) return;
  const lastTransitionTime =
    present?.status === 'False' ? present.lastTransitionTime : timeText(manager.now());
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    lastProbeTime: null,
    ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
  };
  const others = (pod.status.conditions ?? []).filter(({ type }) => type !== condition.type);
  const status = { ...pod.status, conditions: [...others, condition] };
  await manager.pods.as('kube-scheduler').replaceStatus({ ...pod, status });
  record(manager, pod, 'Warning', 'FailedScheduling', message);
}

function record(
  manager: ControllerManager,
  about: Pod,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): void {
  manager.events.record({ about, type, reason, message, source: SOURCE });
}
