import { type CloneSet, type CloneSetRolling } from '@/sandbox/controllers/kruise/clone-set/clone-set';
import { isAt } from '@/sandbox/controllers/kruise/clone-set/pods';
import { isServing } from '@/sandbox/controllers/kruise/shared/in-place';
import { isReady, type Pod } from '@/sandbox/controllers/objects/pod';
import { podsToSpare } from '@/sandbox/controllers/replica-set/pod-ranking';

const SPECIFIED_DELETE = 'apps.kruise.io/specified-delete';

/** The next move of a CloneSet: it scales, or else updates. */
export interface CloneSetPlan {
  /** New pods, of the revision that pods keep and of the update revision. */
  create: { current: number; update: number };
  removed: Pod[];
  /** Pods to move to the update revision. */
  outdated: Pod[];
}

export interface PlanInput {
  readonly set: CloneSet;
  readonly rolling: CloneSetRolling;
  /** Names of revisions. */
  readonly current: string;
  readonly update: string;
  /** Pods that count as replicas. */
  readonly pods: readonly Pod[];
  readonly now: number;
}

/** https://github.com/openkruise/kruise/blob/master/pkg/controller/cloneset/sync/cloneset_sync_utils.go (calculateDiffsWithExpectation) */
export function planOf(input: PlanInput): CloneSetPlan {
  const { set, rolling, current, update, pods } = input;
  const { replicas } = set.spec;
  const old = pods.filter((pod) => !isAt(pod, update));
  const fresh = pods.length - old.length;
  const toUpdate = Math.min(
    Math.max(0, old.length - rolling.kept),
    Math.max(0, replicas - rolling.kept - fresh),
  );
  const surge = rolling.isOnDelete ? 0 : Math.min(rolling.surge, toUpdate);
  const missing = replicas + surge - pods.length;
  const plan: CloneSetPlan = { create: { current: 0, update: 0 }, removed: [], outdated: [] };
  if (missing > 0) {
    const kept = current === update ? 0 : Math.min(missing, Math.max(0, rolling.kept - old.length));
    return { ...plan, create: { current: kept, update: missing - kept } };
  }
  if (missing < 0) return { ...plan, removed: spared(input, surplus(input, old, -missing)) };
  const removed = replaced(input);
  if (removed.length > 0) return { ...plan, removed };
  if (rolling.isPaused || rolling.isOnDelete || toUpdate === 0) return plan;
  return { ...plan, outdated: withinBudget(input, old, toUpdate) };
}

/** Named pods are deleted first, then outdated ones beyond the partition, then the others. */
function surplus({ set, rolling, update, pods, now }: PlanInput, old: readonly Pod[], count: number): Pod[] {
  const named = pods.filter((pod) => isNamed(set, pod)).slice(0, count);
  const rest = (candidates: readonly Pod[]) => candidates.filter((pod) => !named.includes(pod));
  const left = count - named.length;
  const outdated = rest(old);
  const beyond = Math.min(left, Math.max(0, outdated.length - rolling.kept));
  const chosen = [...named, ...podsToSpare(outdated, pods, beyond, now)];
  const fresh = rest(pods).filter((pod) => isAt(pod, update));
  return [...chosen, ...podsToSpare(fresh, pods, left - beyond, now)];
}

/**
 * Unavailable pods may always be deleted, others while enough are available: new ones may not be available
 * yet.
 */
function spared({ set, rolling, pods, now }: PlanInput, removed: readonly Pod[]): Pod[] {
  const { replicas, minReadySeconds } = set.spec;
  const down = pods.filter((pod) => !isServing(pod, minReadySeconds, now) && !isNamed(set, pod)).length;
  const ready = Math.max(0, rolling.unavailable + pods.length - replicas - down);
  return [...removed.filter((pod) => !isReady(pod)), ...removed.filter(isReady).slice(0, ready)];
}

/** Named pods are replaced while enough others are available. */
function replaced({ set, rolling, pods, now }: PlanInput): Pod[] {
  const named = pods.filter((pod) => isNamed(set, pod));
  const { minReadySeconds } = set.spec;
  const down = pods.filter((pod) => !named.includes(pod) && !isServing(pod, minReadySeconds, now)).length;
  const unready = named.filter((pod) => !isReady(pod));
  const ready = named.filter(isReady).slice(0, Math.max(0, rolling.unavailable - down - unready.length));
  return [...unready, ...ready];
}

function isNamed({ spec }: CloneSet, { metadata }: Pod): boolean {
  return (
    metadata.labels?.[SPECIFIED_DELETE] === 'true' ||
    spec.scaleStrategy?.podsToDelete?.includes(metadata.name) === true
  );
}

/** An outdated pod that is unavailable costs nothing, unless those at the update revision are no better. */
function withinBudget(
  { set, rolling, update, pods, now }: PlanInput,
  old: readonly Pod[],
  count: number,
): Pod[] {
  const { replicas, minReadySeconds } = set.spec;
  const serves = (pod: Pod) => isServing(pod, minReadySeconds, now);
  const budget = rolling.unavailable + pods.length - replicas;
  const down = pods.filter((pod) => !serves(pod));
  const failing = down.filter((pod) => isAt(pod, update)).length;
  let unavailable = down.length;
  const chosen: Pod[] = [];
  for (const pod of podsToSpare(old, pods, count, now)) {
    if (failing + chosen.length >= budget) break;
    if (serves(pod)) {
      if (unavailable >= budget) break;
      unavailable += 1;
    }
    chosen.push(pod);
  }
  return chosen;
}
