import { afterEach, expect, test, vi } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { deriveRolloutView } from '@/server/views/rollout-view';
import { deriveView, workloadItemOf, ViewCache } from '@/server/views/workload-view';
import { type Cluster } from '@/server/cluster/cluster';
import { Keys } from '@/server/shared/keys';
import {
  APPROVAL,
  CLONE_SETS,
  createIngress,
  createService,
  DEPLOYMENTS,
  newImage,
  rollout,
  ROLLOUTS,
  workload,
} from '@/sandbox/controllers/kruise/testing/rollout-manifests';
import { type ObjectState, RolloutSandbox } from '@/sandbox/controllers/kruise/testing/rollout-sandbox';
import { ReplayedCluster } from '@/test/replay/replayed-cluster';

vi.setConfig({ testTimeout: 60_000 });

let sandbox: RolloutSandbox;

afterEach(() => sandbox.close());

/** Every status of the Rollout and the workload `web` during a scenario, without repetitions. */
class StatusObserver {
  readonly #resource: string;
  readonly #cluster = new ReplayedCluster(sandbox.clock.now(), () => sandbox.clock.now());
  #told: string[] = [];
  #next = 0;

  constructor(resource: string) {
    this.#resource = resource;
    sandbox.onMoment = () => Promise.resolve(this.#look());
  }

  /** Since the last call. */
  told(): string[] {
    this.#look();
    return this.#told.splice(0);
  }

  #look(): void {
    for (const { type, object } of sandbox.changes.slice(this.#next))
      this.#cluster.apply({ t: 0, type: type as 'ADDED', object });
    this.#next = sandbox.changes.length;
    const words = this.#words();
    if (words !== null && words !== this.#told.at(-1)) this.#told.push(words);
  }

  #words(): string | null {
    const cluster = this.#cluster as unknown as Cluster;
    const now = () => sandbox.clock.now();
    const object = cluster.rollouts.rollout('rollouts.rollouts.kruise.io', 'default', 'web');
    const held = cluster.cache.workload(this.#resource, 'default', 'web');
    if (object === undefined || held === undefined) return null;
    const keys = new Keys(Buffer.alloc(32, 7));
    const views = new ViewCache(cluster, keys.mask, now);
    const { state, step } = deriveRolloutView(cluster, views, object, now()).rollout;
    const item = workloadItemOf('sandbox', deriveView(cluster, held, now()), keys.mask);
    const told = item.awaitsApproval === true ? `${item.state} for approval` : item.state;
    return `${state} ${step.index}/${step.total}, ${told}`;
  }
}

/** Of the Deployment, without repetitions. */
function statesOf(changes: readonly ObjectState[], tell: (object: KubeObject) => unknown): unknown[] {
  const told = changes
    .filter(({ collection }) => collection === 'deployments.apps')
    .map(({ object }) => JSON.stringify(tell(object)));
  return told.filter((text, index) => text !== told[index - 1]).map((text): unknown => JSON.parse(text));
}

async function begin(kind: 'Deployment' | 'CloneSet', strategy: JsonObject): Promise<StatusObserver> {
  sandbox = await RolloutSandbox.start();
  const [apiVersion, plural] =
    kind === 'Deployment' ? ['apps/v1', 'deployments'] : ['apps.kruise.io/v1beta1', 'clonesets'];
  await sandbox.create(`/apis/${apiVersion}`, plural, workload('web', 5, 'app:v1'));
  await createService(sandbox, 'web');
  await createIngress(sandbox, 'web');
  await sandbox.pass(20);
  const ref = { apiVersion, kind, name: 'web' };
  await sandbox.create('/apis/rollouts.kruise.io/v1beta1', 'rollouts', rollout('web', ref, strategy));
  await sandbox.pass(5);
  return new StatusObserver(kind === 'Deployment' ? 'deployments.apps' : 'clonesets.apps.kruise.io');
}

const approve = () => sandbox.merge(`${ROLLOUTS}/web/status`, APPROVAL);
const trafficRoutings = [{ service: 'web', ingress: { classType: 'nginx', name: 'web' } }];

test('a Deployment is held by its Rollout while that finalizes in stages, and is never read as paused', async () => {
  const steps = [
    { traffic: '20%', replicas: 1, pause: {} },
    { traffic: '100%', replicas: '100%', pause: { duration: 0 } },
  ];
  const canary = { enableExtraWorkloadForCanary: true, steps, trafficRoutings };
  const observer = await begin('Deployment', { canary });
  await sandbox.merge(`${DEPLOYMENTS}/web`, newImage('app:v2'));
  await sandbox.pass(60);
  expect(observer.told()).toEqual([
    'starting 0/2, held',
    'progressing 1/2, held',
    'waiting 1/2, held for approval',
  ]);
  const mark = sandbox.changes.length;
  await approve();
  await sandbox.pass(120);
  expect(observer.told()).toEqual([
    'progressing 2/2, held',
    'completing 2/2, held',
    'completing 2/2, rolling',
    'completed 2/2, complete',
  ]);
  const marks = ({ metadata, spec }: KubeObject) => [
    Object.keys(metadata.annotations ?? {}).flatMap((key) => /in-progressing|control-info/.exec(key) ?? []),
    spec?.paused ?? false,
  ];
  const ofWeb = sandbox.changes.slice(mark).filter(({ object }) => object.metadata.name === 'web');
  expect(statesOf(ofWeb, marks)).toEqual([
    // Already without the annotation of the rollout.
    [['control-info'], true],
    [[], false],
  ]);
});

test('a blue-green Deployment that waits for approval is held', async () => {
  const steps = [
    { traffic: '0%', replicas: '100%', pause: {} },
    { traffic: '100%', replicas: '100%', pause: {} },
  ];
  const observer = await begin('Deployment', { blueGreen: { steps, trafficRoutings } });
  await sandbox.merge(`${DEPLOYMENTS}/web`, newImage('app:v2'));
  await sandbox.pass(60);
  expect(observer.told()).toEqual([
    'starting 0/2, held',
    'progressing 1/2, held',
    'progressing 1/2, rolling',
    'waiting 1/2, held for approval',
  ]);
  const step = { status: { blueGreenStatus: { currentStepState: 'StepReady' } } };
  await sandbox.merge(`${ROLLOUTS}/web/status`, step);
  await sandbox.pass(60);
  await sandbox.merge(`${ROLLOUTS}/web/status`, step);
  await sandbox.pass(120);
  expect(observer.told()).toEqual([
    'progressing 2/2, rolling',
    'waiting 2/2, held for approval',
    'completing 2/2, rolling',
    'completing 2/2, complete',
    'completed 2/2, complete',
  ]);
});

test('a CloneSet is never `stuck` because of a conflict that its controller has left in its status', async () => {
  const steps = [{ replicas: 1, pause: {} }, { replicas: '100%' }];
  const observer = await begin('CloneSet', { canary: { steps } });
  await sandbox.merge(`${CLONE_SETS}/web`, newImage('app:v2'));
  await sandbox.pass(60);
  await approve();
  await sandbox.pass(120);
  expect(observer.told()).toEqual([
    'starting 0/2, held',
    'progressing 1/2, rolling',
    'waiting 1/2, held for approval',
    'progressing 2/2, rolling',
    'completed 2/2, complete',
  ]);
  expect((await sandbox.get(`${CLONE_SETS}/web`)).status).toMatchObject({
    conditions: [{ type: 'FailedUpdate', status: 'True' }],
  });
});
