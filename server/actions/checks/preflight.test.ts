import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { NAMESPACE, object, pod, template } from '@/lib/workloads/testing/objects';
import { referencesOf } from '@/lib/workloads/references';
import { apiError } from '@/server/actions/testing/fake-cluster';
import { ana, deployment, openShop, ref } from '@/server/actions/testing/shop';

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
        { name: 'g', iscsi: { iqn: 'x', secretRef: { name: 'chap' } } },
        { name: 'h', azureFile: { shareName: 'x', secretName: 'azure' } },
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
      'Secret chap required',
      'Secret azure required',
      'Secret registry pull',
      'ServiceAccount robot required',
    ]);
    expect(referencesOf(container({}, { serviceAccountName: 'default' }))).toEqual([]);
  });

  test('with missing objects are warned about by their effect, optional ones only noted', async () => {
    const names = ['db', 'extra', 'p', 'csi', 'chap', 'azure'];
    const found = names.map((name) => core('Secret', name, { data: { b: '' } }));
    expect(await check(referring, template('3'), found)).toEqual([
      expect.stringMatching(/^warning missing_reference: ConfigMap settings, .*will not start/),
      expect.stringMatching(/^warning missing_reference: ConfigMap files, .*will not start/),
      expect.stringMatching(/^warning missing_reference: PersistentVolumeClaim data, .*not be scheduled/),
      expect.stringMatching(/^warning missing_pull_secret: Image pull Secret registry /),
      expect.stringMatching(/^warning missing_reference: ServiceAccount robot, .*created/),
      expect.stringMatching(/^info missing_optional_reference: Secret tls, /),
    ]);
  });

  const ephemeral = (spec: JsonObject) => ({ name: 'e', ephemeral: { volumeClaimTemplate: { spec } } });
  const trust = (optional: boolean) => ({
    name: 't',
    projected: { sources: [{ clusterTrustBundle: { name: 'corp', path: 'ca.pem', optional } }] },
  });

  test.each([
    [
      { priorityClassName: 'gone' },
      'PriorityClass gone, required by revision 1, does not exist: pods cannot be created.',
    ],
    [
      { runtimeClassName: 'gvisor' },
      'RuntimeClass gvisor, required by revision 1, does not exist: pods cannot be created.',
    ],
    [
      { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpu-tmpl' }] },
      'ResourceClaimTemplate gpu-tmpl, required by revision 1, does not exist: pods will not be scheduled.',
    ],
    [
      { resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] },
      'ResourceClaim gpu, required by revision 1, does not exist: pods will not be scheduled.',
    ],
    [
      { volumes: [ephemeral({ storageClassName: 'fast' })] },
      'StorageClass fast, required by revision 1, does not exist: pods will not be scheduled without an existing volume of that class.',
    ],
    [
      { volumes: [ephemeral({ volumeAttributesClassName: 'gold' })] },
      'VolumeAttributesClass gold, required by revision 1, does not exist: pods will not be scheduled.',
    ],
    [
      { volumes: [trust(false)] },
      'ClusterTrustBundle corp, required by revision 1, does not exist: pods will not start.',
    ],
    [
      { volumes: [trust(true)] },
      'ClusterTrustBundle corp, optional in revision 1, does not exist: pods start without it.',
    ],
  ])('to a kind of any group are looked up: %j', async (spec, expected) => {
    expect(await check(container({}, spec))).toEqual([expect.stringContaining(expected)]);
  });

  test('to objects of the whole cluster are looked up outside of the namespace', async () => {
    await check(
      container({}, { priorityClassName: 'gone', resourceClaims: [{ name: 'g', resourceClaimName: 'g' }] }),
    );
    const paths = shop.cluster.requests.map(({ path }) => path);
    expect(paths).toContain('/apis/scheduling.k8s.io/v1/priorityclasses/gone');
    expect(paths).toContain(`/apis/resource.k8s.io/v1/namespaces/${NAMESPACE}/resourceclaims/g`);
  });

  const keyed = (kind: 'configMap' | 'secret', key: string, optional?: boolean) =>
    container({
      env: [
        { name: 'A', valueFrom: { [`${kind}KeyRef`]: { name: 'cfg', key, ...(optional && { optional }) } } },
      ],
    });
  const items = (keys: string[]) => keys.map((key) => ({ key, path: key }));
  const configMap = core('ConfigMap', 'cfg', { data: { here: 'x' }, binaryData: { blob: 'AA==' } });
  const mounts = (...volumes: JsonObject[]) => container({}, { volumes });
  const projected = (source: JsonObject) => ({ name: 'p', projected: { sources: [source] } });

  test.each<[string, JsonObject, string]>([
    [
      'a variable',
      keyed('configMap', 'gone'),
      'warning missing_key: Key gone of ConfigMap cfg, required by revision 1, does not exist: pods will not start.',
    ],
    [
      'an optional variable',
      keyed('configMap', 'gone', true),
      'info missing_optional_key: Key gone of ConfigMap cfg, optional in revision 1, does not exist: pods start without it.',
    ],
    [
      'a volume',
      mounts({ name: 'v', configMap: { name: 'cfg', items: items(['here', 'blob', 'a', 'b']) } }),
      'warning missing_key: Keys a and b of ConfigMap cfg, required by revision 1, do not exist',
    ],
    [
      'a projected source',
      mounts(projected({ configMap: { name: 'cfg', items: items(['gone']) } })),
      'warning missing_key: Key gone of ConfigMap cfg',
    ],
    [
      'an optional projected source',
      mounts(projected({ configMap: { name: 'cfg', optional: true, items: items(['gone']) } })),
      'info missing_optional_key: Key gone of ConfigMap cfg',
    ],
    [
      'no missing one',
      mounts({ name: 'v', configMap: { name: 'cfg', items: items(['here', 'blob']) } }),
      'passed references_exist: Referenced object exists: ConfigMap cfg.',
    ],
  ])('include the keys of %s', async (_, body, expected) => {
    expect(await check(body, template('3'), [configMap])).toEqual([expect.stringContaining(expected)]);
  });

  test('to keys of a Secret show none of its values', async () => {
    const secret = core('Secret', 'cfg', { data: { here: 'aHVudGVyMg==' } });
    secret.metadata.annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"hunter2":1}' };
    shop = openShop([keyed('secret', 'password'), template('3')]);
    shop.cluster.store(secret);
    const answer = await shop.rollback({ to: 1, dryRun: true });
    expect(answer.findings.map(({ message }) => message)).toContain(
      'Key password of Secret cfg, required by revision 1, does not exist: pods will not start.',
    );
    expect(JSON.stringify(answer)).not.toMatch(/aHVudGVyMg|hunter2/);
  });

  test('to keys of files that only the pod itself has are reported as unchecked', async () => {
    const fromFile = (name: string, optional: boolean) => ({
      name,
      valueFrom: { fileKeyRef: { volumeName: 'f', path: 'env', key: 'k', optional } },
    });
    const body = container(
      { env: [fromFile('DB_PASSWORD', false), fromFile('RACK', true)] },
      { volumes: [{ name: 'f', emptyDir: {} }] },
    );
    expect(await check(body)).toEqual([
      'info references_unchecked: Variables that containers read from files of the pod could not be checked: DB_PASSWORD.',
    ]);
  });

  test.each([
    ['404 page not found', undefined],
    ['the server could not find the requested resource', 'NotFound'],
  ])('of a kind that the cluster does not serve are unchecked: %s', async (message, reason) => {
    shop = openShop([
      container({}, { resourceClaims: [{ name: 'g', resourceClaimName: 'g' }] }),
      template('3'),
    ]);
    shop.cluster.onRequest = ({ path }) => {
      if (path.startsWith('/apis/resource.k8s.io/'))
        throw new AppError('not_found', message, { status: 404, reason, apiMessage: message });
    };
    expect(await find()).toEqual([
      'info references_unchecked: References to ResourceClaims could not be checked: the cluster does not serve them.',
    ]);
  });

  test('are looked up by name alone, and with their data only for keys', async () => {
    await check(referring);
    const asked = shop.cluster.requests.filter(({ path }) => path.includes('/secrets/'));
    expect(asked).toHaveLength(8);
    for (const { method, path, accept, query } of asked) {
      expect({ method, accept, query }).toEqual(
        path.endsWith('/db')
          ? { method: 'GET', accept: undefined, query: undefined }
          : {
              method: 'GET',
              accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
              query: { includeObject: 'None' },
            },
      );
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

  test('of volumes are counted as those of containers', async () => {
    const mounting = container({}, { volumes: [{ name: 'm', image: { reference: 'model:2' } }] });
    expect(await check(mounting, container({}), [node('a', 'docker.io/library/nginx:2')])).toEqual([
      expect.stringContaining('No node reports image model:2'),
    ]);
  });

  test('that run now are not looked up', async () => {
    await check(container({ args: ['a'] }), container({ args: ['b'] }));
    expect(shop.cluster.requests.some(({ path }) => path === '/api/v1/nodes')).toBe(false);
  });
});

describe('a template that admission changes', () => {
  const reading = (name: string) => container({ envFrom: [{ configMapRef: { name } }] });
  /** The answers to dry runs have this template, and come after `before`. */
  const admit = (stored: JsonObject, before: Promise<unknown> = Promise.resolve()) => {
    const original = shop.cluster.api.json;
    shop.cluster.api.json = async (request) => {
      const answer = await original(request);
      if (request.method !== 'PATCH') return answer;
      await before;
      return { ...(answer as JsonObject), spec: { template: stored } };
    };
  };
  const missing = (texts: readonly string[]) => texts.filter((text) => text.includes('missing_reference'));

  test('is checked as it will be stored, under the name of its revision', async () => {
    shop = openShop([reading('settings'), template('3')]);
    admit(reading('mesh'));
    expect(missing(await find())).toEqual([
      'warning missing_reference: ConfigMap mesh, required by revision 3, does not exist: pods will not start.',
    ]);
    expect(shop.cluster.requests.some(({ path }) => path.endsWith('/configmaps/settings'))).toBe(false);
    shop = openShop([reading('settings'), reading('mesh'), template('3')]);
    admit(reading('mesh'));
    expect(missing(await find())).toEqual([
      expect.stringContaining('required by revision 2, does not exist'),
    ]);
  });

  test('is checked as it is requested where the dry run is rejected', async () => {
    shop = openShop([reading('settings'), template('3')]);
    shop.cluster.onRequest = ({ method }) => {
      if (method === 'PATCH') throw apiError(422, 'Invalid', 'spec: x');
    };
    expect(missing(await find())).toEqual([
      expect.stringContaining('ConfigMap settings, required by revision 1'),
    ]);
  });

  test('delays no look-up that does not depend on it', async () => {
    shop = openShop([reading('settings'), template('3')]);
    const lists = ['limitranges', 'resourcequotas', 'poddisruptionbudgets', 'horizontalpodautoscalers'];
    const read = new Set<string>();
    const allRead = Promise.withResolvers<undefined>();
    shop.cluster.onRequest = ({ path }) => {
      read.add(path.split('/').at(-1) ?? '');
      if (lists.every((list) => read.has(list))) allRead.resolve(undefined);
    };
    admit(reading('mesh'), allRead.promise);
    expect(missing(await find())).toHaveLength(1);
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

describe('what the owners do', () => {
  const applications = (namespace: string) =>
    `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications/shop-checkout`;
  const argo = (kind: string, name: string, body: Partial<KubeObject>, namespace = 'argocd'): KubeObject => {
    const found = object(kind, { name, owner: null }, body);
    return { ...found, metadata: { ...found.metadata, namespace }, apiVersion: 'argoproj.io/v1alpha1' };
  };
  const application = (automated?: JsonObject, namespace = 'argocd') =>
    argo('Application', 'shop-checkout', { spec: { syncPolicy: automated ? { automated } : {} } }, namespace);
  const project = argo('AppProject', 'default', { spec: {} });

  function openManaged(...entries: KubeObject[]) {
    shop = openShop();
    const managed = deployment(template('3'));
    managed.metadata.annotations = {
      'argocd.argoproj.io/tracking-id': 'shop-checkout:apps/Deployment:shop/checkout',
    };
    shop.cluster.put(managed);
    for (const entry of entries) shop.cluster.store(entry);
  }

  const gitOps = async () => (await find()).filter((text) => text.includes('gitops_owner'));

  function findings(...entries: KubeObject[]) {
    openManaged(...entries);
    return gitOps();
  }

  test.each([
    [{ selfHeal: true }, /Argo CD reverts this within seconds \(self-heal is on\)\.$/],
    [{}, /Argo CD reverts this at the next version of its source\.$/],
    [{ enabled: false, selfHeal: true }, /stays until the next manual sync/],
    [undefined, /stays until the next manual sync/],
  ])('is read as the viewer, and told once: %j', async (automated, expected) => {
    expect(await findings(application(automated), project)).toEqual([expect.stringMatching(expected)]);
    const paths = shop.cluster.requests.map(({ path }) => path);
    expect(paths.filter((path) => path === applications('argocd'))).toHaveLength(1);
  });

  test('is the same for a restart', async () => {
    openManaged(application({ selfHeal: true }), project);
    const request = { seen: shop.seen(), reason: '', dryRun: true };
    const { findings: found } = await shop.actions.control(ana, ref, 'restart', request);
    expect(found.filter(({ code }) => code === 'gitops_owner')).toMatchObject([
      { message: expect.stringContaining('(self-heal is on)') as string },
    ]);
  });

  test('is found in any namespace of Argo CD, and unknown where two have the application', async () => {
    const openshift = application({ selfHeal: true }, 'openshift-gitops');
    expect(await findings(openshift)).toEqual([expect.stringContaining('within seconds (self-heal is on)')]);
    expect(await findings(openshift, application({}))).toEqual([
      expect.stringContaining('several have its name'),
    ]);
    const resources = [{ group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'other' }];
    expect(await findings(openshift, { ...application({}), status: { resources } })).toEqual([
      expect.stringContaining('(self-heal is on)'),
    ]);
  });

  test('is unknown where the cluster has no such application, or the viewer cannot read it', async () => {
    expect(await findings()).toEqual([expect.stringContaining('it was not found, so this is unknown')]);
    openManaged(application({ selfHeal: true }));
    shop.cluster.onRequest = ({ path }) => {
      if (path === applications('argocd')) throw apiError(403, 'Forbidden', 'no');
    };
    expect(await gitOps()).toEqual([expect.stringContaining('it cannot be read, so this is unknown')]);
  });

  test('under an ApplicationSet shows the YAML for it and no command', async () => {
    const owned = application({ selfHeal: true });
    owned.metadata.ownerReferences = [
      { apiVersion: 'argoproj.io/v1alpha1', kind: 'ApplicationSet', name: 'all', uid: 'uid-all' },
    ];
    openManaged(owned, project, argo('ApplicationSet', 'all', { spec: {} }));
    const { findings: found } = await shop.rollback({ to: 1, dryRun: true });
    const owner = found.find(({ code }) => code === 'gitops_owner');
    expect(owner).toMatchObject({ manifest: expect.stringContaining('kind: ApplicationSet') as string });
    expect(owner).not.toHaveProperty('command');
  });
});
