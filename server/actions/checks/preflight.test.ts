import { beforeEach, describe, expect, test } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { NAMESPACE, object, pod, template } from '@/lib/workloads/testing/objects';
import { referencesOf } from '@/lib/workloads/references';
import { apiError } from '@/server/actions/testing/fake-cluster';
import { deployment, openShop } from '@/server/actions/testing/shop';

let shop: ReturnType<typeof openShop>;

function container(members: JsonObject, spec: JsonObject = {}): JsonObject {
  return {
    metadata: { labels: { app: 'checkout' } },
    spec: { containers: [{ name: 'app', image: 'checkout:2', ...members }], ...spec },
  };
}

const needs = (requests: JsonObject, limits: JsonObject = {}) =>
  container({ resources: { requests, limits } });

/** The findings of a rollback to revision 1, as `severity code: message`, without those of every rollback. */
async function check(body: JsonObject, present: JsonObject = template('3'), objects: KubeObject[] = []) {
  shop = openShop([body, present]);
  for (const entry of objects) shop.cluster.store(entry);
  return find();
}

async function find() {
  const { findings } = await shop.rollback({ to: 1, dryRun: true });
  const usual = new Set(['permitted', 'dry_run_accepted', 'no_owner']);
  return findings
    .filter(({ code }) => !usual.has(code))
    .map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
}

function core(kind: string, name: string, body: object = {}): KubeObject {
  return { ...object(kind, { name, owner: null }, body), apiVersion: 'v1' };
}

const quota = (hard: JsonObject, used: JsonObject, spec: JsonObject = {}) =>
  core('ResourceQuota', 'compute', { spec: { hard, ...spec }, status: { hard, used } });
const limitRange = (limit: JsonObject) => core('LimitRange', 'bounds', { spec: { limits: [limit] } });

beforeEach(() => {
  shop = openShop();
});

describe('references', () => {
  const referring = container(
    {
      env: [
        { name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'a' } } },
        { name: 'B', valueFrom: { secretKeyRef: { name: 'db', key: 'b', optional: true } } },
      ],
      envFrom: [{ configMapRef: { name: 'settings', optional: true } }, { secretRef: { name: 'extra' } }],
    },
    {
      serviceAccountName: 'robot',
      imagePullSecrets: [{ name: 'registry' }],
      initContainers: [{ name: 'init', envFrom: [{ secretRef: { name: 'db' } }] }],
      volumes: [
        { name: 'a', configMap: { name: 'files' } },
        { name: 'b', secret: { secretName: 'tls', optional: true } },
        { name: 'c', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'd', projected: { sources: [{ secret: { name: 'p' } }, { configMap: { name: 'files' } }] } },
        { name: 'e', csi: { driver: 'x', nodePublishSecretRef: { name: 'csi' } } },
        { name: 'f', emptyDir: {} },
      ],
    },
  );

  test('are all found, once each, required where one use requires them', () => {
    expect(referencesOf(referring).map(({ kind, name, use }) => `${kind} ${name} ${use}`)).toEqual([
      'Secret db required',
      'ConfigMap settings required',
      'Secret extra required',
      'ConfigMap files required',
      'Secret tls optional',
      'PersistentVolumeClaim data required',
      'Secret p required',
      'Secret csi required',
      'Secret registry pull',
      'ServiceAccount robot required',
    ]);
    expect(referencesOf(container({}, { serviceAccountName: 'default' }))).toEqual([]);
  });

  test('with missing objects are warned about by their effect, optional ones only noted', async () => {
    const found = [core('Secret', 'db'), core('Secret', 'extra'), core('Secret', 'p'), core('Secret', 'csi')];
    expect(await check(referring, template('3'), found)).toEqual([
      expect.stringMatching(/^warning missing_reference: ConfigMap settings, .*will not start/),
      expect.stringMatching(/^warning missing_reference: ConfigMap files, .*will not start/),
      expect.stringMatching(/^warning missing_reference: PersistentVolumeClaim data, .*not be scheduled/),
      expect.stringMatching(/^warning missing_pull_secret: Image pull Secret registry /),
      expect.stringMatching(/^warning missing_reference: ServiceAccount robot, .*created/),
      expect.stringMatching(/^info missing_optional_reference: Secret tls, /),
    ]);
  });

  test('are looked up by name alone, never with their data', async () => {
    await check(referring);
    const asked = shop.cluster.requests.filter(({ path }) => path.includes('/secrets/'));
    expect(asked).toHaveLength(6);
    for (const { method, accept, query } of asked) {
      expect({ method, accept, query }).toEqual({
        method: 'GET',
        accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
        query: { includeObject: 'None' },
      });
    }
  });

  test('that the viewer is not allowed to read are reported as unchecked, once for each kind', async () => {
    shop = openShop([referring, template('3')]);
    shop.cluster.onRequest = ({ path }) => {
      if (path.includes('/secrets/')) throw apiError(403, 'Forbidden', 'secrets is forbidden');
    };
    const findings = await find();
    expect(findings.filter((finding) => finding.includes('references_unchecked'))).toEqual([
      'info references_unchecked: References to Secrets could not be checked: API server: secrets is forbidden',
    ]);
  });

  test('are looked up thirty at most', async () => {
    const envFrom = Array.from({ length: 80 }, (_, i) => ({
      configMapRef: { name: `c${i}`, optional: true },
    }));
    const findings = await check(container({ envFrom }));
    expect(shop.cluster.requests.filter(({ path }) => path.includes('/configmaps/'))).toHaveLength(30);
    expect(findings).toContainEqual(expect.stringContaining('80 objects; only the first 30'));
  });
});

describe('room', () => {
  test('for the surge is counted against the quota', async () => {
    const body = needs({ cpu: '500m', memory: '1Gi' });
    const full = quota({ 'requests.cpu': '1200m', memory: '8Gi' }, { 'requests.cpu': '1', memory: '2Gi' });
    const other = container({ resources: { requests: { cpu: '500m', memory: '1Gi' } }, args: ['x'] });
    expect(await check(body, other, [full])).toEqual([
      expect.stringContaining(
        'warning quota_exceeded: ResourceQuota compute allows 1200m requests.cpu, 1 are used, and the rollout needs up to 500m more',
      ),
    ]);
    expect(await check(body, other, [quota({ cpu: '2', pods: '3' }, { cpu: '1', pods: '2' })])).toEqual([
      'passed quota_room: Quota is sufficient (compute).',
    ]);
    expect(await check(body, other, [quota({ pods: '2' }, { pods: '2' })])).toHaveLength(1);
  });

  test('for larger pods is counted for each replaced pod', async () => {
    const findings = await check(needs({ memory: '2Gi' }), needs({ memory: '1Gi' }), [
      quota({ memory: '5Gi' }, { memory: '2Gi' }),
    ]);
    expect(findings).toEqual([expect.stringContaining('needs up to 4Gi more')]);
  });

  test('is not estimated for a quota over some pods only', async () => {
    const scoped = quota({ pods: '1' }, { pods: '1' }, { scopes: ['Terminating'] });
    expect(await check(template('1'), template('3'), [scoped])).toEqual([
      expect.stringContaining('info quota_unchecked'),
    ]);
  });

  test('is rejected for pods without requests where the quota demands them, unless a default fills them in', async () => {
    const asking = quota({ 'limits.memory': '8Gi' }, { 'limits.memory': '0' });
    expect(await check(template('1'), template('3'), [asking])).toEqual([
      expect.stringContaining(
        'warning quota_requires: ResourceQuota compute requires limits.memory for every container, but app of revision 1',
      ),
    ]);
    const defaults = limitRange({ type: 'Container', default: { memory: '1Gi' } });
    expect(await check(template('1'), template('3'), [asking, defaults])).toEqual([
      'passed quota_room: Quota is sufficient (compute).',
    ]);
  });

  test('ends at the bounds of a LimitRange, per container and per pod', async () => {
    const body = needs({ cpu: '50m' }, { cpu: '2' });
    const container = limitRange({ type: 'Container', max: { cpu: '1' }, min: { cpu: '100m' } });
    expect(await check(body, template('3'), [container])).toEqual([
      expect.stringContaining(
        'warning limit_range: LimitRange bounds allows at most 1 cpu, but container app of revision 1 is above',
      ),
      expect.stringContaining(
        'warning limit_range: LimitRange bounds allows at least 100m cpu, but container app of revision 1 is below',
      ),
    ]);
    expect(
      await check(body, template('3'), [limitRange({ type: 'Pod', max: { cpu: '1500m' } })]),
    ).toHaveLength(1);
    expect(await check(body, template('3'), [limitRange({ type: 'Pod', max: { cpu: '2' } })])).toEqual([]);
  });
});

describe('autoscalers and budgets', () => {
  const scaler = (name: string, kind: string) => ({
    ...object(
      'HorizontalPodAutoscaler',
      { name: `${name}-${kind}`, owner: null },
      { spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind, name }, minReplicas: 2, maxReplicas: 9 } },
    ),
    apiVersion: 'autoscaling/v2',
  });
  const budget = (app: string) => ({
    ...object(
      'PodDisruptionBudget',
      { name: `of-${app}`, owner: null },
      { spec: { minAvailable: 1, selector: { matchLabels: { app } } }, status: { disruptionsAllowed: 1 } },
    ),
    apiVersion: 'policy/v1',
  });

  test('are named: the autoscaler of this workload, the budget over its pods', async () => {
    const others = [
      scaler('checkout', 'Deployment'),
      scaler('checkout', 'StatefulSet'),
      scaler('cart', 'Deployment'),
      budget('checkout'),
      budget('cart'),
    ];
    expect(await check(template('1'), template('3'), others)).toEqual([
      expect.stringContaining(
        'info autoscaled: HorizontalPodAutoscaler checkout-Deployment keeps between 2 and 9',
      ),
      expect.stringContaining(
        'info disruption_budget: PodDisruptionBudget of-checkout (at least 1 available, 1 allowed now)',
      ),
    ]);
  });
});

describe('images', () => {
  const node = (name: string, ...names: string[]) => core('Node', name, { status: { images: [{ names }] } });
  const nginx = (tag: string) => container({ image: `nginx:${tag}` });

  test('are counted on the nodes that report any, however their names are spelled', async () => {
    const nodes = [
      node('a', 'docker.io/library/nginx@sha256:00', 'docker.io/library/nginx:1'),
      node('b', 'docker.io/library/nginx:2'),
      core('Node', 'c', { status: {} }),
    ];
    expect(await check(nginx('1'), nginx('2'), nodes)).toEqual([
      'info image_on_nodes: Image nginx:1 is on 1 of 2 nodes; the others must pull it.',
    ]);
    expect(await check(nginx('0'), nginx('2'), nodes)).toEqual([
      expect.stringContaining('No node reports image nginx:0'),
    ]);
    expect(await check(nginx('1'), nginx('2'), nodes.slice(2))).toEqual([]);
  });

  test('that run now are not looked up', async () => {
    await check(container({ args: ['a'] }), container({ args: ['b'] }));
    expect(shop.cluster.requests.some(({ path }) => path === '/api/v1/nodes')).toBe(false);
  });
});

describe('a check', () => {
  test('reports how soon pods that still run the revision became ready', async () => {
    shop = openShop([template('1'), template('3')]);
    shop.cluster.put(pod('checkout-1-a', { owner: 'uid-checkout-1', labels: {}, created: 1 }));
    shop.cluster.put(pod('checkout-1-b', { owner: 'uid-checkout-1', labels: {}, created: 1, restarts: 2 }));
    expect(await find()).toEqual(['info start_time: The pod of this revision became ready within 60 s.']);
  });

  test('that fails is reported and stops nothing', async () => {
    shop = openShop([container({ image: 'other:1' }), template('3')]);
    shop.cluster.onRequest = ({ path, method }) => {
      if (method === 'GET' && !path.includes(`/apis/apps/v1/namespaces/${NAMESPACE}/`)) {
        throw apiError(403, 'Forbidden', 'no');
      }
    };
    expect((await find()).map((finding) => finding.split(':')[0])).toEqual([
      'info limit_range_unchecked',
      'info quota_unchecked',
      'info autoscaler_unchecked',
      'info disruption_budget_unchecked',
      'info images_unchecked',
    ]);
    expect((await shop.rollback({ to: 1 })).applied).toBe(true);
  });
});

describe('the sync policy of Argo CD', () => {
  const path = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/shop-checkout';
  const application = (automated?: JsonObject): KubeObject => {
    const spec = { syncPolicy: automated === undefined ? {} : { automated } };
    const found = object('Application', { name: 'shop-checkout', owner: null }, { spec });
    const metadata = { ...found.metadata, namespace: 'argocd' };
    return { ...found, metadata, apiVersion: 'argoproj.io/v1alpha1' };
  };
  async function findings(entry: KubeObject | null) {
    shop = openShop();
    const managed = deployment(template('3'));
    managed.metadata.annotations = {
      'argocd.argoproj.io/tracking-id': 'shop-checkout:apps/Deployment:shop/checkout',
    };
    shop.cluster.put(managed);
    if (entry !== null) shop.cluster.store(entry);
    return (await find()).filter((text) => text.includes('gitops_owner'));
  }

  test.each([
    [{ selfHeal: true }, /Auto-sync with self-heal is on/],
    [{}, /Auto-sync is on without self-heal/],
    [{ enabled: false, selfHeal: true }, /Auto-sync is off/],
    [undefined, /Auto-sync is off/],
  ])('is read as the viewer, and told once: %j', async (automated, expected) => {
    expect(await findings(application(automated))).toEqual([expect.stringMatching(expected)]);
    expect(shop.cluster.requests.filter((request) => request.path === path)).toHaveLength(1);
  });

  test('is unknown where the cluster has no such application', async () => {
    expect(await findings(null)).toEqual([expect.stringMatching(/Its sync policy is unknown/)]);
  });
});
