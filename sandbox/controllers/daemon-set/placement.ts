import { leeway, type Moves } from '@/sandbox/controllers/daemon-set/rolling-update';
import { daemonTolerations, HASH_LABEL } from '@/sandbox/controllers/daemon-set/template';
import { matchesAffinity, targetNode, untolerated } from '@/sandbox/controllers/objects/node-fit';
import { type KubeNode } from '@/sandbox/controllers/objects/node';
import { isAvailable, isDeleting, isReady, isTerminal, type Pod } from '@/sandbox/controllers/objects/pod';
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

/** Creates one pod on every node that should have one, and deletes surplus, misplaced and ended ones. */
export function missingAndSurplus(
  set: DaemonSet,
  nodes: readonly KubeNode[],
  byNode: ReadonlyMap<string, Pod[]>,
  hash: string,
  now: number,
): Moves {
  const moves: Moves = { removed: [], nodes: [] };
  for (const node of nodes) {
    const { shouldRun, mayStay } = suits(set, node);
    const pods = byNode.get(node.metadata.name);
    if (shouldRun && pods === undefined) moves.nodes.push(node.metadata.name);
    else if (mayStay && pods !== undefined) {
      const { removed, isEmpty } = surplusOn(set, pods, hash, now);
      moves.removed.push(...removed);
      if (isEmpty && shouldRun) moves.nodes.push(node.metadata.name);
    } else if (pods !== undefined) moves.removed.push(...pods.filter((pod) => !isDeleting(pod)));
  }
  return { ...moves, removed: [...moves.removed, ...homeless(nodes, byNode)] };
}

/**
 * With a surge a node may have one new and one old pod, and needs another as soon as the last one terminates.
 */
function surplusOn(
  set: DaemonSet,
  pods: readonly Pod[],
  hash: string,
  now: number,
): { removed: Pod[]; isEmpty: boolean } {
  const staying = pods.filter((pod) => !isDeleting(pod));
  const ended = staying.filter(isTerminal);
  const running = staying.filter((pod) => !isTerminal(pod)).sort(byPlacement);
  if (leeway(set, 1).surge === 0) return { removed: [...ended, ...running.slice(1)], isEmpty: false };
  if (running.length <= 1) return { removed: ended, isEmpty: running.length === 0 };
  const fresh = running.filter(({ metadata }) => metadata.labels?.[HASH_LABEL] === hash);
  const old = running.filter((pod) => !fresh.includes(pod));
  const removed = [...ended, ...fresh.slice(1), ...old.slice(1)];
  const [oldest, newest] = [old[0], fresh[0]];
  if (oldest !== undefined && newest !== undefined) {
    const isSuperseded = !isReady(oldest) || isAvailable(newest, set.spec.minReadySeconds, now);
    if (isSuperseded) removed.push(oldest);
  }
  return { removed, isEmpty: false };
}

/** Pods that wait for a deleted node. */
function homeless(nodes: readonly KubeNode[], byNode: ReadonlyMap<string, Pod[]>): Pod[] {
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  return [...byNode].flatMap(([node, pods]) =>
    names.has(node) ? [] : pods.filter(({ spec }) => !spec.nodeName),
  );
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
