import { resolveAmount } from '@/lib/kube/amount';
import type { Json } from '@/lib/kube/json';
import { selectorText } from '@/sandbox/api/objects/scale';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import { isAvailable, isReady } from '@/sandbox/controllers/objects/pod';
import type {
  IntOrString,
  StatefulSet,
  StatefulSetSpec,
  StatefulSetStatus,
} from '@/sandbox/controllers/objects/workloads';
import { type InPlace, readInPlace, withGate } from '@/sandbox/controllers/pod-set/in-place';
import { type PodSetStrategy, runPodSets } from '@/sandbox/controllers/pod-set/pod-set-controller';
import { REVISION_LABEL } from '@/sandbox/controllers/revisions/controller-revisions';
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
import { type Member, moveByPlace } from '@/sandbox/engine/pod-set';

interface AdvancedStatefulSet extends StatefulSet {
  spec: Omit<StatefulSetSpec, 'updateStrategy'> & {
    updateStrategy: {
      type: string;
      rollingUpdate: {
        partition?: number;
        paused?: boolean;
        maxUnavailable?: IntOrString;
        minReadySeconds?: number;
        podUpdatePolicy?: string;
        /** Pods are updated in any order. */
        unorderedUpdate?: Json;
      };
    };
    /** Numbers, and in newer versions ranges such as `3-5`. */
    reserveOrdinals?: (number | string)[];
  };
  status: StatefulSetStatus & {
    updatedReadyReplicas?: number;
    updatedAvailableReplicas?: number;
    labelSelector?: string;
  };
}

export function runAdvancedStatefulSets(manager: ControllerManager): void {
  runPodSets(manager, advancedStatefulSets);
}

/**
 * Numbered pods as of a StatefulSet, of which several may be updated at a time.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/statefulset/stateful_set_control.go
 */
const advancedStatefulSets: PodSetStrategy<AdvancedStatefulSet> = {
  kind: 'statefulsets.apps.kruise.io',
  component: 'statefulset-controller',
  withDefaults,
  isMember: (set, { metadata }) => identityOf(metadata.name)?.parent === set.metadata.name,
  sort: (pods) => pods.toSorted((a, b) => ordinalOf(b) - ordinalOf(a)),
  plan: ({ set }, members) => {
    const { type, rollingUpdate } = set.spec.updateStrategy;
    const { maxUnavailable = 1, paused = false } = rollingUpdate;
    return moveByPlace(
      {
        places: findPlaces(set),
        turn: orderForUpdate(set, members),
        isOrdered: set.spec.podManagementPolicy !== 'Parallel',
        surge: 0,
        unavailable: Math.max(1, resolveAmount(maxUnavailable, set.spec.replicas, Math.floor)),
        isHeld: paused || type === 'OnDelete',
      },
      members,
    );
  },
  inPlace: inPlaceOf,
  draft: async ({ manager, set }, { place, revision, template }) => {
    const ordinal = identityOf(place)?.ordinal ?? 0;
    await createClaims(manager, set, ordinal);
    const spec = inPlaceOf(set) === 'never' ? template.spec : withGate(template.spec);
    return memberDraft(set, { ...template, spec }, revision.metadata.name, ordinal);
  },
  status: ({ set, revisions, now }, pods) => {
    const { minReadySeconds, selector } = set.spec;
    const ready = pods.filter(
      (pod) => isReady(pod) && pod.metadata.labels?.[REVISION_LABEL] === revisions.update.metadata.name,
    );
    return {
      ...statefulSetStatus(set, revisions, countPods(pods, revisions, minReadySeconds, now)),
      updatedReadyReplicas: ready.length,
      updatedAvailableReplicas: ready.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
      labelSelector: selectorText(selector),
    };
  },
};

/** https://github.com/openkruise/kruise/blob/master/apis/apps/defaults/v1beta1.go */
function withDefaults(set: AdvancedStatefulSet): AdvancedStatefulSet {
  const spec: Partial<AdvancedStatefulSet['spec']> = set.spec;
  const { type = 'RollingUpdate', rollingUpdate = {} } = spec.updateStrategy ?? {};
  const { minReadySeconds = spec.minReadySeconds ?? 0 } = rollingUpdate;
  return { ...set, spec: { ...set.spec, minReadySeconds, updateStrategy: { type, rollingUpdate } } };
}

function inPlaceOf({ spec }: AdvancedStatefulSet): InPlace {
  return readInPlace(spec.updateStrategy.rollingUpdate.podUpdatePolicy);
}

/** The names of the desired pods, without reserved ordinals. */
function findPlaces(set: AdvancedStatefulSet): string[] {
  const places: string[] = [];
  for (let ordinal = startOrdinal(set); places.length < set.spec.replicas; ordinal += 1)
    if (!isReserved(set, ordinal)) places.push(podName(set, ordinal));
  return places;
}

function isReserved({ spec }: AdvancedStatefulSet, ordinal: number): boolean {
  return (spec.reserveOrdinals ?? []).some((reserved) => {
    const [first = NaN, last = first] = String(reserved).split('-').map(Number);
    return first <= ordinal && ordinal <= last;
  });
}

/**
 * From the highest ordinal down to the partition, which counts reserved ordinals; without an order, as many pods as the
 * partition leaves, those first that are updated already.
 */
function orderForUpdate(set: AdvancedStatefulSet, members: readonly Member<unknown>[]): string[] {
  const { partition = 0, unorderedUpdate = null } = set.spec.updateStrategy.rollingUpdate;
  const highestFirst = findPlaces(set).reverse();
  if (unorderedUpdate === null) {
    const lowest = startOrdinal(set) + partition;
    return highestFirst.filter((place) => (identityOf(place)?.ordinal ?? 0) >= lowest);
  }
  const updated = new Set(members.filter(({ isUpdated }) => isUpdated).map(({ place }) => place));
  const inOrder = highestFirst.toSorted((a, b) => Number(updated.has(b)) - Number(updated.has(a)));
  return inOrder.slice(0, Math.max(0, inOrder.length - partition));
}
