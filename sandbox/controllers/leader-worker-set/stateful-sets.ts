import { createHash } from 'node:crypto';
import {
  GROUP_INDEX,
  GROUP_KEY,
  GROUP_SIZE,
  type GroupTemplate,
  indexOf,
  LEADER_NAME,
  type LeaderWorkerSet,
  NAME,
  REPLICAS,
  REVISION_KEY,
  WORKER_INDEX,
} from '@/sandbox/controllers/leader-worker-set/leader-worker-set';
import { controllerReference } from '@/sandbox/controllers/objects/owner';
import { type Pod, type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';

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
