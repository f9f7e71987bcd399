import { byPlacement, suits } from '@/sandbox/controllers/daemon-set/placement';
import { hashOf } from '@/sandbox/controllers/daemon-set/history';
import { withoutZeros } from '@/sandbox/controllers/objects/amounts';
import { type KubeNode } from '@/sandbox/controllers/objects/node';
import { isAvailable, isReady, type Pod } from '@/sandbox/controllers/objects/pod';
import { type DaemonSet, type DaemonSetStatus } from '@/sandbox/controllers/objects/workloads';

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
