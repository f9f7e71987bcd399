import { type StepPod } from '@/lib/ledger/record';

/** The pods that came for a step. No record grows with a workload, or with a crash that goes on for hours. */
export interface PodList {
  pods: readonly StepPod[];
  /** How many came that are not listed: those beyond the limit, and those that another took the name of. Absent: none. */
  more?: number;
  /** uids of those of them that may still be there, so that none is counted twice. Absent: none, or the rollout is over. */
  unlisted?: readonly string[];
}

export const PODS_MAX = 200;

/** Pods of which the list knows nothing yet. One that comes under a name that is listed takes the place of the former one. */
export function addPods<List extends PodList>(list: List, arrived: readonly StepPod[]): List {
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

/** What the listed pods are like now. One that took its template in place may have been ready before that. */
export function refreshPods<List extends PodList & { startedAt?: string | null }>(
  list: List,
  present: ReadonlyMap<string, StepPod>,
): List {
  if (list.pods.length === 0) return list;
  const { unlisted: known, ...rest } = list;
  const unlisted = known?.filter((uid) => present.has(uid)) ?? [];
  return {
    ...(rest as List),
    pods: list.pods.map((pod) => refreshed(pod, present.get(pod.uid), list.startedAt ?? null)),
    ...(unlisted.length > 0 && { unlisted }),
  };
}

function refreshed(known: StepPod, now: StepPod | undefined, since: string | null): StepPod {
  if (now === undefined) return known;
  const isOld = since !== null && known.readyAt !== null && Date.parse(known.readyAt) < Date.parse(since);
  return { ...now, readyAt: isOld ? now.readyAt : (known.readyAt ?? now.readyAt) };
}

/** Every pod that came, listed or not. */
export function countPods({ pods, more = 0 }: { pods: readonly unknown[]; more?: number }): number {
  return pods.length + more;
}

export function uidsOf({ pods, unlisted = [] }: PodList): string[] {
  return [...pods.map(({ uid }) => uid), ...unlisted];
}

/** As it is kept once nothing comes any more. */
export function closeList<List extends PodList>({ unlisted: _, ...list }: List): Omit<List, 'unlisted'> {
  return list;
}
