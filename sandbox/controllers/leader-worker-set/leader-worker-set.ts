import { resolveAmount } from '@/lib/kube/amount';
import { type Json } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import { type ClaimTemplate, type Condition } from '@/sandbox/controllers/objects/workloads';
import { identityOf } from '@/sandbox/controllers/stateful-set/pods';

/** https://lws.sigs.k8s.io/docs/reference/labels-annotations-and-environment-variables/ */
export const NAME = 'leaderworkerset.sigs.k8s.io/name';
export const REVISION_KEY = 'leaderworkerset.sigs.k8s.io/template-revision-hash';
export const GROUP_INDEX = 'leaderworkerset.sigs.k8s.io/group-index';
export const GROUP_KEY = 'leaderworkerset.sigs.k8s.io/group-key';
/** `0` for the leader. */
export const WORKER_INDEX = 'leaderworkerset.sigs.k8s.io/worker-index';
export const GROUP_SIZE = 'leaderworkerset.sigs.k8s.io/size';
export const LEADER_NAME = 'leaderworkerset.sigs.k8s.io/leader-name';
/** Annotation of the StatefulSet of the leaders: the replicas of the LeaderWorkerSet. */
export const REPLICAS = 'leaderworkerset.sigs.k8s.io/replicas';

export type GroupTemplate = {
  leaderTemplate?: PodTemplateSpec;
  workerTemplate: PodTemplateSpec;
  size: number;
  restartPolicy: string;
  volumeClaimTemplates?: ClaimTemplate[];
};

export type LeaderWorkerSetSpec = {
  replicas: number;
  leaderWorkerTemplate: GroupTemplate;
  rolloutStrategy?: {
    rollingUpdateConfiguration?: { partition?: number; maxUnavailable?: Json; maxSurge?: Json };
  };
  startupPolicy?: string;
  networkConfig?: { subdomainPolicy?: string };
};

export type GroupCondition = Condition & { observedGeneration?: number };

export interface LeaderWorkerSet extends KubeObject {
  spec: LeaderWorkerSetSpec;
  status: { conditions?: GroupCondition[] };
}

/**
 * With the defaults of the webhook and of the definition.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/webhooks/leaderworkerset_webhook.go
 */
export function withDefaults(set: LeaderWorkerSet): LeaderWorkerSet {
  const template: Partial<GroupTemplate> & Pick<GroupTemplate, 'workerTemplate'> =
    set.spec.leaderWorkerTemplate;
  const { size = 1, restartPolicy = 'RecreateGroupOnPodRestart' } = template;
  const leaderWorkerTemplate = {
    ...template,
    size,
    restartPolicy: restartPolicy === 'Default' ? 'None' : restartPolicy,
  };
  const { replicas = 1 }: Partial<LeaderWorkerSetSpec> = set.spec;
  return { ...set, status: set.status ?? {}, spec: { ...set.spec, replicas, leaderWorkerTemplate } };
}

/** The rollout strategy in numbers of groups. */
export function readStrategy({ spec }: LeaderWorkerSet) {
  const { rollingUpdateConfiguration = {} } = spec.rolloutStrategy ?? {};
  const { partition = 0, maxUnavailable = 1, maxSurge = 0 } = rollingUpdateConfiguration;
  return {
    partition,
    unavailable: resolveAmount(maxUnavailable, spec.replicas, Math.floor),
    surge: Math.min(spec.replicas, resolveAmount(maxSurge, spec.replicas, Math.ceil)),
  };
}

/** The position of a pod in its StatefulSet. */
export function indexOf({ metadata }: KubeObject): number {
  return identityOf(metadata.name)?.ordinal ?? -1;
}

export function recordEvent(
  manager: ControllerManager,
  set: LeaderWorkerSet,
  reason: string,
  message: string,
): void {
  const source = { component: 'leaderworkerset' };
  manager.events.record({ about: set, type: 'Normal', reason, message, source });
}
