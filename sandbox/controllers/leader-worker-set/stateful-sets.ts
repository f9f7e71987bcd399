import { createHash } from 'node:crypto';
import { type JsonObject } from '@/lib/kube/json';
import {
  GROUP_INDEX,
  GROUP_SIZE,
  NAME,
  REPLICAS,
  REVISION_KEY,
  WORKER_INDEX,
} from '@/lib/workloads/leader-worker-set/metadata';
import { type Draft } from '@/sandbox/controllers/engine/resource';
import {
  type GroupTemplate,
  indexOf,
  type LeaderWorkerSet,
} from '@/sandbox/controllers/leader-worker-set/leader-worker-set';
import { type NextState } from '@/sandbox/controllers/leader-worker-set/rollout';
import { controllerReference } from '@/sandbox/controllers/objects/owner';
import { type Pod, type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const DOMAIN = NAME.slice(0, NAME.indexOf('/'));
const GROUP_KEY = `${DOMAIN}/group-key`;
const LEADER_NAME = `${DOMAIN}/leader-name`;
const SUBDOMAIN_POLICY = `${DOMAIN}/subdomainPolicy`;

/**
 * The StatefulSet of all leaders. Other features of the real one (exclusive placement, sub-groups) use
 * annotations that the sandbox does not read.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go (constructLeaderStatefulSetApplyConfiguration)
 */
export function leadersDraft(set: LeaderWorkerSet, key: string, { partition, replicas }: NextState): Draft {
  const { name, labels, annotations = {} } = set.metadata;
  const { leaderTemplate, workerTemplate, size } = set.spec.leaderWorkerTemplate;
  const { [LAST_APPLIED]: _lastApplied, ...kept } = annotations;
  const policy = set.spec.networkConfig?.subdomainPolicy;
  const isUnique = policy === 'UniquePerReplica';
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
      selector: { matchLabels: { [NAME]: name, [WORKER_INDEX]: '0' } },
      updateStrategy: {
        type: 'RollingUpdate',
        // The real one also sets maxUnavailable, which an API server drops unless that feature is on.
        rollingUpdate: { partition },
      },
      template: marked(
        leaderTemplate ?? workerTemplate,
        { [NAME]: name, [WORKER_INDEX]: '0', [REVISION_KEY]: key },
        { [GROUP_SIZE]: String(size), ...(isUnique && { [SUBDOMAIN_POLICY]: policy }) },
      ),
      ...claims(set.spec.leaderWorkerTemplate),
    },
  };
}

/**
 * The StatefulSet of the workers of one group, from the revision of its leader.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/pod_controller.go (constructWorkerStatefulSetApplyConfiguration)
 */
export function workersDraft(set: LeaderWorkerSet, leader: Pod, template: GroupTemplate, key: string): Draft {
  const { name } = leader.metadata;
  const { size, workerTemplate } = template;
  const own = {
    [NAME]: set.metadata.name,
    [GROUP_INDEX]: String(indexOf(leader)),
    [GROUP_KEY]: groupKey(leader),
  };
  return {
    metadata: {
      name,
      labels: { ...own, [REVISION_KEY]: key },
      ownerReferences: [controllerReference(leader)],
    },
    spec: {
      replicas: size - 1,
      serviceName: set.metadata.name,
      podManagementPolicy: 'Parallel',
      ordinals: { start: 1 },
      selector: { matchLabels: own },
      template: marked(
        workerTemplate,
        { ...own, [REVISION_KEY]: key },
        { [GROUP_SIZE]: String(size), [LEADER_NAME]: name },
      ),
      ...claims(template),
    },
  };
}

/** What the webhook writes onto a leader before it is stored. */
export function leaderLabels(leader: Pod): Record<string, string> {
  return { [GROUP_INDEX]: String(indexOf(leader)), [GROUP_KEY]: groupKey(leader) };
}

function groupKey({ metadata: { namespace, name } }: Pod): string {
  return createHash('sha1')
    .update(`${namespace ?? ''}/${name}`)
    .digest('hex');
}

function marked(
  { metadata = {}, spec }: PodTemplateSpec,
  labels: Record<string, string>,
  annotations: Record<string, string>,
): JsonObject {
  return {
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...labels },
      annotations: { ...metadata.annotations, ...annotations },
    },
    spec: { ...spec },
  };
}

function claims({ volumeClaimTemplates = [] }: GroupTemplate): JsonObject {
  return volumeClaimTemplates.length === 0 ? {} : { volumeClaimTemplates };
}
