import { type Pod, type PodStatus, type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import {
  type DaemonSet,
  type Deployment,
  type DeploymentSpec,
  type ReplicaSet,
  type ReplicaSetStatus,
  type StatefulSet,
  type StatefulSetSpec,
} from '@/sandbox/controllers/objects/workloads';
import { timeText } from '@/sandbox/controllers/objects/time';

export const T0 = Date.parse('2026-03-01T12:00:00Z');

export function template(image = 'web:1'): PodTemplateSpec {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image }] } };
}

function metadata(name: string, createdAt = T0) {
  return {
    name,
    namespace: 'shop',
    uid: `uid-${name}`,
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: timeText(createdAt),
  };
}

export function deployment(
  spec: Partial<DeploymentSpec> = {},
  annotations?: Record<string, string>,
): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...metadata('web'), ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      replicas: 10,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: template(),
      ...spec,
    },
    status: {},
  };
}

export function replicaSet(
  name: string,
  replicas: number,
  status: ReplicaSetStatus = {},
  annotations: Record<string, string> = {},
  createdAt = T0,
): ReplicaSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { ...metadata(name, createdAt), annotations },
    spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: template() },
    status,
  };
}

export function statefulSet(spec: Partial<StatefulSetSpec> = {}): StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: metadata('web'),
    spec: {
      replicas: 3,
      revisionHistoryLimit: 10,
      selector: { matchLabels: { app: 'web' } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      template: template(),
      ...spec,
    },
    status: {},
  };
}

export function daemonSet(maxUnavailable: number | string, maxSurge: number | string = 0): DaemonSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: metadata('agent'),
    spec: {
      revisionHistoryLimit: 10,
      selector: { matchLabels: { app: 'agent' } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge } },
      template: template('agent:1'),
    },
    status: {},
  };
}

export interface PodFacts {
  node?: string;
  /** Milliseconds since the epoch; null: not ready. */
  readyAt?: number | null;
  createdAt?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  phase?: string;
  restarts?: number;
  deleting?: boolean;
  image?: string;
  status?: PodStatus;
}

export function pod(name: string, facts: PodFacts = {}): Pod {
  const { node = 'n1', readyAt = T0, createdAt = T0, labels = {}, annotations = {} } = facts;
  const ready = readyAt === null ? 'False' : 'True';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata(name, createdAt),
      labels: { app: 'web', ...labels },
      annotations,
      ...(facts.deleting === true ? { deletionTimestamp: timeText(T0) } : {}),
    },
    spec: { ...template(facts.image).spec, ...(node === '' ? {} : { nodeName: node }) },
    status: facts.status ?? {
      phase: facts.phase ?? 'Running',
      conditions: [{ type: 'Ready', status: ready, lastTransitionTime: timeText(readyAt ?? T0) }],
      containerStatuses: [
        {
          name: 'app',
          image: 'web:1',
          imageID: '',
          ready: readyAt !== null,
          restartCount: facts.restarts ?? 0,
          state: {},
          lastState: {},
        },
      ],
    },
  };
}
