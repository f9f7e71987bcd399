import {
  type AdvancedDaemonSet,
  keptNodes,
  mayUpdateOn,
} from '@/server/sandbox/controllers/kruise/advanced-daemon-set/advanced-daemon-set';
import { HASH_LABEL } from '@/server/sandbox/controllers/daemon-set/template';
import {
  leeway,
  type Moves,
  nextMoves,
  type NodeState,
} from '@/server/sandbox/controllers/daemon-set/rolling-update';
import { type KubeNode } from '@/server/sandbox/controllers/objects/node';
import { isDeleting, type Pod } from '@/server/sandbox/controllers/objects/pod';

export interface NodeInTurn extends NodeState {
  readonly node: KubeNode;
}

/**
 * What a rolling update does next, on the nodes whose turn has come.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/daemonset/daemonset_update.go
 */
export function nextMovesInTurn(
  set: AdvancedDaemonSet,
  hash: string,
  states: readonly NodeInTurn[],
  now: number,
): Moves {
  const desired = states.filter(({ shouldRun }) => shouldRun).length;
  const { surge: maxSurge, unavailable: maxUnavailable } = leeway(set, desired);
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } };
  const resolved = { ...set, spec: { ...set.spec, updateStrategy } };
  return nextMoves(resolved, hash, nodesInTurn(set, hash, states), now);
}

/** Nodes that are done or under way come first, then the others from the end of the alphabet, down to the partition. */
function nodesInTurn(set: AdvancedDaemonSet, hash: string, states: readonly NodeInTurn[]): NodeInTurn[] {
  const occupied = states.filter(({ pods }) => pods.length > 0).sort((a, b) => (a.name < b.name ? 1 : -1));
  const isBegun = ({ pods }: NodeInTurn) => pods.some((pod) => isDeleting(pod) || hashOf(pod) === hash);
  const begun = occupied.filter(isBegun);
  const waiting = occupied.filter((state) => !isBegun(state) && mayUpdateOn(set, state.node));
  return [...begun, ...waiting].slice(0, Math.max(0, occupied.length - keptNodes(set, occupied.length)));
}

export function hashOf({ metadata }: Pod): string | undefined {
  return metadata.labels?.[HASH_LABEL];
}
