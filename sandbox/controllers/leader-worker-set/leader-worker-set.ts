import { type Json } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { resolveAmount } from '@/lib/kube/amount';
import { NAME } from '@/lib/workloads/leader-worker-set/metadata';
import { type EventType } from '@/sandbox/controllers/engine/object-event';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type Pod, type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import { type ClaimTemplate, type Condition } from '@/sandbox/controllers/objects/workloads';
import { identityOf } from '@/sandbox/controllers/stateful-set/pods';

export type GroupTemplate = {
  leaderTemplate?: PodTemplateSpec;
  workerTemplate: PodTemplateSpec;
  size: number;
  restartPolicy: string;
  subGroupPolicy?: { subGroupPolicyType?: string; subGroupSize?: number };
  volumeClaimTemplates?: ClaimTemplate[];
};

export type LeaderWorkerSetSpec = {
  replicas: number;
  leaderWorkerTemplate: GroupTemplate;
  rolloutStrategy?: {
    type?: string;
    rollingUpdateConfiguration?: { partition?: number; maxUnavailable?: Json; maxSurge?: Json };
  };
  startupPolicy?: string;
  networkConfig?: { subdomainPolicy?: string };
};

export type LeaderWorkerSetStatus = {
  observedGeneration?: number;
  replicas?: number;
  readyReplicas?: number;
  updatedReplicas?: number;
  hpaPodSelector?: string;
  conditions?: (Condition & { observedGeneration?: number })[];
};

export interface LeaderWorkerSet extends KubeObject {
  spec: LeaderWorkerSetSpec;
  status: LeaderWorkerSetStatus;
}

/** The rollout strategy in numbers of groups. */
export interface GroupStrategy {
  partition: number;
  unavailable: number;
  surge: number;
}

/**
 * With the defaults of the webhook and of the definition.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/webhooks/leaderworkerset_webhook.go
 */
export function withDefaults(set: LeaderWorkerSet): LeaderWorkerSet {
  const { leaderWorkerTemplate, ...spec } = set.spec;
  const restartPolicy = leaderWorkerTemplate.restartPolicy ?? 'RecreateGroupOnPodRestart';
  return {
    ...set,
    status: set.status ?? {},
    spec: {
      ...spec,
      replicas: spec.replicas ?? 1,
      startupPolicy: spec.startupPolicy ?? 'LeaderCreated',
      leaderWorkerTemplate: {
        ...leaderWorkerTemplate,
        size: leaderWorkerTemplate.size ?? 1,
        restartPolicy: restartPolicy === 'Default' ? 'None' : restartPolicy,
      },
    },
  };
}

export function strategyOf({ spec }: LeaderWorkerSet): GroupStrategy {
  const {
    partition = 0,
    maxUnavailable = 1,
    maxSurge = 0,
  } = spec.rolloutStrategy?.rollingUpdateConfiguration ?? {};
  return {
    partition,
    unavailable: resolveAmount(maxUnavailable, spec.replicas, Math.floor),
    surge: Math.min(spec.replicas, resolveAmount(maxSurge, spec.replicas, Math.ceil)),
  };
}

/** Position in the StatefulSet, from the name of a pod. */
export function indexOf({ metadata }: Pod): number {
  return identityOf(metadata.name)?.ordinal ?? -1;
}

/** Key of the LeaderWorkerSet to which a pod or a StatefulSet belongs by its label; undefined for all others. */
export function setKeyOf({ metadata }: KubeObject): string | undefined {
  const name = metadata.labels?.[NAME];
  return name === undefined ? undefined : `${metadata.namespace ?? '-'}/${name}`;
}

export function recordEvent(
  manager: ControllerManager,
  set: LeaderWorkerSet,
  reason: string,
  message: string,
  type: EventType = 'Normal',
): void {
  manager.events.record({ about: set, type, reason, message, source: { component: 'leaderworkerset' } });
}
