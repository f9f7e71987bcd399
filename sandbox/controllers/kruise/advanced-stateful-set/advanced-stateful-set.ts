import { type Json } from '@/lib/kube/json';
import { resolveAmount } from '@/lib/kube/amount';
import { type InPlace } from '@/lib/workloads/kruise/rolling';
import {
  type IntOrString,
  type StatefulSet,
  type StatefulSetSpec,
  type StatefulSetStatus,
} from '@/sandbox/controllers/objects/workloads';
import { startOrdinal } from '@/sandbox/controllers/stateful-set/pods';

type AdvancedStatefulSetSpec = Omit<StatefulSetSpec, 'updateStrategy'> & {
  updateStrategy: {
    type: string;
    rollingUpdate?: {
      partition?: number;
      paused?: boolean;
      maxUnavailable?: IntOrString;
      minReadySeconds?: number;
      podUpdatePolicy?: string;
      unorderedUpdate?: Json;
    };
  };
  /** Numbers, and in newer versions ranges such as `3-5`. */
  reserveOrdinals?: (number | string)[];
};

export type AdvancedStatefulSetStatus = StatefulSetStatus & {
  updatedReadyReplicas?: number;
  updatedAvailableReplicas?: number;
  labelSelector?: string;
};

/** The rules of a StatefulSet with those of OpenKruise. */
export interface AdvancedStatefulSet extends StatefulSet {
  spec: AdvancedStatefulSetSpec;
  status: AdvancedStatefulSetStatus;
}

export interface AdvancedRolling {
  isOnDelete: boolean;
  isPaused: boolean;
  inPlace: InPlace;
  /** With an order the lowest slot to update, without one the number of pods that stay. */
  partition: number;
  isUnordered: boolean;
  unavailable: number;
}

/**
 * With the defaults of OpenKruise's webhook.
 * https://github.com/openkruise/kruise/blob/master/apis/apps/defaults/v1beta1.go
 */
export function withDefaults(set: AdvancedStatefulSet): AdvancedStatefulSet {
  const spec: Partial<AdvancedStatefulSetSpec> = set.spec;
  const { type = 'RollingUpdate', rollingUpdate = {} } = spec.updateStrategy ?? {};
  const { partition = 0, minReadySeconds = spec.minReadySeconds } = rollingUpdate;
  return {
    ...set,
    spec: {
      ...set.spec,
      replicas: spec.replicas ?? 1,
      revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      updateStrategy: { type, rollingUpdate: { ...rollingUpdate, partition } },
    },
  };
}

export function rollingOf({ spec }: AdvancedStatefulSet): AdvancedRolling {
  const { type, rollingUpdate = {} } = spec.updateStrategy;
  const { podUpdatePolicy: policy, maxUnavailable = 1, unorderedUpdate } = rollingUpdate;
  return {
    isOnDelete: type === 'OnDelete',
    isPaused: rollingUpdate.paused === true,
    inPlace: policy === 'InPlaceOnly' ? 'only' : policy === 'InPlaceIfPossible' ? 'ifPossible' : 'never',
    partition: rollingUpdate.partition ?? 0,
    isUnordered: unorderedUpdate !== undefined && unorderedUpdate !== null,
    unavailable: Math.max(1, resolveAmount(maxUnavailable, spec.replicas, Math.floor)),
  };
}

/** Ordinals that the set fills, lowest first: the desired number, without the reserved ones. */
export function ordinalsOf(set: AdvancedStatefulSet): number[] {
  const ordinals: number[] = [];
  for (let ordinal = startOrdinal(set); ordinals.length < set.spec.replicas; ordinal += 1)
    if (!isReserved(set, ordinal)) ordinals.push(ordinal);
  return ordinals;
}

function isReserved({ spec }: AdvancedStatefulSet, ordinal: number): boolean {
  return (spec.reserveOrdinals ?? []).some((reserved) => {
    if (typeof reserved === 'number') return reserved === ordinal;
    const [first, last = first] = reserved.split('-').map(Number);
    return first !== undefined && last !== undefined && first <= ordinal && ordinal <= last;
  });
}
