import {
  type AdvancedDaemonSet,
  keptNodes,
  mayUpdateOn,
} from '@/sandbox/controllers/kruise/advanced-daemon-set/advanced-daemon-set';
import { HASH_LABEL } from '@/sandbox/controllers/daemon-set/template';
import {
  leeway,
  type Moves,
  nextMoves,
  type NodeState,
} from '@/sandbox/controllers/daemon-set/rolling-update';
import { type KubeNode } from '@/sandbox/controllers/objects/node';
import { isDeleting, type Pod } from '@/sandbox/controllers/objects/pod';

interface OrderedNode extends NodeState {
  readonly node: KubeNode;
}

/**
 * The next action of a rolling update, on the nodes whose turn has come.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/daemonset/daemonset_update.go
 */
export function nextMovesInOrder(
  set: AdvancedDaemonSet,
  hash: string,
  states: readonly OrderedNode[],
  now: number,
): Moves {
  const desired = states.filter(({ shouldRun }) => shouldRun).length;
  const { surge: maxSurge, unavailable: maxUnavailable } = leeway(set, desired);
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } };
  const resolved = { ...set, spec: { ...set.spec, updateStrategy } };
  return nextMoves(resolved, hash, orderNodes(set, hash, states), now);
}

/**
 * Nodes that are updated or in progress come first, then the others in reverse alphabetical order, down to
 * the partition.
 */
function orderNodes(set: AdvancedDaemonSet, hash: string, states: readonly OrderedNode[]): OrderedNode[] {
  const occupied = states.filter(({ pods }) => pods.length > 0).sort((a, b) => (a.name < b.name ? 1 : -1));
  const isBegun = ({ pods }: OrderedNode) => pods.some((pod) => isDeleting(pod) || hashOf(pod) === hash);
  const begun = occupied.filter(isBegun);
  const waiting = occupied.filter((state) => !isBegun(state) && mayUpdateOn(set, state.node));
  return [...begun, ...waiting].slice(0, Math.max(0, occupied.length - keptNodes(set, occupied.length)));
}

export function hashOf({ metadata }: Pod): string | undefined {
  return metadata.labels?.[HASH_LABEL];
}
