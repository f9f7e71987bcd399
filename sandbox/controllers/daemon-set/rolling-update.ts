import { resolveAmount } from '@/lib/kube/amount';
import { isUpdated, templateGeneration } from '@/sandbox/controllers/daemon-set/template';
import { isAvailable, isDeleting, type Pod } from '@/sandbox/controllers/objects/pod';
import { type DaemonSet } from '@/sandbox/controllers/objects/workloads';

/** Pods to delete and nodes to create one on. */
export interface Moves {
  removed: Pod[];
  nodes: string[];
}

export interface NodeState {
  readonly name: string;
  /** The daemon may run here. */
  readonly shouldRun: boolean;
  readonly pods: readonly Pod[];
}

/**
 * How many nodes may have a second pod, and how many none that is available; with both at 0 the update would
 * never progress.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/daemon/update.go (updatedDesiredNodeCounts)
 */
export function leeway({ spec }: DaemonSet, desired: number): { surge: number; unavailable: number } {
  const { type, rollingUpdate } = spec.updateStrategy;
  const isRolling = type === 'RollingUpdate' && rollingUpdate !== undefined;
  const surge = isRolling ? resolveAmount(rollingUpdate.maxSurge ?? 0, desired, Math.ceil) : 0;
  const unavailable = isRolling ? resolveAmount(rollingUpdate.maxUnavailable ?? 0, desired, Math.ceil) : 0;
  return { surge, unavailable: desired > 0 && surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** What a rolling update does next. */
export function nextMoves(set: DaemonSet, hash: string, states: readonly NodeState[], now: number): Moves {
  const desired = states.filter(({ shouldRun }) => shouldRun).length;
  const { surge, unavailable } = leeway(set, desired);
  const nodes = states
    .filter(({ shouldRun, pods }) => shouldRun || pods.length > 0)
    .map((state) => ({ ...state, ...sortPods(set, hash, state.pods) }));
  const isFine = (pod: Pod) => isAvailable(pod, set.spec.minReadySeconds, now);
  return surge === 0
    ? { removed: replaced(nodes, unavailable, isFine), nodes: [] }
    : surged(nodes, surge, desired, isFine);
}

interface SortedNode extends NodeState {
  fresh: Pod | undefined;
  old: Pod | undefined;
  /** More pods of one kind than there should be; the placement corrects that. */
  crowded: boolean;
}

function sortPods(set: DaemonSet, hash: string, pods: readonly Pod[]): Omit<SortedNode, keyof NodeState> {
  const generation = templateGeneration(set);
  const staying = pods.filter((pod) => !isDeleting(pod));
  const fresh = staying.filter(({ metadata }) => isUpdated(metadata.labels, hash, generation));
  const old = staying.filter((pod) => !fresh.includes(pod));
  return { fresh: fresh[0], old: old[0], crowded: fresh.length > 1 || old.length > 1 };
}

/** Deletes old pods before new ones are created: unavailable ones at once, the others within the budget. */
function replaced(nodes: readonly SortedNode[], budget: number, isFine: (pod: Pod) => boolean): Pod[] {
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const { fresh, old, crowded } of nodes) {
    if (crowded || (fresh === undefined) === (old === undefined)) unavailable += 1;
    else if (old === undefined) unavailable += fresh !== undefined && isFine(fresh) ? 0 : 1;
    else if (isFine(old)) candidates.push(old);
    else {
      broken.push(old);
      unavailable += 1;
    }
  }
  return [...broken, ...candidates.slice(0, Math.max(0, budget - unavailable))];
}

/** Creates new pods first, next to the old ones, which are deleted when the new ones are available. */
function surged(
  nodes: readonly SortedNode[],
  surge: number,
  desired: number,
  isFine: (pod: Pod) => boolean,
): Moves {
  const moves: Moves = { removed: [], nodes: [] };
  const misplaced: Pod[] = [];
  const candidates: string[] = [];
  let surging = 0;
  let available = 0;
  for (const { name, shouldRun, fresh, old, crowded } of nodes) {
    if (crowded) {
      surging += 1;
      continue;
    }
    const serving = old ?? fresh;
    if (serving !== undefined && isFine(serving)) available += 1;
    if (old === undefined) continue;
    if (fresh !== undefined) {
      if (isFine(fresh)) moves.removed.push(old);
      else surging += 1;
    } else if (!shouldRun) {
      if (isFine(old)) misplaced.push(old);
      else moves.removed.push(old);
    } else if (isFine(old)) candidates.push(name);
    else moves.nodes.push(name);
  }
  moves.removed.push(...misplaced.slice(0, Math.max(0, available - desired)));
  moves.nodes.push(...candidates.slice(0, Math.max(0, surge - surging)));
  return moves;
}
