import { LOOP_RESTARTS } from '@/lib/pods/pod-block';
import type { Group } from '@/lib/workloads/groups';
import type { StatusInput } from '@/lib/workloads/kind';

/** How often a group was recreated for a failed pod, as long as the cluster retains the Events. */
interface Recreation {
  group: Group;
  times: number;
  /** Pods that failed. */
  pods: readonly string[];
  /** The first of them that the cluster still has. */
  since: string | null;
}

/** https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/pod_controller.go (handleRestartPolicy) */
const MESSAGE = /^Worker pod (\S+) failed, deleted leader pod \S+ to recreate group (\d+)$/;

/**
 * Groups of the target that are not ready and have been recreated so often that it is a loop. Their pods are
 * too young to show it: with every restart of a container the controller deletes the group and its history.
 * Only Events remain.
 */
export function recreationsOf({ events = [], history }: StatusInput, groups: readonly Group[]): Recreation[] {
  const begun = Date.parse(history.target?.activations.at(-1)?.from ?? '') || 0;
  const recent = events.filter(
    ({ reason, last }) => reason === 'RecreateGroup' && Date.parse(last ?? '') >= begun,
  );
  const failures = recent.flatMap((event) => {
    const [, pod, index] = MESSAGE.exec(event.message) ?? [];
    return pod === undefined ? [] : [{ ...event, pod, index: Number(index) }];
  });
  return groups.flatMap((group) => {
    const own = failures.filter(({ index }) => index === group.index);
    const times = own.reduce((sum, event) => sum + event.count, 0);
    if (group.ready || times < LOOP_RESTARTS) return [];
    const since = own.flatMap(({ first }) => first ?? []).sort()[0] ?? null;
    return [{ group, times, pods: [...new Set(own.map(({ pod }) => pod))].sort(), since }];
  });
}
