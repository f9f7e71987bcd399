import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { type ControlPlane } from '@/e2e/controlplane/running-cluster';
import { waitFor } from '@/e2e/controlplane/wait';
import { installKruise } from '@/e2e/controllers/kruise-crds';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { numberAt, textAt } from '@/lib/kube/read';
import { systemClock } from '@/server/shared/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { createTransport, type Transport } from '@/server/cluster/transport';
import { createLogger } from '@/server/shared/log';
import { type Controllers, startManager } from '@/sandbox/controllers/controllers';
import { runKruise } from '@/sandbox/controllers/kruise/kruise';
import { releaseStartPolicies } from '@/sandbox/controllers/kruise/testing/release-start-policy';

/** Next to the real controllers of Deployments and ReplicaSets, on a busy machine. */
const TIMEOUT_MS = 90_000;
vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: 300_000 });

const NAMESPACE = 'canaries';
const ROLLOUTS = `/apis/rollouts.kruise.io/v1beta1/namespaces/${NAMESPACE}/rollouts`;
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
const CLONE_SETS = `/apis/apps.kruise.io/v1beta1/namespaces/${NAMESPACE}/clonesets`;
const HISTORIES = `/apis/rollouts.kruise.io/v1alpha1/namespaces/${NAMESPACE}/rollouthistories`;
const SERVICES = `/api/v1/namespaces/${NAMESPACE}/services`;
const INGRESSES = `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/ingresses`;
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;

let real: ControlPlane;
let transport: Transport;
let controllers: Controllers;

beforeAll(async () => {
  real = await startControlPlane({ nodes: 3 });
  const client = real.client();
  await installKruise(client);
  for (const policy of releaseStartPolicies) {
    const plural = policy.kind === 'MutatingAdmissionPolicy' ? 'policies' : 'policybindings';
    await client.create(`/apis/admissionregistration.k8s.io/v1/mutatingadmission${plural}`, policy);
  }
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [real.kubeconfigs.seeder] });
  transport = createTransport({ credentials, readOnly: false });
  controllers = startManager(
    {
      transport,
      clock: systemClock,
      log: createLogger({ level: 'error' }),
    },
    runKruise,
  );
  await client.create('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE },
  });
});

afterAll(async () => {
  await controllers?.stop();
  await transport?.close();
  await real?.stop();
});

async function createCanary(name: string, extra: boolean): Promise<void> {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:v1' }] } };
  await real.client().create(DEPLOYMENTS, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas: 4, selector: { matchLabels: labels }, template },
  });
  await real.client().create(ROLLOUTS, {
    apiVersion: 'rollouts.kruise.io/v1beta1',
    kind: 'Rollout',
    metadata: { name },
    spec: {
      workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      strategy: {
        canary: {
          ...(extra && { enableExtraWorkloadForCanary: true }),
          steps: [
            { replicas: 1, pause: {} },
            { replicas: '50%', pause: {} },
            { replicas: '100%', pause: { duration: 0 } },
          ],
        },
      },
    },
  });
  await waitFor(async () => (await statusOf(name)).startsWith('Healthy 3 Completed'), {
    what: `${name} is healthy`,
    timeoutMs: TIMEOUT_MS,
  });
  await untilReady(name, 4);
  // A policy takes effect after a moment.
  await waitFor(
    async () => {
      const path = `${DEPLOYMENTS}/${name}?dryRun=All`;
      const answer = await real
        .client()
        .patch<KubeObject>(path, imageOf('app:probe'), 'strategic-merge-patch');
      return answer.spec?.paused === true;
    },
    { what: 'releases are held back', timeoutMs: TIMEOUT_MS },
  );
}

function imageOf(image: string): object {
  return { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } };
}

async function release(name: string, image: string): Promise<void> {
  await real.client().patch(`${DEPLOYMENTS}/${name}`, imageOf(image), 'strategic-merge-patch');
}

async function patchStatus(name: string, canaryStatus: object): Promise<void> {
  await real.client().patch(`${ROLLOUTS}/${name}/status`, { status: { canaryStatus } });
}

async function statusOf(name: string): Promise<string> {
  const { status } = await real.client().get<KubeObject>(`${ROLLOUTS}/${name}`);
  const succeeded = (status?.conditions as { type: string; status: string }[] | undefined)?.find(
    ({ type }) => type === 'Succeeded',
  );
  const phase = textAt(status, 'phase') ?? '';
  const state = textAt(status, 'canaryStatus', 'currentStepState') ?? '';
  return `${phase} ${numberAt(status, 'canaryStatus', 'currentStepIndex') ?? ''} ${state} ${succeeded?.status ?? '-'}`;
}

async function until(name: string, wanted: string): Promise<void> {
  let last = '';
  await waitFor(async () => (last = await statusOf(name)) === wanted, {
    what: `${name} is at ${wanted}`,
    timeoutMs: TIMEOUT_MS,
    detail: () => `It is at ${last}.`,
  });
}

async function untilReady(name: string, replicas: number): Promise<void> {
  await waitFor(
    async () => {
      const { status } = await real.client().get<KubeObject>(`${DEPLOYMENTS}/${name}`);
      return (
        numberAt(status, 'readyReplicas') === replicas && numberAt(status, 'updatedReplicas') === replicas
      );
    },
    { what: `${name} has ${replicas} ready pods`, timeoutMs: TIMEOUT_MS },
  );
}

/** The canary Deployments of one app: those of the other tests run beside it. */
async function canariesOf(name: string): Promise<object[]> {
  const selector = `rollouts.kruise.io/canary-deployment=${name}`;
  return (await real.client().list(`${DEPLOYMENTS}?labelSelector=${selector}`)).items;
}

/** Number of the app's pods by image and batch. */
async function podsOf(name: string): Promise<Record<string, number>> {
  const { items } = await real.client().list(`${PODS}?labelSelector=app=${name}`);
  const counts: Record<string, number> = {};
  for (const { metadata, spec } of items as unknown as KubeObject[]) {
    if (metadata.deletionTimestamp !== undefined) continue;
    const [container] = (spec?.containers ?? []) as { image: string }[];
    const batch = metadata.labels?.['rollouts.kruise.io/rollout-batch-id'] ?? '-';
    const key = `${container?.image ?? ''} ${batch}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

test.concurrent(
  'a canary moves through its steps by approvals, next to the real controllers',
  async ({ expect }) => {
    await createCanary('web', true);
    await release('web', 'app:v2');
    await until('web', 'Progressing 1 StepPaused -');
    expect(await podsOf('web')).toEqual({ 'app:v1 -': 4, 'app:v2 1': 1 });
    expect(await canariesOf('web')).toHaveLength(1);
    await patchStatus('web', { currentStepState: 'StepReady' });
    await until('web', 'Progressing 2 StepPaused -');
    expect(await podsOf('web')).toEqual({ 'app:v1 -': 4, 'app:v2 1': 1, 'app:v2 2': 1 });
    await patchStatus('web', { currentStepState: 'StepReady' });
    await until('web', 'Healthy 3 Completed True');
    await waitFor(async () => (await podsOf('web'))['app:v2 -'] === 4, { what: 'all pods are new' });
    await waitFor(async () => (await canariesOf('web')).length === 0, {
      what: 'the canary Deployment is gone',
    });
  },
);

test.concurrent(
  'a partitioned Deployment jumps over a step, next to the real controllers',
  async ({ expect }) => {
    await createCanary('api', false);
    await release('api', 'app:v2');
    await until('api', 'Progressing 1 StepPaused -');
    expect(await podsOf('api')).toEqual({ 'app:v1 -': 3, 'app:v2 1': 1 });
    await patchStatus('api', { nextStepIndex: 3 });
    await until('api', 'Healthy 3 Completed True');
    await untilReady('api', 4);
    expect(await podsOf('api')).toEqual({ 'app:v2 1': 1, 'app:v2 2': 1, 'app:v2 3': 2 });
  },
);

test.concurrent('a rolled back rollout leaves the stable pods alone', async ({ expect }) => {
  await createCanary('shop', true);
  const before = (await real.client().list(`${PODS}?labelSelector=app=shop`)).items;
  await release('shop', 'app:v2');
  await until('shop', 'Progressing 1 StepPaused -');
  await release('shop', 'app:v1');
  await until('shop', 'Healthy 1 StepPaused False');
  await waitFor(async () => (await podsOf('shop'))['app:v2 1'] === undefined, { what: 'the canary is gone' });
  const after = (await real.client().list(`${PODS}?labelSelector=app=shop`)).items;
  expect(after.map(nameOf).sort()).toEqual(before.map(nameOf).sort());
});

/** The recorder stops at a record of a Rollout without traffic, until it is deleted. */
async function recordOf(name: string): Promise<KubeObject | undefined> {
  const records = (await real.client().list(HISTORIES)).items as unknown as KubeObject[];
  const isOf = ({ metadata }: KubeObject) => metadata.labels?.['rollouts.kruise.io/rollout-name'] === name;
  for (const record of records)
    if (!isOf(record)) await real.client().remove(`${HISTORIES}/${record.metadata.name}`);
  return records.find((record) => isOf(record) && record.status?.phase === 'completed');
}

function nameOf(object: unknown): string {
  return (object as KubeObject).metadata.name;
}

test.concurrent(
  'a CloneSet is rolled out with its traffic, and the record has the pods',
  async ({ expect }) => {
    const labels = { app: 'gw' };
    const client = real.client();
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:v1' }] } };
    await client.create(CLONE_SETS, {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'CloneSet',
      metadata: { name: 'gw' },
      spec: { replicas: 4, selector: { matchLabels: labels }, template },
    });
    await client.create(SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'gw' },
      spec: { selector: labels, ports: [{ port: 80 }] },
    });
    const backend = { service: { name: 'gw', port: { number: 80 } } };
    await client.create(INGRESSES, {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'gw' },
      spec: { rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] },
    });
    await client.create(ROLLOUTS, {
      apiVersion: 'rollouts.kruise.io/v1beta1',
      kind: 'Rollout',
      metadata: { name: 'gw' },
      spec: {
        workloadRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'gw' },
        strategy: {
          canary: {
            steps: [
              { traffic: '25%', replicas: '25%', pause: {} },
              { replicas: '100%', pause: { duration: 0 } },
            ],
            trafficRoutings: [{ service: 'gw', gracePeriodSeconds: 1, ingress: { name: 'gw' } }],
          },
        },
      },
    });
    await until('gw', 'Healthy 2 Completed -');
    await waitFor(async () => (await podsOf('gw'))['app:v1 -'] === 4, { what: 'the CloneSet has its pods' });
    const containers = [{ name: 'main', image: 'app:v2' }];
    const probe = { spec: { template: { spec: { containers } } } };
    await waitFor(
      async () => {
        const answer = await client.patch<KubeObject>(`${CLONE_SETS}/gw?dryRun=All`, probe);
        return textAt(answer.spec, 'updateStrategy', 'rollingUpdate', 'partition') === '100%';
      },
      { what: 'releases of CloneSets are held back', timeoutMs: TIMEOUT_MS },
    );
    await client.patch(`${CLONE_SETS}/gw`, probe);
    await until('gw', 'Progressing 1 StepPaused -');
    expect(await podsOf('gw')).toEqual({ 'app:v1 -': 3, 'app:v2 1': 1 });
    const { metadata } = await client.get<KubeObject>(`${INGRESSES}/gw-canary`);
    expect(metadata.annotations).toMatchObject({ 'nginx.ingress.kubernetes.io/canary-weight': '25' });
    await patchStatus('gw', { currentStepState: 'StepReady' });
    await until('gw', 'Healthy 2 Completed True');
    expect(await podsOf('gw')).toEqual({ 'app:v2 1': 1, 'app:v2 2': 3 });
    const record = await waitFor(() => recordOf('gw'), { what: 'the release is recorded' });
    const steps = record.status?.canarySteps as { pods: unknown[] }[];
    expect(steps.map(({ pods }) => pods.length)).toEqual([1, 3]);
  },
);

/** A workload under a Rollout of two steps, once its rollouts are held. */
async function createStepped(name: string, workload: JsonObject, rollout: JsonObject): Promise<string> {
  const { apiVersion, kind } = workload;
  const path = `/apis/${apiVersion as string}/namespaces/${NAMESPACE}/${(kind as string).toLowerCase()}s`;
  const client = real.client();
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:v1' }] } };
  const spec = { ...(workload.spec as JsonObject), selector: { matchLabels: labels }, template };
  await client.create(path, { ...workload, metadata: { name }, spec });
  const version = (rollout.apiVersion as string).split('/')[1] ?? '';
  await client.create(ROLLOUTS.replace('v1beta1', version), {
    ...rollout,
    kind: 'Rollout',
    metadata: { name },
  });
  await until(name, 'Healthy 2 Completed -');
  await waitFor(
    async () => {
      const answer = await client.patch<KubeObject>(`${path}/${name}?dryRun=All`, imageOf('app:probe'));
      return answer.metadata.annotations?.['rollouts.kruise.io/in-progressing'] !== undefined;
    },
    { what: `releases of ${name} are held back`, timeoutMs: TIMEOUT_MS },
  );
  return `${path}/${name}`;
}

test.concurrent('an object in the form of v1alpha1 moves through its steps as well', async ({ expect }) => {
  const [apiVersion, kind, name] = ['apps.kruise.io/v1alpha1', 'CloneSet', 'old'];
  const steps = [
    { weight: 25, pause: {} },
    { weight: 100, pause: { duration: 0 } },
  ];
  const path = await createStepped(
    name,
    { apiVersion, kind, spec: { replicas: 4, updateStrategy: { type: 'ReCreate' } } },
    {
      apiVersion: 'rollouts.kruise.io/v1alpha1',
      spec: { objectRef: { workloadRef: { apiVersion, kind, name } }, strategy: { canary: { steps } } },
    },
  );
  await waitFor(async () => (await podsOf(name))['app:v1 -'] === 4, { what: 'the CloneSet has its pods' });
  await real.client().patch(path, imageOf('app:v2'));
  await until(name, 'Progressing 1 StepPaused -');
  expect(await podsOf(name)).toEqual({ 'app:v1 -': 3, 'app:v2 1': 1 });
  await patchStatus(name, { currentStepState: 'StepReady' });
  await until(name, 'Healthy 2 Completed True');
  expect(await podsOf(name)).toEqual({ 'app:v2 1': 1, 'app:v2 2': 3 });
});

test.concurrent(
  'a DaemonSet moves through its steps by deletion, next to the real controller of DaemonSets',
  async ({ expect }) => {
    const [apiVersion, kind, name] = ['apps/v1', 'DaemonSet', 'agent'];
    const steps = [
      { replicas: 1, pause: {} },
      { replicas: '100%', pause: { duration: 0 } },
    ];
    const path = await createStepped(
      name,
      { apiVersion, kind, spec: {} },
      {
        apiVersion: 'rollouts.kruise.io/v1beta1',
        spec: { workloadRef: { apiVersion, kind, name }, strategy: { canary: { steps } } },
      },
    );
    await waitFor(async () => (await podsOf(name))['app:v1 -'] === 3, { what: 'every node has its pod' });
    await real.client().patch(path, imageOf('app:v2'), 'strategic-merge-patch');
    await until(name, 'Progressing 1 StepPaused -');
    expect(await podsOf(name)).toEqual({ 'app:v1 -': 2, 'app:v2 1': 1 });
    await patchStatus(name, { currentStepState: 'StepReady' });
    await until(name, 'Healthy 2 Completed True');
    expect(await podsOf(name)).toEqual({ 'app:v2 1': 1, 'app:v2 2': 2 });
    const { spec } = await real.client().get<KubeObject>(path);
    expect(textAt(spec, 'updateStrategy', 'type')).toBe('RollingUpdate');
  },
);

test('nothing is held where no Rollout has steps', async () => {
  const labels = { app: 'free', 'rollouts.kruise.io/workload-type': 'deployment' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:v1' }] } };
  await real.client().create(DEPLOYMENTS, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'free', labels },
    spec: { replicas: 1, selector: { matchLabels: { app: 'free' } }, template },
  });
  await release('free', 'app:v2');
  const { spec } = await real.client().get<KubeObject>(`${DEPLOYMENTS}/free`);
  expect(spec?.paused).toBeUndefined();
});
