import { resolveAmount } from '@/lib/kube/amount';
import { cleanUpHistory, constructHistory, hashOf } from '@/sandbox/controllers/daemon-set/history';
import {
  changesPlacement,
  daemonSetStatus,
  daemonTemplate,
  forNode,
  podsByNode,
  suits,
} from '@/sandbox/controllers/daemon-set/placement';
import { type ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import { podDraft, podMessage } from '@/sandbox/controllers/runtime/pod-control';
import { targetNode } from '@/sandbox/controllers/objects/node';
import { controllerOf, isControlledBy } from '@/sandbox/controllers/objects/owner';
import { type Pod } from '@/sandbox/controllers/objects/pod';
import { type DaemonSet } from '@/sandbox/controllers/objects/workloads';
import { type Pass, type PodSetStrategy, runPodSets } from '@/sandbox/controllers/pod-set/pod-set-controller';
import { REVISION_LABEL } from '@/sandbox/controllers/revisions/controller-revisions';
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
  chooseRevisions: async (manager, sets, set) => {
    const pods = manager.pods.store
      .inNamespace(set.metadata.namespace)
      .filter((pod) => isControlledBy(pod, set));
    const { current } = await constructHistory(manager, sets, set, pods);
    return { current, update: current, collisionCount: 0 };
  },
  prune: async ({ manager, set, revisions }, pods) => {
    const old = manager.revisions.store
      .inNamespace(set.metadata.namespace)
      .filter((one) => isControlledBy(one, set) && one.metadata.uid !== revisions.update.metadata.uid);
    await cleanUpHistory(manager, set, old, pods);
  },
  placeOf: ({ spec }) => targetNode(spec) ?? '',
  plan: planMoves,
  revisionLabels: (revision) => ({ [REVISION_LABEL]: hashOf(revision) }),
  draft: ({ set }, { place, revision }) =>
    podDraft(set, forNode(daemonTemplate(set, hashOf(revision)), place)),
  status: ({ manager, set, revisions, now }, pods) =>
    daemonSetStatus(set, manager.nodes.store.all(), podsByNode(pods), hashOf(revisions.update), now),
  message: (_set, ...event) => podMessage(...event),
  watchMore: ({ nodes, revisions }, onChange) => {
    nodes.store.onChange((change) => {
      if (changesPlacement(change)) onChange();
    });
    revisions.store.onChange((change) => {
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
function planMoves({ manager, set }: Pass<DaemonSet>, members: readonly Member<Pod>[]): Moves<Pod> {
  const { type, rollingUpdate = {} } = set.spec.updateStrategy;
  const { maxSurge = 0, maxUnavailable = 1 } = rollingUpdate;
  const available = new Set(members.filter(({ isAvailable }) => isAvailable).map(({ place }) => place));
  const occupied = new Set(members.map(({ place }) => place));
  const nodes = manager.nodes.store.all().map((node) => ({ name: node.metadata.name, ...suits(set, node) }));
  const desired = nodes.filter(({ shouldRun }) => shouldRun).length;
  const places = nodes
    .filter(({ name, shouldRun, mayStay }) => shouldRun || (mayStay && occupied.has(name)))
    .map(({ name }) => name);
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
