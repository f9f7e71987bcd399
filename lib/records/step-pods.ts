import type { StepPod } from '@/lib/api/record';

/** The pods of a step. No record grows with the size of a workload, or with a crash that lasts for hours. */
export interface StepPodList {
  pods: readonly StepPod[];
  /** How many pods are not listed: those beyond the limit, and those whose name another took. Absent: none. */
  more?: number;
  /**
   * uids of those of them that may still exist, so that none is counted twice. Absent: none, or the rollout
   * is over.
   */
  unlisted?: readonly string[];
}

export const PODS_MAX = 200;

/** Pods that the list does not contain yet. One that comes under a listed name replaces the former one. */
export function addPods<List extends StepPodList>(list: List, arrived: readonly StepPod[]): List {
  if (arrived.length === 0) return list;
  const pods = [...list.pods];
  const unlisted = [...(list.unlisted ?? [])];
  let more = list.more ?? 0;
  for (const pod of arrived) {
    const place = pods.findIndex(({ name }) => name === pod.name);
    if (place !== -1) {
      pods[place] = pod;
      more += 1;
    } else if (pods.length < PODS_MAX) {
      pods.push(pod);
    } else {
      unlisted.push(pod.uid);
      more += 1;
    }
  }
  return { ...list, pods, ...(more > 0 && { more }), ...(unlisted.length > 0 && { unlisted }) };
}

/** The current state of the listed pods. One that got its template in place may have been ready before that. */
export function refreshPods<List extends StepPodList & { startedAt?: string | null }>(
  list: List,
  currentPods: ReadonlyMap<string, StepPod>,
): List {
  if (list.pods.length === 0) return list;
  const { unlisted: known, ...rest } = list;
  const unlisted = known?.filter((uid) => currentPods.has(uid)) ?? [];
  return {
    ...(rest as List),
    pods: list.pods.map((pod) => refreshPod(pod, currentPods.get(pod.uid), list.startedAt ?? null)),
    ...(unlisted.length > 0 && { unlisted }),
  };
}

function refreshPod(known: StepPod, now: StepPod | undefined, since: string | null): StepPod {
  if (now === undefined) return known;
  const isOld = since !== null && known.readyAt !== null && Date.parse(known.readyAt) < Date.parse(since);
  return { ...now, readyAt: isOld ? now.readyAt : (known.readyAt ?? now.readyAt) };
}

/** Every pod that came, listed or not. */
export function countPods({ pods, more = 0 }: { pods: readonly unknown[]; more?: number }): number {
  return pods.length + more;
}

export function uidsOf({ pods, unlisted = [] }: StepPodList): string[] {
  return [...pods.map(({ uid }) => uid), ...unlisted];
}

/** As it is saved once no more pods can come. */
export function withoutUnlisted<List extends StepPodList>({
  unlisted: _,
  ...list
}: List): Omit<List, 'unlisted'> {
  return list;
}
