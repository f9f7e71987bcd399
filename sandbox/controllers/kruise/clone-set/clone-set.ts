import { type Json, type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { resolveAmount } from '@/lib/kube/amount';
import {
  type InPlace,
  heldByPartition,
  type RollingSettings,
  readRollingSettings,
} from '@/lib/workloads/kruise/rolling';
import { objectAt, textAt } from '@/lib/kube/read';
import { type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import { type Condition } from '@/sandbox/controllers/objects/workloads';

type CloneSetSpec = {
  replicas: number;
  minReadySeconds?: number;
  revisionHistoryLimit: number;
  selector: JsonObject;
  scaleStrategy?: { podsToDelete?: string[] };
  updateStrategy?: JsonObject;
  template: PodTemplateSpec;
};

export type CloneSetStatus = {
  observedGeneration?: number;
  replicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  updatedReplicas?: number;
  updatedReadyReplicas?: number;
  updatedAvailableReplicas?: number;
  expectedUpdatedReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
  labelSelector?: string;
  conditions?: Condition[];
};

export interface CloneSet extends KubeObject {
  spec: CloneSetSpec;
  status: CloneSetStatus;
}

/** How the pods of a CloneSet are moved to the update revision, in numbers. */
export interface CloneSetRolling {
  isOnDelete: boolean;
  isPaused: boolean;
  inPlace: InPlace;
  /** The number of pods that stay unchanged. */
  kept: number;
  surge: number;
  unavailable: number;
}

const POLICIES = ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'];
const FLAT_MEMBERS = ['partition', 'paused', 'maxUnavailable', 'maxSurge'];
const UNAVAILABLE = '20%';

/**
 * With the defaults of OpenKruise's webhook.
 * https://github.com/openkruise/kruise/blob/master/apis/apps/defaults/v1alpha1.go
 */
export function withDefaults(set: CloneSet): CloneSet {
  return {
    ...set,
    spec: {
      ...set.spec,
      replicas: set.spec.replicas ?? 1,
      revisionHistoryLimit: set.spec.revisionHistoryLimit ?? 10,
    },
  };
}

export function rollingOf({ apiVersion, spec }: CloneSet): CloneSetRolling {
  const rules = rulesOf(apiVersion, spec);
  const amountOf = (value: Json | undefined, round: (value: number) => number) =>
    value === undefined || value === null ? 0 : resolveAmount(value, spec.replicas, round);
  const surge = rules.isPaused ? 0 : amountOf(rules.surge, Math.ceil);
  return {
    isOnDelete: rules.isOnDelete,
    isPaused: rules.isPaused,
    inPlace: rules.inPlace,
    kept: heldByPartition(rules.partition ?? undefined, spec.replicas),
    surge,
    unavailable: amountOf(rules.unavailable ?? UNAVAILABLE, surge === 0 ? Math.ceil : Math.floor),
  };
}

/**
 * v1beta1 has the rules one level deeper than v1alpha1; a server without conversion stores them as they were
 * written.
 */
function rulesOf(apiVersion: string, spec: CloneSetSpec): RollingSettings {
  const strategy = objectAt(spec.updateStrategy);
  const type = textAt(strategy, 'type');
  const isFlat =
    apiVersion.endsWith('/v1alpha1') ||
    (type !== undefined && POLICIES.includes(type)) ||
    FLAT_MEMBERS.some((member) => strategy?.[member] !== undefined);
  return isFlat
    ? readRollingSettings({ spec }, ['updateStrategy'], type)
    : readRollingSettings(
        { spec },
        ['updateStrategy', 'rollingUpdate'],
        textAt(strategy, 'rollingUpdate', 'podUpdatePolicy'),
      );
}
