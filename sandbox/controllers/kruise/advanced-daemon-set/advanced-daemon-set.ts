import { type Json, type JsonObject } from '@/lib/kube/json';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { heldByPartition } from '@/lib/workloads/kruise/rolling';
import { type KubeNode } from '@/sandbox/controllers/objects/node';
import {
  type DaemonSet,
  type DaemonSetSpec,
  type DaemonSetStatus,
  type IntOrString,
} from '@/sandbox/controllers/objects/workloads';

type AdvancedDaemonSetSpec = Omit<DaemonSetSpec, 'updateStrategy'> & {
  updateStrategy: {
    type: string;
    rollingUpdate?: {
      rollingUpdateType?: string;
      partition?: IntOrString;
      paused?: boolean;
      selector?: JsonObject;
      maxUnavailable?: IntOrString;
      maxSurge?: IntOrString;
    };
  };
};

export type AdvancedDaemonSetStatus = DaemonSetStatus & { daemonSetHash?: string; updateRevision?: string };

/** The rules of a DaemonSet with those of OpenKruise. */
export interface AdvancedDaemonSet extends DaemonSet {
  spec: AdvancedDaemonSetSpec;
  status: AdvancedDaemonSetStatus;
}

/** https://github.com/openkruise/kruise/blob/master/apis/apps/defaults/v1alpha1.go (SetDefaultsDaemonSet) */
export function withDefaults(set: AdvancedDaemonSet): AdvancedDaemonSet {
  const spec: Partial<AdvancedDaemonSetSpec> = set.spec;
  const { type = 'RollingUpdate', rollingUpdate = {} } = spec.updateStrategy ?? {};
  return {
    ...set,
    spec: {
      ...set.spec,
      revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
      updateStrategy: { type, rollingUpdate: { maxUnavailable: 1, maxSurge: 0, ...rollingUpdate } },
    },
  };
}

export function isPaused({ spec }: AdvancedDaemonSet): boolean {
  return spec.updateStrategy.rollingUpdate?.paused === true;
}

/** Pods are updated in place where that is possible. */
export function isInPlace({ spec }: AdvancedDaemonSet): boolean {
  const { type, rollingUpdate } = spec.updateStrategy;
  return type === 'RollingUpdate' && rollingUpdate?.rollingUpdateType === 'InPlaceIfPossible';
}

/** How many of so many nodes keep their revision. */
export function keptNodes({ spec }: AdvancedDaemonSet, nodes: number): number {
  const partition: Json | undefined = spec.updateStrategy.rollingUpdate?.partition;
  return partition === undefined ? 0 : heldByPartition(partition, nodes);
}

/** Without a selector every node may be updated. */
export function mayUpdateOn({ spec }: AdvancedDaemonSet, { metadata }: KubeNode): boolean {
  const selector = spec.updateStrategy.rollingUpdate?.selector;
  return selector === undefined || matchesSelector(parseLabelSelector(selector), metadata.labels ?? {});
}
