import { describe, expect, test } from 'vitest';
import { diffTemplates } from '@/lib/diff/testing/diff-templates';
import { asPodDiff, templateOfPod } from '@/lib/diff/running-pod';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';

const TOKEN_MOUNT = {
  name: 'kube-api-access-x7k2p',
  mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
  readOnly: true,
};
const TOKEN_VOLUME = {
  name: 'kube-api-access-x7k2p',
  projected: {
    defaultMode: 420,
    sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 3607 } }],
  },
};
const notReady = {
  key: 'node.kubernetes.io/not-ready',
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
};

const container = { name: 'app', image: 'shop/app:1', resources: { limits: { cpu: '1', memory: '1Gi' } } };
const template: JsonObject = { metadata: { labels: { app: 'a' } }, spec: { containers: [container] } };

/** The pod that a controller, the API server and the scheduler create from the template above. */
function podWith(spec: JsonObject = {}, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'a-0',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: 'a', 'pod-template-hash': 'x' },
      ...metadata,
    },
    spec: {
      containers: [
        {
          ...container,
          imagePullPolicy: 'IfNotPresent',
          resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } },
          volumeMounts: [TOKEN_MOUNT],
        },
      ],
      volumes: [TOKEN_VOLUME],
      nodeName: 'node-1',
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      enableServiceLinks: true,
      serviceAccount: 'default',
      serviceAccountName: 'default',
      securityContext: {},
      tolerations: [notReady, { ...notReady, key: 'node.kubernetes.io/unreachable' }],
      ...spec,
    },
  };
}

function differs(expected: JsonObject, pod: KubeObject): string[] {
  return diffTemplates(expected, templateOfPod(pod, expected)).changes.map(
    ({ kind, path }) => `${kind} ${path}`,
  );
}

function withSpec(fields: JsonObject): JsonObject {
  return { ...template, spec: { containers: [container], ...fields } };
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const pinned = {
  nodeAffinity: {
    [REQUIRED]: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }],
    },
  },
};
const zoned = {
  nodeAffinity: {
    [REQUIRED]: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }] },
  },
};

describe('a pod matches its template', () => {
  test('with everything that every pod gets', () => {
    expect(differs(template, podWith())).toEqual([]);
  });

  test('of a DaemonSet, pinned to its node and tolerating its problems', () => {
    const tolerations = [
      'disk-pressure',
      'memory-pressure',
      'pid-pressure',
      'unschedulable',
      'network-unavailable',
    ].map((taint) => ({ key: `node.kubernetes.io/${taint}`, operator: 'Exists', effect: 'NoSchedule' }));
    expect(differs(template, podWith({ affinity: pinned, tolerations }))).toEqual([]);
    expect(differs(withSpec({ affinity: zoned }), podWith({ affinity: pinned }))).toEqual([]);
    expect(differs(withSpec({ affinity: {} }), podWith({ affinity: pinned }))).toEqual([]);
  });

  test('of a StatefulSet, with its name, claims and index', () => {
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data-a-0' } }];
    const labels = {
      app: 'a',
      'statefulset.kubernetes.io/pod-name': 'a-0',
      'apps.kubernetes.io/pod-index': '0',
      'controller-revision-hash': 'a-1',
    };
    const pod = podWith({ hostname: 'a-0', subdomain: 'a', volumes: [...volumes, TOKEN_VOLUME] }, { labels });
    expect(differs(template, pod)).toEqual([]);
    expect(differs(withSpec({ hostname: 'x', volumes: [{ name: 'data', emptyDir: {} }] }), pod)).toEqual([]);
  });

  test('on the network of its node, where ports become host ports', () => {
    const ports = [{ containerPort: 80 }];
    const expected = withSpec({ hostNetwork: true, containers: [{ ...container, ports }] });
    const pod = podWith({
      hostNetwork: true,
      containers: [{ ...container, ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] }],
    });
    expect(differs(expected, pod)).toEqual([]);
  });
});

describe('other differences are listed', () => {
  test.each<[string, JsonObject, string[]]>(
    // prettier-ignore
    [
    ['an injected sidecar', { containers: [container, { name: 'proxy', image: 'envoy:1' }] }, ['added spec.containers[proxy]']],
    ['another image', { containers: [{ ...container, image: 'shop/app:2' }] }, ['changed spec.containers[app].image']],
    [
      'a resize in place',
      { containers: [{ ...container, resources: { limits: { cpu: '2', memory: '1Gi' } } }] },
      ['changed spec.containers[app].resources.limits.cpu'],
    ],
    [
      'requests that are no copy of the limits',
      { containers: [{ ...container, resources: { ...container.resources, requests: { cpu: '1m' } } }] },
      ['added spec.containers[app].resources.requests.cpu'],
    ],
    ['a toleration of its own', { tolerations: [{ key: 'gpu', operator: 'Exists' }] }, ['added spec.tolerations[gpu]']],
    ['a volume of its own', { volumes: [{ name: 'x', emptyDir: {} }] }, ['added spec.volumes[x]']],
    ['another service account', { serviceAccountName: 'bot', serviceAccount: 'bot' }, ['added spec.serviceAccountName']],
    ['an affinity of its own', { affinity: zoned }, [`added spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[0]`]],
  ],
  )('%s', (_name, spec, expected) => {
    expect(differs(template, podWith(spec))).toEqual(expected);
  });

  test("a pod's own annotation and label, and a template's setting without effect", () => {
    const pod = podWith({}, { annotations: { 'sidecar/status': 'x' }, labels: { app: 'a', extra: '1' } });
    expect(differs(template, pod)).toEqual([
      'added metadata.labels.extra',
      'added metadata.annotations[sidecar/status]',
    ]);
    expect(differs(withSpec({ priority: 7 }), podWith())).toEqual(['changed spec.priority']);
  });
});

test('in terms of a pod: injected or missing, and never a reason to replace it', () => {
  const pod = podWith({
    containers: [
      { ...container, image: 'shop/app:2' },
      { name: 'proxy', image: 'envoy:1' },
    ],
  });
  const running = templateOfPod(pod, template);
  const told = asPodDiff(diffTemplates(template, running), 'after');
  expect(told.changes.map(({ note, restarts }) => [note, restarts])).toEqual([
    ['differs in the pod', false],
    ['only in the pod: an injected sidecar', false],
  ]);
  const reverse = asPodDiff(diffTemplates(running, template), 'before');
  expect(reverse.changes.map(({ note }) => note)).toContain('only in the pod: an injected sidecar');
  const missing = asPodDiff(
    diffTemplates(withSpec({ hostname: 'x' }), templateOfPod(podWith(), template)),
    'after',
  );
  expect(missing.changes.map(({ note }) => note)).toEqual(['not in the pod']);
});
