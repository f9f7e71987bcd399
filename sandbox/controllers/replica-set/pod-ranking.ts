import { isActive, isReady, type Pod, readySince } from '@/sandbox/controllers/objects/pod';
import { timeOf } from '@/sandbox/controllers/objects/time';

const PHASES = ['Pending', 'Unknown', 'Running'];

/**
 * The `count` pods to delete first. Related pods are those of all ReplicaSets of the same owner: a pod on a
 * node with many of them is deleted first.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/controller_utils.go (ActivePodsWithRanks)
 */
export function podsToSpare(
  pods: readonly Pod[],
  related: readonly Pod[],
  count: number,
  now: number,
): Pod[] {
  const crowd = new Map<string, number>();
  for (const { spec } of related.filter(isActive))
    crowd.set(spec.nodeName ?? '', (crowd.get(spec.nodeName ?? '') ?? 0) + 1);
  return pods.toSorted((a, b) => compare(a, b, crowd, now)).slice(0, count);
}

/** Negative when `a` is deleted before `b`; the first rule that distinguishes them decides. */
function compare(a: Pod, b: Pod, crowd: ReadonlyMap<string, number>, now: number): number {
  return (
    Number(hasNode(a)) - Number(hasNode(b)) ||
    PHASES.indexOf(a.status.phase ?? '') - PHASES.indexOf(b.status.phase ?? '') ||
    Number(isReady(a)) - Number(isReady(b)) ||
    (crowd.get(b.spec.nodeName ?? '') ?? 0) - (crowd.get(a.spec.nodeName ?? '') ?? 0) ||
    compareAges(a, b, readySince(a), readySince(b), now) ||
    restartsOf(b) - restartsOf(a) ||
    compareAges(a, b, timeOf(a.metadata.creationTimestamp), timeOf(b.metadata.creationTimestamp), now)
  );
}

function hasNode({ spec }: Pod): boolean {
  return (spec.nodeName ?? '') !== '';
}

/** The younger first; ages of the same order of magnitude count as equal, and the uid decides instead. */
function compareAges(
  a: Pod,
  b: Pod,
  timeA: number | undefined,
  timeB: number | undefined,
  now: number,
): number {
  if (timeA === timeB || timeA === undefined || timeB === undefined) return 0;
  return magnitude(now - timeA) - magnitude(now - timeB) || (a.metadata.uid < b.metadata.uid ? -1 : 1);
}

/** Of nanoseconds, to the base of two. */
function magnitude(ageMs: number): number {
  return ageMs > 0 ? Math.trunc(Math.log2(ageMs * 1e6)) : -1;
}

function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}
