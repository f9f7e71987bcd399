import { daemonTolerations } from '@/sandbox/controllers/daemon-set/template';
import { matchesAffinity, targetNode, untolerated } from '@/sandbox/controllers/objects/node-fit';
import { type KubeNode } from '@/sandbox/controllers/objects/node';
import { isDeleting, isTerminal, type Pod } from '@/sandbox/controllers/objects/pod';
import { type DaemonSet } from '@/sandbox/controllers/objects/workloads';
import { byCreation } from '@/sandbox/controllers/revisions/order';
import { type ObjectChange } from '@/sandbox/controllers/engine/informer';
import { deepEqual } from '@/lib/kube/json';

/**
 * Whether the daemon should run on the node, and whether a running one may stay.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/daemon/daemon_controller.go (NodeShouldRunDaemonPod)
 */
export function suits(set: DaemonSet, node: KubeNode): { shouldRun: boolean; mayStay: boolean } {
  const { spec } = set.spec.template;
  const isOther = spec.nodeName !== undefined && spec.nodeName !== '' && spec.nodeName !== node.metadata.name;
  if (isOther || !matchesAffinity(spec, node)) return { shouldRun: false, mayStay: false };
  const taints = node.spec.taints ?? [];
  const tolerations = daemonTolerations(spec);
  const repelled = (effects: string[]) => untolerated(taints, tolerations, effects) !== undefined;
  return { shouldRun: !repelled(['NoExecute', 'NoSchedule']), mayStay: !repelled(['NoExecute']) };
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
export function byPlacement(a: Pod, b: Pod): number {
  return Number(!a.spec.nodeName) - Number(!b.spec.nodeName) || byCreation(a, b);
}

/** Nodes report all the time; only labels and taints decide where daemons run. */
export function changesPlacement({ object, before }: ObjectChange<KubeNode>): boolean {
  if (object === undefined || before === undefined) return true;
  const facts = ({ metadata, spec }: KubeNode) => ({ labels: metadata.labels, taints: spec.taints });
  return !deepEqual(facts(object), facts(before));
}
