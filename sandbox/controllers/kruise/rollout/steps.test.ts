import { afterEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { numberAt, objectsAt, textAt } from '@/lib/kube/read';
import {
  DEPLOYMENTS,
  HISTORIES,
  newImage,
  rollout,
  ROLLOUTS,
  RolloutSandbox,
  workload,
} from '@/sandbox/controllers/kruise/testing/rollout-sandbox';

vi.setConfig({ testTimeout: 60_000 });

let sandbox: RolloutSandbox;

afterEach(() => sandbox.close());

const SERVICES = '/api/v1/namespaces/default/services';
const INGRESSES = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
const ROUTES = '/apis/gateway.networking.k8s.io/v1beta1/namespaces/default/httproutes';
const CLONE_SETS = '/apis/apps.kruise.io/v1beta1/namespaces/default/clonesets';

const STEPS = [
  { replicas: 1, traffic: '20%', pause: {} },
  { replicas: '50%', pause: {} },
  { replicas: '100%', pause: { duration: 0 } },
];

/** Four pods of v1, what routes to them, and a Rollout. */
async function start(plan: JsonObject = {}, kind: 'Deployment' | 'CloneSet' = 'Deployment'): Promise<void> {
  sandbox = await RolloutSandbox.start();
  const isDeployment = kind === 'Deployment';
  await sandbox.send('POST', isDeployment ? DEPLOYMENTS : CLONE_SETS, workload('app', 4, 'app:v1'));
  const backend = { service: { name: 'app', port: { number: 80 } } };
  await sandbox.send('POST', SERVICES, {
    metadata: { name: 'app' },
    spec: { selector: { app: 'app' }, ports: [{ port: 80 }] },
  });
  await sandbox.send('POST', INGRESSES, {
    metadata: { name: 'app' },
    spec: { rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] },
  });
  await sandbox.send('POST', ROUTES, {
    metadata: { name: 'app' },
    spec: { rules: [{ backendRefs: [{ name: 'app', port: 80 }] }] },
  });
  await sandbox.pass(20);
  const ref = { apiVersion: isDeployment ? 'apps/v1' : 'apps.kruise.io/v1beta1', kind, name: 'app' };
  const { style = 'canary', ...rest } = plan;
  const strategy = { [style as string]: { steps: STEPS, ...rest } };
  await sandbox.send('POST', ROLLOUTS, rollout('app', ref, strategy));
  await sandbox.pass(10);
}

async function ship(image: string, path = DEPLOYMENTS): Promise<void> {
  await sandbox.merge(`${path}/app`, newImage(image));
  await sandbox.pass(90);
}

async function patchStatus(progress: JsonObject, member = 'canaryStatus'): Promise<void> {
  await sandbox.merge(`${ROLLOUTS}/app/status`, { status: { [member]: progress } });
  await sandbox.pass(90);
}

const approve = (member?: string) => patchStatus({ currentStepState: 'StepReady' }, member);

/** Where requests go: the selectors of Services with a hash, the weights of canaries. */
async function readTraffic(): Promise<string[]> {
  const services = await sandbox.list(SERVICES);
  const ingresses = await sandbox.list(INGRESSES);
  const route = await sandbox.get(`${ROUTES}/app`);
  const [rule] = objectsAt(route.spec, 'rules');
  return [
    ...services
      .filter(({ spec }) => textAt(spec, 'selector', 'pod-template-hash') !== undefined)
      .map(({ metadata }) => `Service ${metadata.name} of one revision`),
    ...ingresses.flatMap(({ metadata }) => {
      const weight = metadata.annotations?.['nginx.ingress.kubernetes.io/canary-weight'];
      return weight === undefined ? [] : [`Ingress ${metadata.name} ${weight}%`];
    }),
    ...objectsAt(rule, 'backendRefs').flatMap((backend) => {
      const weight = numberAt(backend, 'weight') ?? 1;
      return weight === 1 ? [] : [`HTTPRoute ${textAt(backend, 'name')} ${weight}%`];
    }),
  ];
}

const BOTH_SERVICES = ['Service app of one revision', 'Service app-canary of one revision'];

test.each<[string, JsonObject, string[]]>([
  ['Ingress', { ingress: { name: 'app' } }, ['Ingress app-canary 20%']],
  ['HTTPRoute', { gateway: { httpRouteName: 'app' } }, ['HTTPRoute app 80%', 'HTTPRoute app-canary 20%']],
])(
  'an %s routes as the step says, and as before in a step without traffic',
  async (_kind, routing, shares) => {
    await start({ trafficRoutings: [{ service: 'app', ...routing }] });
    await ship('app:v2');
    expect(await readTraffic()).toEqual([...BOTH_SERVICES, ...shares]);
    await approve();
    expect(await sandbox.stateOf('app')).toBe('Progressing 2 StepPaused');
    expect(await readTraffic()).toEqual([]);
  },
);

test.each([
  ['approved to its end', 'app:v2'],
  ['rolled back', 'app:v1'],
])('a blue-green rollout that is %s leaves no traffic objects', async (_how, image) => {
  const trafficRoutings = [{ service: 'app', ingress: { name: 'app' } }];
  const steps = [{ replicas: '100%', traffic: '20%', pause: {} }];
  await start({ style: 'blueGreen', steps, trafficRoutings });
  await ship('app:v2');
  expect(await readTraffic()).toEqual([...BOTH_SERVICES, 'Ingress app-canary 20%']);
  if (image === 'app:v2') await approve('blueGreenStatus');
  else await ship(image);
  expect(await sandbox.stateOf('app')).toMatch(/^Healthy 1/);
  expect(await readTraffic()).toEqual([]);
});

test('a third version in the middle of the second starts over at the first step', async () => {
  await start({ enableExtraWorkloadForCanary: true });
  await ship('app:v2');
  await approve();
  expect(await sandbox.stateOf('app')).toBe('Progressing 2 StepPaused');
  await ship('app:v3');
  expect(await sandbox.stateOf('app')).toBe('Progressing 1 StepPaused');
  expect(await sandbox.countPods()).toEqual({ 'app:v1 -': 4, 'app:v3 1': 1 });
});

test('a blue-green rollout rejects a third version', async () => {
  await start({ style: 'blueGreen', steps: [{ replicas: '100%', pause: {} }] });
  await ship('app:v2');
  await ship('app:v3');
  const { status } = await sandbox.get(`${ROLLOUTS}/app`);
  expect(status?.message).toContain('new version releasing detected');
});

test('a jump to the current step runs it again, one to a later step fills the skipped one, too', async () => {
  await start();
  await ship('app:v2');
  await patchStatus({ nextStepIndex: 1 });
  expect(await sandbox.stateOf('app')).toBe('Progressing 1 StepPaused');
  await patchStatus({ nextStepIndex: 7 });
  await patchStatus({ nextStepIndex: 3 });
  expect(await sandbox.stateOf('app')).toBe('Healthy 3 Completed');
  expect(await sandbox.countPods()).toEqual({ 'app:v2 1': 1, 'app:v2 2': 1, 'app:v2 3': 2 });
});

test('a paused Rollout keeps an approval until it is resumed', async () => {
  await start();
  await ship('app:v2');
  await sandbox.merge(`${ROLLOUTS}/app`, { spec: { strategy: { paused: true } } });
  await approve();
  expect(await sandbox.stateOf('app')).toBe('Progressing 1 StepReady');
  await sandbox.merge(`${ROLLOUTS}/app`, { spec: { strategy: { paused: false } } });
  await sandbox.pass(60);
  expect(await sandbox.stateOf('app')).toBe('Progressing 2 StepPaused');
});

test.each([
  ['disabled', 'Disabled'],
  ['deleted', undefined],
])('a Rollout that is %s midway updates the rest', async (how, phase) => {
  await start();
  await ship('app:v2');
  if (how === 'deleted') await sandbox.remove(`${ROLLOUTS}/app`);
  else await sandbox.merge(`${ROLLOUTS}/app`, { spec: { disabled: true } });
  await sandbox.pass(120);
  expect((await sandbox.countPods())['app:v1 -']).toBeUndefined();
  const [left] = await sandbox.list(ROLLOUTS);
  expect(left?.status?.phase).toBe(phase);
});

test('without its workload a Rollout resets its progress', async () => {
  await start();
  await sandbox.remove(`${DEPLOYMENTS}/app`);
  const { status } = await sandbox.get(`${ROLLOUTS}/app`);
  expect(status).toMatchObject({ phase: 'Initial', message: 'Workload Not Found' });
  expect(status?.canaryStatus).toBeUndefined();
});

/** Of the records, the oldest first: phase and number of pods of each step, or `rollback pending`. */
async function readHistories(): Promise<string[]> {
  const histories = await sandbox.list(HISTORIES);
  return histories
    .toSorted((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp))
    .map(({ metadata, status }) => {
      const id = metadata.labels?.['rollouts.kruise.io/rollout-id'] ?? '';
      const pods = objectsAt(status, 'canarySteps').map((step) => objectsAt(step, 'pods').length);
      const kind = id.startsWith('rollback-') ? 'rollback ' : '';
      return `${kind}${textAt(status, 'phase') ?? 'pending'} ${pods.join()}`.trim();
    });
}

test.each<[string, 'Deployment' | 'CloneSet', JsonObject, string[]]>([
  // The first record of each is left over from the revision before.
  ['canary', 'Deployment', { enableExtraWorkloadForCanary: true }, ['pending', 'completed 0,0,0']],
  ['partition', 'CloneSet', {}, ['pending', 'completed 1,1,2']],
  ['partition behind a gateway', 'CloneSet', { gateway: { httpRouteName: 'app' } }, ['pending', 'pending']],
])('records of a %s are faulty as upstream', async (_style, kind, { gateway, ...plan }, told) => {
  const routing: JsonObject = gateway === undefined ? { ingress: { name: 'app' } } : { gateway };
  await start({ ...plan, trafficRoutings: [{ service: 'app', ...routing }] }, kind);
  const path = kind === 'Deployment' ? DEPLOYMENTS : CLONE_SETS;
  await ship('app:v2', path);
  await approve();
  await approve();
  expect(await sandbox.stateOf('app')).toBe('Healthy 3 Completed');
  expect(await readHistories()).toEqual(told);
  await ship('app:v3', path);
  await ship('app:v2', path);
  expect(await readHistories()).toEqual([...told, 'pending', 'rollback pending']);
});
