import { createHash } from 'node:crypto';
import { resolveAmount } from '@/lib/kube/amount';
import type { Json } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import { controllerReference } from '@/sandbox/controllers/objects/owner';
import type { Pod, PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import type { ClaimTemplate, Condition } from '@/sandbox/controllers/objects/workloads';
import { identityOf } from '@/sandbox/controllers/stateful-set/pods';

/** https://lws.sigs.k8s.io/docs/reference/labels-annotations-and-environment-variables/ */
export const NAME = 'leaderworkerset.sigs.k8s.io/name';
export const REVISION_KEY = 'leaderworkerset.sigs.k8s.io/template-revision-hash';
export const GROUP_INDEX = 'leaderworkerset.sigs.k8s.io/group-index';
const GROUP_KEY = 'leaderworkerset.sigs.k8s.io/group-key';
/** `0` for the leader. */
export const WORKER_INDEX = 'leaderworkerset.sigs.k8s.io/worker-index';
export const GROUP_SIZE = 'leaderworkerset.sigs.k8s.io/size';
const LEADER_NAME = 'leaderworkerset.sigs.k8s.io/leader-name';
/** Annotation of the StatefulSet of the leaders: the replicas of the LeaderWorkerSet. */
const REPLICAS = 'leaderworkerset.sigs.k8s.io/replicas';

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

export interface LeaderWorkerSet extends KubeObject {
  spec: LeaderWorkerSetSpec;
  status: { conditions?: Condition[] };
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

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** How far a rollout is: the StatefulSet of the leaders updates them from its partition on. */
export interface LeaderProgress {
  readonly replicas: number;
  readonly partition: number;
}

/**
 * The StatefulSet of all leaders.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go (constructLeaderStatefulSetApplyConfiguration)
 */
export function draftLeaders(set: LeaderWorkerSet, key: string, { partition, replicas }: LeaderProgress) {
  const { name, labels, annotations = {} } = set.metadata;
  const { leaderTemplate, workerTemplate, size, volumeClaimTemplates = [] } = set.spec.leaderWorkerTemplate;
  const { [LAST_APPLIED]: _lastApplied, ...kept } = annotations;
  const own = { [NAME]: name, [WORKER_INDEX]: '0' };
  return {
    metadata: {
      name,
      labels: { ...labels, [NAME]: name, [REVISION_KEY]: key },
      annotations: { ...kept, [REPLICAS]: String(set.spec.replicas) },
      ownerReferences: [controllerReference(set)],
    },
    spec: {
      replicas,
      serviceName: name,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: own },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } },
      template: mark(
        leaderTemplate ?? workerTemplate,
        { ...own, [REVISION_KEY]: key },
        { [GROUP_SIZE]: String(size) },
      ),
      volumeClaimTemplates,
    },
  };
}

/**
 * The StatefulSet of the workers of one group, from the revision of its leader.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/pod_controller.go (constructWorkerStatefulSetApplyConfiguration)
 */
export function draftWorkers(set: LeaderWorkerSet, leader: Pod, template: GroupTemplate, key: string) {
  const { name } = leader.metadata;
  const { size, workerTemplate, volumeClaimTemplates = [] } = template;
  const own = { [NAME]: set.metadata.name, ...groupLabels(leader) };
  const labels = { ...own, [REVISION_KEY]: key };
  return {
    metadata: { name, labels, ownerReferences: [controllerReference(leader)] },
    spec: {
      replicas: size - 1,
      serviceName: set.metadata.name,
      podManagementPolicy: 'Parallel',
      ordinals: { start: 1 },
      selector: { matchLabels: own },
      template: mark(workerTemplate, labels, { [GROUP_SIZE]: String(size), [LEADER_NAME]: name }),
      volumeClaimTemplates,
    },
  };
}

/** What tells the groups apart; on a leader a webhook writes it before the pod is stored. */
export function groupLabels(leader: Pod): Record<string, string> {
  const { namespace = '', name } = leader.metadata;
  const key = createHash('sha1').update(`${namespace}/${name}`).digest('hex');
  return { [GROUP_INDEX]: String(indexOf(leader)), [GROUP_KEY]: key };
}

function mark(
  { metadata, spec }: PodTemplateSpec,
  labels: Record<string, string>,
  annotations: Record<string, string>,
): PodTemplateSpec {
  return {
    metadata: {
      ...metadata,
      labels: { ...metadata?.labels, ...labels },
      annotations: { ...metadata?.annotations, ...annotations },
    },
    spec,
  };
}
