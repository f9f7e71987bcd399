import { resolveAmount } from '@/lib/kube/amount';
import { daemonHooks, hashOf } from '@/sandbox/controllers/daemon-set/history';
import {
  daemonSetStatus,
  daemonTemplate,
  findPlaces,
  forNode,
  podsByNode,
  watchPlaces,
} from '@/sandbox/controllers/daemon-set/placement';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import { podDraft, podMessage } from '@/sandbox/controllers/runtime/pod-control';
import { controllerOf } from '@/sandbox/controllers/objects/owner';
import type { Pod } from '@/sandbox/controllers/objects/pod';
import type { DaemonSet } from '@/sandbox/controllers/objects/workloads';
import { type Pass, type PodSetStrategy, runPodSets } from '@/sandbox/controllers/pod-set/pod-set-controller';
import { type Member, moveByPlace, type Moves } from '@/sandbox/engine/pod-set';

export function runDaemonSets(manager: ControllerManager): void {
  runPodSets(manager, daemonSets);
}

/**
 * A pod on each matching node.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/daemon/daemon_controller.go
 */
const daemonSets: PodSetStrategy<DaemonSet> = {
  kind: 'daemonsets.apps',
  component: 'daemonset-controller',
  fieldManager: 'kube-controller-manager',
  ...daemonHooks,
  plan: planMoves,
  draft: ({ set }, { place, revision }) =>
    podDraft(set, forNode(daemonTemplate(set, hashOf(revision)), place)),
  status: ({ manager, set, revisions, now }, pods) =>
    daemonSetStatus(set, manager.nodes.store.all(), podsByNode(pods), hashOf(revisions.update), now),
  message: (_set, ...event) => podMessage(...event),
  watchMore: (manager, onChange) => {
    watchPlaces(manager, onChange);
    manager.revisions.store.onChange((change) => {
      // A new revision with an owner is one that the controller wrote itself.
      const isOwned = change.object !== undefined && controllerOf(change.object) !== undefined;
      if (change.before !== undefined || !isOwned) onChange(change);
    });
  },
};

/**
 * Pods that are not available are replaced first. With neither a surge nor unavailable pods an update would never
 * progress.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/daemon/update.go (updatedDesiredNodeCounts)
 */
function planMoves(pass: Pass<DaemonSet>, members: readonly Member<Pod>[]): Moves<Pod> {
  const { type, rollingUpdate = {} } = pass.set.spec.updateStrategy;
  const { maxSurge = 0, maxUnavailable = 1 } = rollingUpdate;
  const available = new Set(members.filter(({ isAvailable }) => isAvailable).map(({ place }) => place));
  const { places, desired } = findPlaces(pass, members);
  return moveByPlace(
    {
      places,
      turn: places.toSorted((a, b) => Number(available.has(a)) - Number(available.has(b))),
      isOrdered: false,
      surge: resolveAmount(maxSurge, desired, Math.ceil),
      unavailable: Math.max(1, resolveAmount(maxUnavailable, desired, Math.ceil)),
      isHeld: type === 'OnDelete',
    },
    members,
  );
}
