import { describe, expect, test } from 'vitest';
import { POD_TEMPLATE } from '@/lib/diff/structs';
import { normalizeTemplate, semanticText } from '@/lib/diff/normalize';
import { type Json, type JsonObject, parseJson } from '@/lib/kube/json';

function pod(spec: JsonObject, metadata?: JsonObject): JsonObject {
  return { metadata, spec };
}
function container(fields: JsonObject): JsonObject {
  return pod({ containers: [{ name: 'app', image: 'shop/app:1', ...fields }] });
}
function isSame(a: JsonObject, b: JsonObject): boolean {
  return semanticText(a) === semanticText(b);
}

const SPEC_133 =
  '{"containers":[{"image":"test","imagePullPolicy":"Always","name":"test","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}';

describe('what is the same to the API server', () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      'what 1.33 and 1.34 recorded for one template',
      parseJson(
        `{"$patch":"replace","metadata":{"annotations":{"test":"value"},"creationTimestamp":null,"labels":{"app":"foo"}},"spec":${SPEC_133}}`,
      ) as JsonObject,
      parseJson(
        `{"metadata":{"annotations":{"test":"value"},"labels":{"app":"foo"}},"spec":${SPEC_133}}`,
      ) as JsonObject,
    ],
    [
      'a template with and without its defaults',
      parseJson(`{"spec":${SPEC_133}}`) as JsonObject,
      pod({ containers: [{ name: 'test', image: 'test' }] }),
    ],
    ['nothing at all', {}, { metadata: { labels: {} }, spec: null }],
    ['the hash label', pod({}, { labels: { 'pod-template-hash': 'x' } }), pod({})],
    [
      'quantities',
      container({ resources: { limits: { cpu: '1000m', memory: '1024' } } }),
      container({ resources: { limits: { cpu: 1, memory: '1Ki' } } }),
    ],
    [
      'limits below a thousandth',
      container({ resources: { limits: { cpu: '0.0001' } } }),
      container({ resources: { limits: { cpu: '1m' } } }),
    ],
    ['hostNetwork: false', pod({ hostNetwork: false }), pod({})],
    ['pod securityContext {}', pod({ securityContext: {} }), pod({})],
    ['empty and missing lists', container({ env: [], args: null }), container({})],
    [
      'serviceAccount alone',
      pod({ serviceAccount: 'bot' }),
      pod({ serviceAccountName: 'bot', serviceAccount: 'bot' }),
    ],
    [
      'port protocol',
      container({ ports: [{ containerPort: 80, hostPort: 0 }] }),
      container({ ports: [{ containerPort: 80, protocol: 'TCP' }] }),
    ],
    [
      'probe defaults, zeros included',
      container({ livenessProbe: { httpGet: { port: 80 }, periodSeconds: 0 } }),
      container({
        livenessProbe: {
          httpGet: { port: 80, path: '/', scheme: 'HTTP' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
          initialDelaySeconds: 0,
        },
      }),
    ],
    [
      'gRPC service',
      container({ readinessProbe: { grpc: { port: 1 } } }),
      container({ readinessProbe: { grpc: { port: 1, service: '' } } }),
    ],
    [
      'divisor 0 and apiVersion of an env source',
      container({
        env: [
          { name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
          { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        ],
      }),
      container({
        env: [
          { name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '0' } } },
          { name: 'B', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
        ],
      }),
    ],
    [
      'a volume without a source',
      pod({ volumes: [{ name: 'a' }] }),
      pod({ volumes: [{ name: 'a', emptyDir: {} }] }),
    ],
    [
      'modes of volumes',
      pod({
        volumes: [
          { name: 'a', secret: {} },
          { name: 'b', hostPath: { path: '/x' } },
          { name: 'c', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
        ],
      }),
      pod({
        volumes: [
          { name: 'a', secret: { defaultMode: 420 } },
          { name: 'b', hostPath: { path: '/x', type: '' } },
          {
            name: 'c',
            projected: {
              defaultMode: 420,
              sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }],
            },
          },
        ],
      }),
    ],
    [
      'an ephemeral claim',
      pod({ volumes: [{ name: 'a', ephemeral: { volumeClaimTemplate: {} } }] }),
      pod({
        volumes: [
          {
            name: 'a',
            ephemeral: {
              volumeClaimTemplate: {
                metadata: { creationTimestamp: null },
                spec: { resources: {}, volumeMode: 'Filesystem' },
              },
            },
          },
        ],
      }),
    ],
    [
      'pull policy of an image volume',
      pod({ volumes: [{ name: 'a', image: { reference: 'm' } }] }),
      pod({ volumes: [{ name: 'a', image: { reference: 'm', pullPolicy: 'Always' } }] }),
    ],
    ['key order', pod({ hostname: 'a', subdomain: 'b' }), pod({ subdomain: 'b', hostname: 'a' })],
  ])('%s', (_name, a, b) => {
    expect(semanticText(a)).toBe(semanticText(b));
  });
});

describe('what is not the same to the API server', () => {
  test.each<[string, JsonObject, JsonObject]>(
    // prettier-ignore
    [
    ['container securityContext {}', container({ securityContext: {} }), container({})],
    ['runAsNonRoot: false', pod({ securityContext: { runAsNonRoot: false } }), pod({})],
    ['a limit of 0', container({ resources: { limits: { cpu: '0' } } }), container({})],
    ['a label without a value', pod({}, { labels: { a: '' } }), pod({})],
    ['emptyDir {} against another source', pod({ volumes: [{ name: 'a', emptyDir: {} }] }), pod({ volumes: [{ name: 'a', secret: {} }] })],
    ['optional: false', container({ envFrom: [{ secretRef: { name: 'a', optional: false } }] }), container({ envFrom: [{ secretRef: { name: 'a' } }] })],
    ['port 80 and "80"', container({ livenessProbe: { tcpSocket: { port: 80 } } }), container({ livenessProbe: { tcpSocket: { port: '80' } } })],
    ['port "" and none', container({ livenessProbe: { tcpSocket: { port: '' } } }), container({ livenessProbe: { tcpSocket: {} } })],
    ['env in another order', container({ env: [{ name: 'A' }, { name: 'B' }] }), container({ env: [{ name: 'B' }, { name: 'A' }] })],
    ['image with :latest', pod({ containers: [{ image: 'a' }] }), pod({ containers: [{ image: 'a:latest' }] })],
    ['a field that Kubernetes does not know', pod({ future: { on: false } }), pod({})],
    ['integers beyond 2^53', parseJson('{"spec":{"x":9007199254740993}}') as JsonObject, parseJson('{"spec":{"x":9007199254740992}}') as JsonObject],
    ['a node label named like the prototype', pod({ nodeSelector: parseJson('{"__proto__":"a"}') }), pod({})],
  ],
  )('%s', (_name, a, b) => {
    expect(isSame(a, b)).toBe(false);
  });
});

test.each([
  ['nginx', 'Always'],
  ['nginx:latest', 'Always'],
  ['nginx:1.27', 'IfNotPresent'],
  [`nginx@sha256:${'0'.repeat(64)}`, 'IfNotPresent'],
  ['not an image', 'IfNotPresent'],
])('the pull policy of %s is %s', (image, policy) => {
  const explicit = pod({ initContainers: [{ name: 'a', image, imagePullPolicy: policy }] });
  expect(isSame(explicit, pod({ initContainers: [{ name: 'a', image }] }))).toBe(true);
});

test('the input is not changed', () => {
  const template = container({ resources: { limits: { cpu: '1000m' } }, env: [] });
  template.$patch = 'replace';
  const before = structuredClone(template);
  normalizeTemplate(template);
  expect(template).toEqual(before);
});

test('values of a wrong type are kept', () => {
  const odd: Json = {
    containers: 'none',
    volumes: [1, null],
    nodeSelector: [],
    overhead: { cpu: 'much' },
    affinity: 3,
  };
  expect(normalizeTemplate({ spec: odd }).spec).toMatchObject(odd);
});

test('the field table is complete: every inlined struct, key and pointer is in it', () => {
  const spec = POD_TEMPLATE.fields.get('spec');
  const containers = spec?.shape === 'struct' ? spec.of.fields.get('containers') : undefined;
  const fields = containers?.shape === 'list' ? containers.of?.fields : undefined;
  const probe = fields?.get('livenessProbe');
  expect(probe?.shape === 'struct' && [...probe.of.fields.keys()]).toContain('grpc');
  expect(fields?.get('ports')).toMatchObject({ list: { kind: 'map', keys: ['containerPort', 'protocol'] } });
  expect(fields?.get('envFrom')).toMatchObject({
    list: { kind: 'atomic', keys: ['prefix', 'configMapRef.name', 'secretRef.name'] },
  });
  expect(fields?.get('resources')).toMatchObject({ shape: 'struct', nullable: false });
  expect(fields?.get('restartPolicy')).toEqual({ shape: 'scalar', nullable: true });
});
