import { objectsAt } from '@/lib/kube/read';
import { type KubeNode, matchesAffinity, untolerated } from '@/sandbox/controllers/objects/node';
import { isTerminal, type Pod, type PodSpec } from '@/sandbox/controllers/objects/pod';
import { parseQuantity } from '@/lib/kube/quantity';

/** Why a node can't take a pod, in the scheduler's words; `final` if evicting pods could not help. */
export interface Misfit {
  reason: string;
  final: boolean;
}

const UNSCHEDULABLE = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Empty: the node can take the pod. https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/ */
export function misfits(pod: Pod, node: KubeNode, onNode: readonly Pod[]): Misfit[] {
  const { spec } = pod;
  const tolerations = objectsAt(spec, 'tolerations');
  const repels = ['NoSchedule', 'NoExecute'];
  if (node.spec.unschedulable === true && untolerated([UNSCHEDULABLE], tolerations, repels) !== undefined)
    return [{ reason: 'node(s) were unschedulable', final: true }];
  if (untolerated(node.spec.taints ?? [], tolerations, repels) !== undefined)
    return [{ reason: 'node(s) had untolerated taint(s)', final: true }];
  if (!matchesAffinity(spec, node))
    return [{ reason: "node(s) didn't match Pod's node affinity/selector", final: true }];
  return shortages(pod, node, onNode);
}

function shortages(pod: Pod, node: KubeNode, onNode: readonly Pod[]): Misfit[] {
  const allocatable = amountsOf(node.status.allocatable);
  const present = onNode.filter((other) => !isTerminal(other));
  const taken = total(present.map(({ spec }) => requestsOf(spec)));
  const result: Misfit[] = [];
  const places = allocatable.get('pods');
  if (places !== undefined && (present.length + 1) * 1000 > places)
    result.push({ reason: 'Too many pods', final: false });
  for (const [name, amount] of requestsOf(pod.spec)) {
    const room = allocatable.get(name) ?? 0;
    if (amount > 0 && amount > room - (taken.get(name) ?? 0))
      result.push({ reason: `Insufficient ${name}`, final: amount > room });
  }
  return result;
}

/**
 * The scheduler's message when no node fits.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/scheduler/framework/types.go (FitError)
 */
export function explain(misfitsByNode: readonly (readonly Misfit[])[]): string {
  const nodes = misfitsByNode.length;
  if (nodes === 0) return 'no nodes available to schedule pods';
  const finals = misfitsByNode.filter((misfitsOfNode) => misfitsOfNode.some(({ final }) => final)).length;
  const preemption = counted([
    ...Array.from({ length: finals }, () => 'Preemption is not helpful for scheduling'),
    ...Array.from({ length: nodes - finals }, () => 'No preemption victims found for incoming pod'),
  ]);
  const reasons = counted(misfitsByNode.flat().map(({ reason }) => reason));
  return (
    `0/${nodes} nodes are available: ${reasons}. no new claims to deallocate, ` +
    `preemption: 0/${nodes} nodes are available: ${preemption}.`
  );
}

/** "2 Insufficient cpu, 1 Too many pods", in alphabetical order. */
function counted(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}

/** Amounts by the name of the resource, in thousandths of its unit. */
type Reserved = ReadonlyMap<string, number>;

/** Cached, since each new pod is compared with all others. */
const known = new WeakMap<PodSpec, Reserved>();

/** What the scheduler reserves for a pod: the sum over its containers. */
function requestsOf(spec: PodSpec): Reserved {
  const amounts =
    known.get(spec) ?? total(spec.containers.map(({ resources }) => amountsOf(resources?.requests)));
  known.set(spec, amounts);
  return amounts;
}

function amountsOf(quantities: Readonly<Record<string, number | string>> | undefined): Reserved {
  return new Map(
    Object.entries(quantities ?? {}).flatMap(([name, text]) => {
      const quantity = parseQuantity(text);
      if (quantity === undefined) return [];
      return [[name, Math.round(Number(quantity.digits) * 10 ** (quantity.exponent + 3))] as const];
    }),
  );
}

function total(all: readonly Reserved[]): Map<string, number> {
  const sum = new Map<string, number>();
  for (const amounts of all)
    for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0) + amount);
  return sum;
}
