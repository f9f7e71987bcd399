import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiVersions, installCrds } from '@/e2e/chart/crds';
import { containerOf, type RenderedObject, objectsIn, podsOf } from '@/e2e/chart/rendered';
import { createRestricted } from '@/e2e/chart/restricted';
import { readValues, valueFiles } from '@/e2e/chart/value-files';
import { needs } from '@/e2e/cluster/needs';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { chartPath, renderChart, runHelm } from '@/e2e/controlplane/helm';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { readConfig } from '@/server/shared/config';

const namespace = 'shiplog';
const isOwnCluster = await needs('Rendering the chart', 'simulatedPods');
let cluster: ControlPlane;

beforeAll(async () => {
  if (!isOwnCluster) return;
  cluster = await startControlPlane({ controllers: false });
  await installCrds(cluster);
  await createRestricted(cluster, namespace);
  // `shop` exists already: it is the namespace of the test users.
  await cluster.client().create('/api/v1/namespaces', { metadata: { name: 'payments' } });
});
afterAll(() => cluster?.stop());

async function dryRun(objects: RenderedObject[]) {
  const args = ['apply', '--dry-run=server', '--validate=strict', '-f', '-'];
  const { code, stderr } = await cluster.kubectl(args, {
    input: objects.map((object) => JSON.stringify(object)).join('\n---\n'),
  });
  return { code, stderr };
}

describe.runIf(isOwnCluster).each(valueFiles)('the chart with the values %s', (name) => {
  const values = readValues(name);
  let objects: RenderedObject[];

  beforeAll(async () => {
    objects = objectsIn(await renderChart(values, apiVersions));
  });

  it('passes a strict lint', async () => {
    const args = ['lint', '--strict', '--values', '-', chartPath];
    const { code, stdout, stderr } = await runHelm(args, { input: JSON.stringify(values) });
    expect(code, stdout + stderr).toBe(0);
  });

  it('is accepted by the API server without a warning, and so are its pods', async () => {
    expect(await dryRun(objects)).toEqual({ code: 0, stderr: '' });
    const pods = podsOf(objects, namespace);
    expect(pods.length).toBeGreaterThan(0);
    expect(await dryRun(pods)).toEqual({ code: 0, stderr: '' });
  });

  it('sets variables that Shiplog accepts', () => {
    const deployment = objects.find(({ kind }) => kind === 'Deployment');
    const env = Object.fromEntries(
      containerOf(deployment as RenderedObject).env?.map(({ name: variable, value }) => [
        variable,
        value ?? secretOf(variable),
      ]) ?? [],
    );
    const file = objects.find(({ data }) => data !== undefined && 'clusters.yaml' in (data as object));
    const machine = {
      home: '/',
      exists: () => true,
      read: () => (file?.data as Record<string, string>)['clusters.yaml'] ?? '',
    };
    const config = readConfig({ ...env, KUBERNETES_SERVICE_HOST: '10.0.0.1' }, machine);
    expect(config).toMatchObject({ auth: { mode: env.SHIPLOG_AUTH } });
    expect(config.warnings).toEqual([]);
  });
});

function secretOf(variable: string): string {
  if (variable === 'DATABASE_URL') return 'postgres://shiplog:password@database.example/shiplog';
  return variable.endsWith('_URL') ? 'https://hooks.example/1' : 'of-the-secret-that-is-named-0123456789';
}

describe('who can connect to the pod', () => {
  const prometheus = [
    { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } },
  ];
  const networkOf = async (values: object) => {
    const objects = objectsIn(await renderChart(values, apiVersions));
    const policy = objects.find(({ kind }) => kind === 'NetworkPolicy');
    return { text: JSON.stringify(objects), ingress: (policy?.spec as { ingress: object[] }).ingress };
  };

  it('no one reads metrics unless the values say so', async () => {
    const { text, ingress } = await networkOf({});
    expect(ingress).toEqual([{ ports: [{ port: 'http' }] }]);
    expect(text).not.toContain('9440');
  });

  it('those that the values name read metrics, and no others', async () => {
    const { ingress } = await networkOf({ metrics: { enabled: true, from: prometheus } });
    expect(ingress[1]).toEqual({ ports: [{ port: 'metrics' }], from: prometheus });
  });
});

describe('values that cannot work are refused with what to do', () => {
  const publicUrl = 'https://shiplog.example';
  const oidc = { mode: 'oidc', oidc: { issuer: 'https://login.example', clientId: 'shiplog' } };

  const proxyHeaders = {
    mode: 'proxy-headers',
    proxyHeaders: { trustedProxies: ['10.20.0.0/16'], secret: { existingSecret: 'proxy' } },
  };

  it.each<[string, object, string]>(
    // prettier-ignore
    [
    ['two replicas of SQLite', { replicaCount: 2 }, 'PostgreSQL into a Secret and name it in database.existingSecret'],
    ['two replicas without a secret of sessions', { replicaCount: 2, database: { existingSecret: 'x' } }, 'name a Secret in auth.sessionSecret.existingSecret'],
    ['SQLite on a volume of several nodes', { persistence: { accessMode: 'ReadWriteMany' } }, 'set persistence.accessMode to ReadWriteOnce'],
    ['an open Service for everyone', { auth: { mode: 'anonymous' }, service: { type: 'LoadBalancer' } }, 'set service.type: ClusterIP'],
    ['a provider without a public URL', { auth: oidc }, 'set it to the https URL of Shiplog'],
    ['a provider without its issuer', { auth: { mode: 'oidc' }, publicUrl }, 'set auth.oidc.issuer'],
    ['a sign-in without TLS', { publicUrl: 'http://shiplog.example' }, 'publicUrl is an http URL'],
    [
      'a provider without TLS',
      { auth: { mode: 'oidc', oidc: { issuer: 'http://127.evil.example', clientId: 'shiplog' } }, publicUrl },
      'auth.oidc.issuer is an http URL',
    ],
    [
      'keys without TLS',
      {
        auth: {
          mode: 'proxy-jwt',
          proxyJwt: {
            issuer: 'https://login.example',
            audience: 'shiplog',
            keysUrl: 'http://login.example/keys',
          },
        },
        publicUrl,
      },
      'auth.proxyJwt.keysUrl is an http URL',
    ],
    ['a proxy without keys', { auth: { mode: 'proxy-jwt' }, publicUrl }, 'set auth.proxyJwt.issuer'],
    ['headers of any sender', { auth: { mode: 'proxy-headers' }, publicUrl }, 'set auth.proxyHeaders.trustedProxies'],
    ['an Ingress without a host', { ingress: { enabled: true } }, 'set it to the URL in the browser'],
    ['an HTTPRoute without a Gateway', { httpRoute: { enabled: true }, publicUrl }, 'name the Gateway in httpRoute.parentRefs'],
    ['headers of any pod', { auth: proxyHeaders, publicUrl }, 'set networkPolicy.from to the pods of the proxy'],
    ['metrics for any pod', { metrics: { enabled: true } }, 'set metrics.from to the pods of Prometheus'],
    ...['serviceMonitor', 'prometheusRule', 'grafanaDashboard'].map((value): [string, object, string] => [
      `${value} without metrics`,
      { [value]: { enabled: true } },
      'Set metrics.enabled: true',
    ]),
    ['a secret among the values', { config: { DATABASE_URL: 'x' } }, 'name that in database.existingSecret'],
    ['another secret', { config: { SHIPLOG_WEBHOOK_URL: 'x' } }, 'valueFrom'],
    ['a variable that a value sets', { config: { SHIPLOG_AUTH: 'x' } }, 'another value of this chart'],
    ['the mode for one machine', { auth: { mode: 'local' } }, "at '/auth/mode'"],
    ['an unknown variable', { config: { SHIPLOG_COLOR: 'x' } }, "additional properties 'SHIPLOG_COLOR' not allowed"],
    ['an unknown value', { replicas: 2 }, "additional properties 'replicas' not allowed"],
    ['namespaces of no cluster', { namespaces: ['shop'], clusters: { entries: [{ name: 'a', source: { kubeconfig: 'a' } }] } }, 'set namespaces in each entry'],
  ],
  )('%s', async (_, values, advice) => {
    await expect(renderChart(values, apiVersions)).rejects.toThrow(advice);
  });

  it('an HTTPRoute where the cluster has no Gateway API', async () => {
    const values = { httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] }, publicUrl };
    await expect(renderChart(values)).rejects.toThrow('install the Gateway API first');
  });
});
