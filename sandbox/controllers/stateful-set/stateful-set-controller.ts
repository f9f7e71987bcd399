import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { StatefulSet } from '@/sandbox/controllers/objects/workloads';
import { type PodSetStrategy, runPodSets } from '@/sandbox/controllers/pod-set/pod-set-controller';
import {
  countPods,
  createClaims,
  identityOf,
  memberDraft,
  ordinalOf,
  podName,
  startOrdinal,
  statefulSetStatus,
} from '@/sandbox/controllers/stateful-set/pods';
import { moveByPlace } from '@/sandbox/engine/pod-set';

export function runStatefulSets(manager: ControllerManager): void {
  runPodSets(manager, statefulSets);
}

/**
 * Numbered pods, of which one is updated at a time, the highest ordinal first. An ordered set waits at the first
 * unavailable pod, before it replaces any.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_control.go
 */
const statefulSets: PodSetStrategy<StatefulSet> = {
  kind: 'statefulsets.apps',
  component: 'statefulset-controller',
  fieldManager: 'kube-controller-manager',
  isMember: (set, { metadata }) => identityOf(metadata.name)?.parent === set.metadata.name,
  sort: (pods) => pods.toSorted((a, b) => ordinalOf(b) - ordinalOf(a)),
  plan: ({ set }, members) => {
    const { replicas, podManagementPolicy, updateStrategy } = set.spec;
    const places = Array.from({ length: replicas }, (_, index) => podName(set, startOrdinal(set) + index));
    // Below the partition pods are recreated at the old revision.
    const turn = places.slice(updateStrategy.rollingUpdate?.partition ?? 0).reverse();
    const isOrdered = podManagementPolicy !== 'Parallel';
    const isHeld = updateStrategy.type === 'OnDelete';
    return moveByPlace({ places, turn, isOrdered, surge: 0, unavailable: 1, isHeld }, members);
  },
  draft: async ({ manager, set }, { place, revision, template }) => {
    const ordinal = identityOf(place)?.ordinal ?? 0;
    await createClaims(manager, set, ordinal);
    return memberDraft(set, template, revision.metadata.name, ordinal);
  },
  status: ({ set, revisions, now }, pods) =>
    statefulSetStatus(set, revisions, countPods(pods, revisions, set.spec.minReadySeconds, now)),
  message: ({ metadata }, verb, pod, error) => {
    const what = `${verb.charAt(0).toUpperCase()}${verb.slice(1)} Pod ${pod} in StatefulSet ${metadata.name}`;
    return error === undefined ? `${what} successful` : `${what} failed error: ${error}`;
  },
};
