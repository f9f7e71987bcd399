import type { JsonObject } from '@/lib/kube/json';

/** Pod templates as people write them, each for another set of defaults. */
export const TEMPLATES: Readonly<Record<string, JsonObject>> = {
  'nothing but an image': podSpec({}),
  'tags and digests': {
    containers: [
      { name: 'none', image: 'registry:5000/app' },
      { name: 'latest', image: 'app:latest' },
      {
        name: 'both',
        image: 'app:latest@sha256:1111111111111111111111111111111111111111111111111111111111111111',
      },
      {
        name: 'digest',
        image: 'app@sha256:1111111111111111111111111111111111111111111111111111111111111111',
      },
      { name: 'never', image: 'app:1', imagePullPolicy: 'Never' },
    ],
  },
  'probes and hooks': podSpec({
    ports: [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP', name: 'dns' }],
    livenessProbe: { httpGet: { port: 80 } },
    readinessProbe: {
      httpGet: {
        port: 'dns',
        path: '/up',
        scheme: 'HTTPS',
        httpHeaders: [
          { name: 'A', value: 'b' },
          { name: 'B', value: '' },
        ],
      },
      periodSeconds: 3,
    },
    startupProbe: { grpc: { port: 9000 }, failureThreshold: 30, initialDelaySeconds: 0 },
    lifecycle: {
      preStop: { sleep: { seconds: 0 } },
      postStart: { httpGet: { path: '/started', port: 80 } },
    },
    terminationMessagePolicy: 'FallbackToLogsOnError',
  }),
  'other probes': podSpec({
    livenessProbe: { tcpSocket: { port: 1 }, timeoutSeconds: 4 },
    readinessProbe: { exec: { command: ['true'] }, successThreshold: 2 },
    startupProbe: { grpc: { port: 9000, service: 'up' }, terminationGracePeriodSeconds: 5 },
  }),
  environment: podSpec({
    env: [
      { name: 'A', value: '' },
      { name: 'B', value: 'b' },
      { name: 'C', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'D', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      { name: 'E', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
      { name: 'F', valueFrom: { configMapKeyRef: { name: 'c', key: 'k', optional: false } } },
    ],
    envFrom: [{ configMapRef: { name: 'c' } }, { prefix: 'P_', secretRef: { name: 's', optional: true } }],
    args: [],
    command: null,
    workingDir: '',
  }),
  amounts: podSpec({
    resources: {
      requests: { cpu: '0.5', memory: '1e3', 'ephemeral-storage': '1.5Gi' },
      limits: { cpu: 1, memory: '1000Mi', 'ephemeral-storage': '2048Mi', 'example.com/gpu': '2' },
    },
    volumeMounts: [],
  }),
  volumes: {
    containers: [
      {
        name: 'app',
        image: 'app:1',
        volumeMounts: [
          { name: 'config', mountPath: '/config', readOnly: false },
          { name: 'secret', mountPath: '/secret', readOnly: true, subPath: 'a' },
          { name: 'scratch', mountPath: '/tmp', mountPropagation: 'None' },
        ],
      },
    ],
    volumes: [
      { name: 'none' },
      { name: 'empty', projected: {} },
      { name: 'scratch', emptyDir: { sizeLimit: '1024Mi', medium: 'Memory' } },
      { name: 'config', configMap: { name: 'c', items: [{ key: 'a', path: 'b' }] } },
      { name: 'secret', secret: { secretName: 's', defaultMode: 256, optional: false } },
      { name: 'more', secret: { secretName: 's' } },
      { name: 'path', hostPath: { path: '/var' } },
      { name: 'claim', persistentVolumeClaim: { claimName: 'p' } },
      {
        name: 'down',
        downwardAPI: {
          items: [
            { path: 'a', fieldRef: { fieldPath: 'metadata.labels' } },
            { path: 'b', resourceFieldRef: { containerName: 'app', resource: 'requests.cpu' } },
          ],
        },
      },
      {
        name: 'projected',
        projected: {
          sources: [
            { serviceAccountToken: { path: 'token' } },
            { configMap: { name: 'c' } },
            { secret: { name: 's' } },
            { downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.name' } }] } },
          ],
        },
      },
    ],
  },
  'where it runs, and as whom': {
    containers: [
      {
        name: 'app',
        image: 'app:1',
        securityContext: { runAsNonRoot: true, capabilities: { drop: ['ALL'] }, privileged: false },
        stdin: false,
        tty: true,
      },
    ],
    initContainers: [
      { name: 'setup', image: 'setup' },
      {
        name: 'sidecar',
        image: 'sidecar:1',
        restartPolicy: 'Always',
        startupProbe: { tcpSocket: { port: 1 } },
      },
    ],
    serviceAccountName: 'runner',
    automountServiceAccountToken: false,
    nodeSelector: { disk: 'ssd' },
    securityContext: { fsGroup: 1, supplementalGroups: [] },
    shareProcessNamespace: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 0,
    tolerations: [
      { key: 'a', operator: 'Exists' },
      { key: 'b', value: 'c', effect: 'NoSchedule' },
    ],
  },
  'on the network of its node': {
    ...podSpec({ ports: [{ containerPort: 8080 }, { name: 'dns', containerPort: 53, protocol: 'UDP' }] }),
    hostNetwork: true,
    hostPID: false,
    hostIPC: true,
  },
};

function podSpec(container: JsonObject): JsonObject {
  return { containers: [{ name: 'app', image: 'app:1', ...container }] };
}

type Kind = 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'ReplicaSet';

/** The fields that each kind adds to its template. */
export const SPECS: readonly (readonly [kind: Kind, spec: JsonObject])[] = [
  ['Deployment', { strategy: { type: 'Recreate' }, paused: true, minReadySeconds: 0 }],
  ['Deployment', { strategy: { rollingUpdate: { maxSurge: 3 } }, replicas: 0, revisionHistoryLimit: 0 }],
  ['Deployment', { strategy: {}, progressDeadlineSeconds: 2147483647 }],
  ['ReplicaSet', {}],
  ['StatefulSet', { serviceName: 'db' }],
  ['StatefulSet', { updateStrategy: { type: 'OnDelete' }, podManagementPolicy: 'Parallel' }],
  ['StatefulSet', { updateStrategy: { type: 'RollingUpdate' }, ordinals: { start: 2 } }],
  ['StatefulSet', { updateStrategy: { rollingUpdate: { partition: 2 } } }],
  ['StatefulSet', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: {} }, replicas: 0 }],
  [
    'StatefulSet',
    {
      persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2048Mi' } } },
        },
      ],
    },
  ],
  ['DaemonSet', {}],
  ['DaemonSet', { updateStrategy: { type: 'OnDelete' }, minReadySeconds: 5 }],
  ['DaemonSet', { updateStrategy: { rollingUpdate: { maxSurge: '10%', maxUnavailable: 0 } } }],
];
