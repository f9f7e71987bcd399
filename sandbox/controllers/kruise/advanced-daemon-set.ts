import { resolveAmount } from '@/lib/kube/amount';
import type { JsonObject } from '@/lib/kube/json';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
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
import { podDraft } from '@/sandbox/controllers/runtime/pod-control';
import { countKept } from '@/sandbox/controllers/objects/amounts';
import type { Pod } from '@/sandbox/controllers/objects/pod';
import type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetStatus,
  IntOrString,
} from '@/sandbox/controllers/objects/workloads';
import { type InPlace, readInPlace, withGate } from '@/sandbox/controllers/pod-set/in-place';
import { type Pass, type PodSetStrategy, runPodSets } from '@/sandbox/controllers/pod-set/pod-set-controller';
import { type Member, moveByPlace } from '@/sandbox/engine/pod-set';

interface AdvancedDaemonSet extends DaemonSet {
  spec: Omit<DaemonSetSpec, 'updateStrategy'> & {
    updateStrategy: {
      type: string;
      rollingUpdate: {
        rollingUpdateType?: string;
        partition?: IntOrString;
        paused?: boolean;
        /** Only pods on these nodes are updated. */
        selector?: JsonObject;
        maxUnavailable?: IntOrString;
        maxSurge?: IntOrString;
      };
    };
  };
  status: DaemonSetStatus & { daemonSetHash?: string; updateRevision?: string };
}

export function runAdvancedDaemonSets(manager: ControllerManager): void {
  runPodSets(manager, advancedDaemonSets);
}

/**
 * A pod on each matching node as of a DaemonSet, with a partition.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/daemonset/daemonset_update.go
 */
const advancedDaemonSets: PodSetStrategy<AdvancedDaemonSet> = {
  kind: 'daemonsets.apps.kruise.io',
  component: 'daemonset-controller',
  withDefaults,
  ...daemonHooks,
  plan: (pass, members) => {
    const { spec } = pass.set;
    const { type, rollingUpdate } = spec.updateStrategy;
    const { maxSurge = 0, maxUnavailable = 1, paused = false } = rollingUpdate;
    const { places } = findPlaces(pass, members);
    return moveByPlace(
      {
        places,
        turn: orderForUpdate(pass, places, members),
        isOrdered: false,
        surge: resolveAmount(maxSurge, places.length, Math.ceil),
        unavailable: Math.max(1, resolveAmount(maxUnavailable, places.length, Math.ceil)),
        isHeld: paused || type === 'OnDelete',
      },
      members,
    );
  },
  inPlace: inPlaceOf,
  draft: ({ set }, { place, revision }) => {
    const template = forNode(daemonTemplate(set, hashOf(revision)), place);
    const draft = podDraft(set, template);
    return inPlaceOf(set) === 'never' ? draft : { ...draft, spec: withGate(draft.spec) };
  },
  status: ({ manager, set, revisions, now }, pods) => {
    const hash = hashOf(revisions.update);
    const status = daemonSetStatus(set, manager.nodes.store.all(), podsByNode(pods), hash, now);
    const { updatedNumberScheduled = 0, collisionCount = 0 } = status;
    // v1beta1 calls it the update revision; without conversion, readers of both versions find it.
    return { ...status, updatedNumberScheduled, collisionCount, daemonSetHash: hash, updateRevision: hash };
  },
  watchMore: watchPlaces,
};

/** https://github.com/openkruise/kruise/blob/master/apis/apps/defaults/v1alpha1.go (SetDefaultsDaemonSet) */
function withDefaults(set: AdvancedDaemonSet): AdvancedDaemonSet {
  const spec: Partial<AdvancedDaemonSet['spec']> = set.spec;
  const { type = 'RollingUpdate', rollingUpdate = {} } = spec.updateStrategy ?? {};
  return { ...set, spec: { ...set.spec, updateStrategy: { type, rollingUpdate } } };
}

function inPlaceOf({ spec }: AdvancedDaemonSet): InPlace {
  return readInPlace(spec.updateStrategy.rollingUpdate.rollingUpdateType);
}

/** Nodes that are updated or in progress, then the others from the last name down, without as many as the partition keeps. */
function orderForUpdate(
  { manager, set }: Pass<AdvancedDaemonSet>,
  places: readonly string[],
  members: readonly Member<Pod>[],
): string[] {
  const { partition, selector } = set.spec.updateStrategy.rollingUpdate;
  const isSelected = (place: string) => {
    const labels = manager.nodes.store.get(`-/${place}`)?.metadata.labels ?? {};
    return selector === undefined || matchesSelector(parseLabelSelector(selector), labels);
  };
  const begun = new Set(
    members.filter(({ isUpdated, isTerminating }) => isUpdated || isTerminating).map(({ place }) => place),
  );
  const lastFirst = places.toSorted((a, b) => (a < b ? 1 : -1));
  const inOrder = [
    ...lastFirst.filter((place) => begun.has(place)),
    ...lastFirst.filter((place) => !begun.has(place) && isSelected(place)),
  ];
  return inOrder.slice(0, Math.max(0, places.length - countKept(partition, places.length)));
}
