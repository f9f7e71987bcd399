import { describe, expect, test } from 'vitest';
import type { Change } from '@/lib/diff/change';
import { diffTemplates } from '@/lib/diff/testing/diff-templates';
import type { JsonObject } from '@/lib/kube/json';

function pod(spec: JsonObject, metadata?: JsonObject): JsonObject {
  return { metadata, spec };
}
function app(fields: JsonObject): JsonObject {
  return pod({ containers: [{ name: 'app', image: 'shop/app:1', ...fields }] });
}
/** `~ label: before → after` */
function describeChange({ kind, label, beforeText, afterText }: Change): string {
  const sign = { added: '+', removed: '-', changed: '~', moved: '↕' }[kind];
  const texts = [beforeText, afterText].filter((text) => text !== null);
  return `${sign} ${label}: ${texts.join(' → ')}`;
}
function changesOf(before: JsonObject, after: JsonObject): string[] {
  return diffTemplates(before, after).changes.map(describeChange);
}

describe('a changed template', () => {
  const before = pod(
    {
      initContainers: [
        { name: 'warm-cache', image: 'shop/warm:2.0' },
        { name: 'wait-db', image: 'shop/wait:1.4' },
      ],
      containers: [
        {
          name: 'app',
          image: 'shop/checkout:2.18.3',
          env: [
            { name: 'LOG_LEVEL', value: 'info' },
            { name: 'PAYMENTS_URL', value: 'http://payments.payments:8080' },
            { name: 'FEATURE_EXPRESS', value: 'false' },
          ],
          resources: { limits: { memory: '1Gi' }, requests: { cpu: 0.5 } },
          readinessProbe: { httpGet: { path: '/healthz', port: 8080 } },
          livenessProbe: { httpGet: { path: '/healthz', port: 8080 } },
        },
      ],
      volumes: [{ name: 'flags', configMap: { name: 'checkout-flags-7h2k', optional: true } }],
    },
    { labels: { app: 'checkout' } },
  );
  const after = pod(
    {
      initContainers: [
        { name: 'wait-db', image: 'shop/wait:1.4' },
        { name: 'warm-cache', image: 'shop/warm:2.0' },
      ],
      containers: [
        {
          name: 'app',
          image: 'shop/checkout:2.19.0',
          imagePullPolicy: 'IfNotPresent',
          env: [
            { name: 'LOG_LEVEL', value: 'info' },
            { name: 'PAYMENTS_GRPC_ADDR', value: 'dns:///payments.payments:9090' },
            { name: 'FEATURE_EXPRESS', value: 'true' },
          ],
          resources: { limits: { memory: '768Mi' }, requests: { cpu: '500m' } },
          readinessProbe: { httpGet: { path: '/readyz', port: 8080 } },
        },
      ],
      volumes: [{ name: 'flags', configMap: { name: 'checkout-flags-9k4d', optional: true } }],
      dnsPolicy: 'ClusterFirst',
    },
    { labels: { app: 'checkout' } },
  );
  const diff = diffTemplates(before, after);

  test('has a summary in one sentence', () => {
    expect(diff.summary).toBe(
      'image 2.18.3 → 2.19.0; memory limit 1Gi → 768Mi; liveness probe removed; env PAYMENTS_URL removed; 5 more',
    );
  });

  test('is listed container by container and concern by concern, the pod last', () => {
    expect(
      diff.changes.map((change) => [
        change.container ?? 'pod',
        change.concern,
        describeChange(change),
        change.path,
      ]),
    ).toEqual(
      // prettier-ignore
      [
      ['app', 'image', '~ image: checkout:2.18.3 → checkout:2.19.0', 'spec.containers[app].image'],
      ['app', 'env', '- env PAYMENTS_URL: http://payments.payments:8080', 'spec.containers[app].env[PAYMENTS_URL]'],
      ['app', 'env', '+ env PAYMENTS_GRPC_ADDR: dns:///payments.payments:9090', 'spec.containers[app].env[PAYMENTS_GRPC_ADDR]'],
      ['app', 'env', '~ env FEATURE_EXPRESS: false → true', 'spec.containers[app].env[FEATURE_EXPRESS].value'],
      ['app', 'resources', '~ memory limit: 1Gi → 768Mi', 'spec.containers[app].resources.limits.memory'],
      ['app', 'probes', '- liveness probe: GET /healthz every 10 s, fails after 3', 'spec.containers[app].livenessProbe'],
      ['app', 'probes', '~ readiness path: /healthz → /readyz', 'spec.containers[app].readinessProbe.httpGet.path'],
      ['pod', 'volumes', '~ volume flags: checkout-flags-7h2k → checkout-flags-9k4d', 'spec.volumes[flags].configMap.name'],
      ['pod', 'other', '↕ init wait-db: 2nd of 2 → 1st of 2', 'spec.initContainers[wait-db]'],
    ],
    );
    expect(diff.changes.at(-1)?.note).toContain(
      'now before warm-cache; order matters: init containers run one after another',
    );
    expect(diff.changes.every((change) => change.restarts)).toBe(true);
  });

  test('lists differences without meaning separately', () => {
    expect(diff.noise.map(({ reason }) => reason)).toEqual([
      'cpu 0.5 = 500m',
      'default imagePullPolicy',
      'default dnsPolicy',
    ]);
    expect(diff).toMatchObject({ equal: false, rawEqual: false, explanation: null });
  });
});

describe('verdicts', () => {
  test('1024 and 1Ki are one revision to a Deployment and two to a StatefulSet, with an explanation', () => {
    const diff = diffTemplates(
      app({ resources: { limits: { memory: '1024' } } }),
      app({ resources: { limits: { memory: '1Ki' } } }),
    );
    expect(diff).toMatchObject({ equal: true, rawEqual: false, summary: 'no change', changes: [] });
    expect(diff.noise).toEqual([
      {
        path: 'spec.containers[app].resources.limits.memory',
        before: '1024',
        after: '1Ki',
        reason: 'memory 1024 = 1Ki',
      },
    ]);
    expect(diff.explanation).toContain('memory 1024 = 1Ki');
    expect(diff.explanation).toContain('StatefulSet');
  });

  test('templates stored by two server versions are one template', () => {
    const [old, recent] = [{ creationTimestamp: null, labels: { app: 'foo' } }, { labels: { app: 'foo' } }];
    const diff = diffTemplates(
      { $patch: 'replace', ...pod({ containers: [] }, old) },
      pod({ containers: [] }, recent),
    );
    expect(diff).toMatchObject({ equal: true, rawEqual: false });
    expect(diff.noise).toMatchObject([
      { path: 'metadata.creationTimestamp', reason: 'creationTimestamp is metadata only' },
    ]);
  });

  test('the hash label and $patch count for neither', () => {
    const recorded = { $patch: 'replace', ...pod({}, { labels: { app: 'a', 'pod-template-hash': '1' } }) };
    expect(diffTemplates(recorded, pod({}, { labels: { app: 'a' } }))).toMatchObject({
      equal: true,
      rawEqual: true,
    });
    expect(diffTemplates(pod({}, { labels: { 'pod-template-hash': '1' } }), pod({}, {})).rawEqual).toBe(true);
  });

  test.each<[string, JsonObject, JsonObject]>([
    [
      'divisor "0"',
      app({
        env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '0' } } }],
      }),
      app({ env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }] }),
    ],
    ['pod securityContext {}', pod({ securityContext: {} }), pod({})],
    ['hostNetwork: false', pod({ hostNetwork: false }), pod({})],
    [
      'the old name of the service account',
      pod({ serviceAccount: 'a', serviceAccountName: 'a' }),
      pod({ serviceAccountName: 'a' }),
    ],
  ])('%s is noise', (_name, before, after) => {
    const diff = diffTemplates(before, after);
    expect([diff.equal, diff.rawEqual, diff.noise.length]).toEqual([true, false, 1]);
  });

  test('a service account that changes under both its names is one change and no noise', () => {
    const diff = diffTemplates(
      pod({ serviceAccount: 'a', serviceAccountName: 'a' }),
      pod({ serviceAccount: 'b', serviceAccountName: 'b' }),
    );
    expect(diff.changes.map(describeChange)).toEqual(['~ service account: a → b']);
    expect(diff.noise).toEqual([]);
  });
});

describe('what counts as one change', () => {
  test.each<[string, JsonObject, JsonObject, string[]]>([
    [
      'env in another order is a move and no no-op',
      app({ env: [{ name: 'A' }, { name: 'B' }] }),
      app({ env: [{ name: 'B' }, { name: 'A' }] }),
      ['↕ env B: 2nd of 2 → 1st of 2'],
    ],
    [
      'ports are told apart by number and protocol',
      app({ ports: [{ containerPort: 53 }, { containerPort: 53, protocol: 'UDP' }] }),
      app({ ports: [{ containerPort: 53, protocol: 'UDP' }, { containerPort: 53 }] }),
      ['↕ port 53/UDP: 2nd of 2 → 1st of 2'],
    ],
    [
      'a port keeps its identity when its name changes',
      app({ ports: [{ containerPort: 80, name: 'a' }] }),
      app({ ports: [{ containerPort: 80, protocol: 'TCP', name: 'b' }] }),
      ['~ port 80/TCP: 80/TCP, named a → 80/TCP, named b'],
    ],
    [
      'container securityContext {} is not none',
      app({ securityContext: {} }),
      app({}),
      ['- security context: empty'],
    ],
    [
      'runAsNonRoot: false is not none',
      pod({ securityContext: { runAsNonRoot: false } }),
      pod({}),
      ['- run as non root: false'],
    ],
    [
      'ports 80 and "80" differ',
      app({ livenessProbe: { tcpSocket: { port: 80 } } }),
      app({ livenessProbe: { tcpSocket: { port: '80' } } }),
      ['~ liveness port: 80 → "80"'],
    ],
    [
      'only the image string differs when :latest is spelled out',
      app({ image: 'nginx' }),
      app({ image: 'nginx:latest' }),
      ['~ image: nginx → nginx:latest'],
    ],
    [
      'mounts are told apart by path, not by volume',
      app({
        volumeMounts: [
          { name: 'v', mountPath: '/a' },
          { name: 'v', mountPath: '/b' },
        ],
      }),
      app({
        volumeMounts: [
          { name: 'v', mountPath: '/a', readOnly: true },
          { name: 'w', mountPath: '/b' },
        ],
      }),
      ['~ mount /a: volume v → volume v, read-only', '~ mount /b: volume v → volume w'],
    ],
    [
      'spread constraints are told apart by topology and strictness',
      pod({
        topologySpreadConstraints: [
          { topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', maxSkew: 1 },
          { topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 1 },
        ],
      }),
      pod({
        topologySpreadConstraints: [
          { topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', maxSkew: 1 },
          { topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 2 },
        ],
      }),
      ['~ spread over zone max skew: 1 → 2'],
    ],
    [
      'repeated variables pair up one by one',
      app({
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      }),
      app({
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '3' },
        ],
      }),
      ['~ env A#2: 2 → 3'],
    ],
    [
      'a variable that changes its source',
      app({ env: [{ name: 'A', value: '1' }] }),
      app({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }] }),
      ['~ env A: 1 → from Secret db key password'],
    ],
    [
      'a variable that becomes empty',
      app({ env: [{ name: 'A', value: '1' }] }),
      app({ env: [{ name: 'A' }] }),
      ['~ env A: 1 → empty'],
    ],
    [
      'env sources in another order',
      app({ envFrom: [{ configMapRef: { name: 'a' } }, { secretRef: { name: 'b' } }] }),
      app({ envFrom: [{ secretRef: { name: 'b' } }, { configMapRef: { name: 'a' } }] }),
      ['↕ env from Secret b: 2nd of 2 → 1st of 2'],
    ],
    [
      'a probe of another type',
      app({ readinessProbe: { httpGet: { path: '/', port: 80 } } }),
      app({ readinessProbe: { exec: { command: ['test', '-f', '/tmp/a b'] }, periodSeconds: 5 } }),
      [
        "~ readiness probe: GET / every 10 s, fails after 3 → runs test -f '/tmp/a b' every 5 s, fails after 3",
      ],
    ],
    [
      'a volume of another type',
      pod({ volumes: [{ name: 'd', emptyDir: { medium: 'Memory', sizeLimit: '1024Mi' } }] }),
      pod({ volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }] }),
      ['~ volume d: empty directory, in memory, up to 1Gi → claim data'],
    ],
    [
      'a command is one text',
      app({ command: ['sh', '-c', 'a && b'] }),
      app({ command: ['sh', '-c', "echo 'x'"] }),
      ["~ command: sh -c 'a && b' → sh -c 'echo '\\''x'\\'''"],
    ],
    [
      'a container comes, another goes',
      pod({ containers: [{ name: 'a', image: 'x/a:1' }] }),
      pod({ containers: [{ name: 'b', image: 'x/b:1', env: [{ name: 'A' }] }] }),
      ['+ container b: b:1', '- container a: a:1'],
    ],
    [
      'an image from elsewhere is written out',
      app({ image: 'a.example/x/app:1' }),
      app({ image: 'b.example/y/app:1' }),
      ['~ image: a.example/x/app:1 → b.example/y/app:1'],
    ],
    [
      'the last member of an object takes the object along',
      app({ securityContext: { capabilities: { drop: ['ALL'] } } }),
      app({}),
      ['- dropped capability ALL: ALL'],
    ],
    [
      'labels and annotations one by one',
      pod({}, { labels: { a: '1' }, annotations: { 'x.io/y': '1' } }),
      pod({}, { labels: { a: '2' } }),
      ['- annotation x.io/y: 1', '~ label a: 1 → 2'],
    ],
    [
      'an affinity term that changes',
      pod({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
            },
          },
        },
      }),
      pod({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }] },
              ],
            },
          },
        },
      }),
      ['~ node affinity (required): zone in (a) → zone in (a, b)'],
    ],
    [
      'the same container under another list',
      pod({ containers: [{ name: 'a', image: 'x' }] }),
      pod({ initContainers: [{ name: 'a', image: 'x' }] }),
      ['- container a: x', '+ init a: x'],
    ],
    [
      'a field that Kubernetes does not know',
      pod({ future: { rules: [{ name: 'a', on: true }, { name: 'b' }] } }),
      pod({ future: { rules: [{ name: 'b' }, { name: 'a', on: false }] } }),
      ['↕ future rules b: 2nd of 2 → 1st of 2', '~ future on a: true → false'],
    ],
    [
      'numbers with a unit',
      pod({ terminationGracePeriodSeconds: 30 }),
      pod({ terminationGracePeriodSeconds: 60 }),
      ['~ termination grace period: 30 s → 60 s'],
    ],
    [
      'file modes',
      pod({ volumes: [{ name: 'a', secret: { secretName: 's' } }] }),
      pod({ volumes: [{ name: 'a', secret: { secretName: 's', defaultMode: 256 } }] }),
      ['~ volume a default mode: 0644 → 0400'],
    ],
  ])('%s', (_name, before, after, expected) => {
    expect(changesOf(before, after).sort()).toEqual(expected.sort());
    expect(diffTemplates(before, after).equal).toBe(false);
  });
});

describe('summary', () => {
  const restartedAt = (time: string) =>
    pod({}, { annotations: { 'kubectl.kubernetes.io/restartedAt': time } });

  test('a restart is named as such, also the first one', () => {
    for (const before of [restartedAt('2026-01-01T00:00:00Z'), pod({})]) {
      const diff = diffTemplates(before, restartedAt('2026-01-02T00:00:00Z'));
      expect(diff).toMatchObject({ restartOnly: true, equal: false, summary: 'restart only' });
    }
    const more = diffTemplates(pod({}), { ...restartedAt('2026-01-02T00:00:00Z'), spec: { hostname: 'a' } });
    expect(more.restartOnly).toBe(false);
  });

  test('containers are named where there is more than one', () => {
    const two = (tag: string) =>
      pod({
        containers: [
          { name: 'app', image: `app:${tag}` },
          { name: 'proxy', image: 'envoy:1' },
        ],
      });
    expect(diffTemplates(two('1'), two('2')).summary).toBe('app image 1 → 2');
    const init = (tag: string) =>
      pod({ initContainers: [{ name: 'wait', image: `wait:${tag}` }], containers: [{ name: 'app' }] });
    expect(diffTemplates(init('1'), init('2')).summary).toBe('wait image 1 → 2');
  });

  test('a long value is omitted', () => {
    const env = (value: string) => app({ env: [{ name: 'A', value }] });
    expect(diffTemplates(env('x'), env('y'.repeat(40))).summary).toBe('env A changed');
    expect(diffTemplates(env('x'), env('y')).summary).toBe('env A x → y');
  });
});

describe('masked values', () => {
  test('show that they changed and nothing more', () => {
    const env = (value: string) =>
      app({ env: [{ name: 'DB_PASSWORD', value }], args: ['--user=a', `--password=${value}`] });
    const { changes, summary } = diffTemplates(env('[masked:00000001]'), env('[masked:00000002]'));
    expect(changes.map(describeChange)).toEqual([
      '~ env DB_PASSWORD: [masked] → value changed (masked)',
      '~ args: --user=a --password=[masked] → value changed (masked)',
    ]);
    expect(summary).toBe('env DB_PASSWORD changed; args changed');
  });

  test('are masked where they are added or removed', () => {
    expect(changesOf(app({}), app({ env: [{ name: 'TOKEN', value: '[masked:00000001]' }] }))).toEqual([
      '+ env TOKEN: [masked]',
    ]);
  });
});

test('two long texts are shown around their first difference', () => {
  const annotation = (end: string) => pod({}, { annotations: { a: `${'x'.repeat(1000)}${end}` } });
  const [change] = diffTemplates(annotation('1'), annotation('2')).changes;
  expect([change?.beforeText, change?.afterText]).toEqual([`…${'x'.repeat(40)}1`, `…${'x'.repeat(40)}2`]);
});

test('an image that only moved to another tag has a note', () => {
  const digest = `sha256:${'0a'.repeat(32)}`;
  const [change] = diffTemplates(app({ image: `a:1@${digest}` }), app({ image: `a:2@${digest}` })).changes;
  expect(change?.note).toBe('same digest: same image');
});

describe('images of one tag and two digests', () => {
  const pinned = (tag: string, digest: string) =>
    app({ image: `shop/app:${tag}@sha256:${digest.repeat(8)}` });

  test('are told apart in the change and in the summary', () => {
    const { summary, changes } = diffTemplates(pinned('stable', 'aaaa1111'), pinned('stable', 'bbbb2222'));
    expect(changes.map(describeChange)).toEqual(['~ image: app:stable@aaaa1111 → app:stable@bbbb2222']);
    expect(summary).toBe('image stable@aaaa1111 → stable@bbbb2222');
  });

  test('are named by their tags where those differ', () => {
    const { summary, changes } = diffTemplates(pinned('1.0', 'aaaa1111'), pinned('1.1', 'bbbb2222'));
    expect(changes.map(describeChange)).toEqual(['~ image: app:1.0 → app:1.1']);
    expect(summary).toBe('image 1.0 → 1.1');
  });

  test.each([
    ['1.0', 'image 1.0@aaaa1111 → 1.0'],
    ['1.1', 'image 1.0@aaaa1111 → 1.1'],
  ])('say that tag %s has replaced the digest, and the reverse', (tag, summary) => {
    const [from, to] = [pinned('1.0', 'aaaa1111'), app({ image: `shop/app:${tag}` })];
    const dropped = diffTemplates(from, to);
    expect(dropped.summary).toBe(summary);
    expect(dropped.changes[0]?.note).toMatch(/^no longer pinned by digest/);
    expect(diffTemplates(to, from).changes[0]?.note).toMatch(/^now pinned by digest/);
  });
});

describe('a container that becomes a native sidecar', () => {
  const main = { name: 'app', image: 'shop/app:1' };
  const plain = pod({ containers: [main, { name: 'proxy', image: 'shop/proxy:1' }] });
  const sidecar = pod({
    initContainers: [{ name: 'proxy', image: 'shop/proxy:2', restartPolicy: 'Always' }],
    containers: [main],
  });

  test('is one change of its type, beside those of its settings', () => {
    const { changes, summary } = diffTemplates(plain, sidecar);
    expect(changes.map(describeChange)).toEqual([
      '~ image: proxy:1 → proxy:2',
      '~ type: container → native sidecar',
    ]);
    expect(changes.map(({ container }) => container)).toEqual(['proxy', 'proxy']);
    expect(changes[1]?.note).toBe('starts before the containers and stops after them');
    expect(summary).toBe('proxy image 1 → 2; proxy type container → native sidecar');
  });

  test('is one in reverse, at the same place', () => {
    const [, back] = diffTemplates(sidecar, plain).changes;
    expect(back && describeChange(back)).toBe('~ type: native sidecar → container');
    expect(back?.place).toBe(diffTemplates(plain, sidecar).changes[1]?.place);
  });

  test('differs from an init container, which is another one of the same name', () => {
    const init = pod({ initContainers: [{ name: 'proxy', image: 'shop/proxy:1' }], containers: [main] });
    expect(changesOf(plain, init)).toEqual(['- container proxy: proxy:1', '+ init proxy: proxy:1']);
  });
});
