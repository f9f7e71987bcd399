import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CLAIM_ANNOTATION } from '@/lib/workloads/owner-checks';
import type { RollingState } from '@/lib/oam/states';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { listen, sample } from '@/server/controllers/oam-rollout/testing/listen';
import { deployment, TestBench, workloadSpec } from '@/server/controllers/oam-rollout/testing/test-bench';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const CLONE_SETS = '/apis/apps.kruise.io/v1alpha1/namespaces/default/clonesets';
const BATCHES = [{ replicas: 1 }, { replicas: '25%' }, { replicas: '25%' }, { replicas: '100%' }];

let stage: TestBench;

beforeEach(async () => {
  stage = await TestBench.start();
});

afterEach(async () => {
  await stage.close();
});

const reference = (name: string, kind = 'Deployment', apiVersion = 'apps/v1') => ({ apiVersion, kind, name });

function pairSpec(plan: JsonObject = {}): JsonObject {
  return {
    targetRef: reference('new'),
    sourceRef: [reference('old')],
    rolloutPlan: { rolloutBatches: BATCHES, ...plan },
  };
}

async function pairOf(replicas: number): Promise<void> {
  await stage.deploy(deployment('old', replicas), deployment('new', 0, { paused: true }));
}

const sizes = async (...names: string[]) => Promise.all(names.map((name) => stage.size(name)));
const untilState = (state: RollingState) => stage.until((status) => status?.position?.rolling === state);
const untilReady = (batch: number) =>
  stage.until((status) => status?.position?.batch === 'batchReady' && status.currentBatch === batch);

/** Deployments without pods settle at once; the tests count existing pods. */
async function podsOf(name: string): Promise<number> {
  const pods = await stage.list('/api/v1/namespaces/default/pods');
  return pods.filter(({ metadata }) => metadata.name.startsWith(`${name}-`)).length;
}

describe('a pair of Deployments', () => {
  test('is rolled out in batches that are approved one by one, and released in the end', async () => {
    await pairOf(8);
    await stage.roll(pairSpec({ batchPartition: 0 }));
    const seen = [];
    for (const batch of [0, 1, 2]) {
      await untilReady(batch);
      seen.push(await sizes('old', 'new'));
      // It waits until it is approved.
      expect(await stage.move()).toBe('change');
      await stage.edit({ rolloutPlan: { batchPartition: batch + 1 } });
    }
    await untilState('rolloutSucceed');
    seen.push(await sizes('old', 'new'));
    expect(seen).toEqual([
      [7, 1],
      [5, 3],
      [3, 5],
      [0, 8],
    ]);
    expect([await podsOf('old'), await podsOf('new')]).toEqual([0, 8]);
    const objects = await stage.list(DEPLOYMENTS);
    expect(objects.map(({ metadata }) => metadata.annotations?.[CLAIM_ANNOTATION])).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('never has more or fewer pods than a batch allows, with decreasing first too', async () => {
    await pairOf(8);
    await stage.roll(pairSpec({ rolloutStrategy: 'DecreaseFirst' }));
    const sums: number[] = [];
    const look = async () => {
      const [old = 0, fresh = 0] = await sizes('old', 'new');
      sums.push(old + fresh);
    };
    await stage.until((status) => status?.position?.rolling === 'rolloutSucceed', look);
    expect(Math.max(...sums)).toBe(8);
    expect(Math.min(...sums)).toBe(5);
  });

  test('stops while it is paused, and continues from there', async () => {
    await pairOf(4);
    await stage.roll(pairSpec({ rolloutBatches: [{ replicas: 1 }, { replicas: '100%' }], paused: true }));
    await untilState('rollingInBatches');
    expect(await stage.move()).toBe('change');
    expect(await stage.move()).toBe('change');
    const paused = async () =>
      (await stage.status())?.conditions.find(({ type }) => type === 'BatchPaused')?.status;
    expect([await paused(), ...(await sizes('old', 'new'))]).toEqual(['True', 4, 0]);
    await stage.edit({ rolloutPlan: { paused: false } });
    await untilState('rolloutSucceed');
    expect([await paused(), ...(await sizes('old', 'new'))]).toEqual(['False', 0, 4]);
  });

  test('grows to its target size during the rollout', async () => {
    await pairOf(4);
    await stage.roll(pairSpec({ rolloutBatches: null, numBatches: 3, targetSize: 7 }));
    await untilState('rolloutSucceed');
    expect(await sizes('old', 'new')).toEqual([0, 7]);
  });

  test.for([
    [
      'the rollout plan batch size mismatch, total batch size = 9, totalReplicas size = 4',
      { rolloutBatches: [{ replicas: 9 }, { replicas: '100%' }] },
    ],
    ['target size `2` less than source size `4`', { targetSize: 2 }],
    ['numBatches is 3, but 4 batches are listed', { numBatches: 3 }],
  ] satisfies [string, JsonObject][])(
    'is left unchanged when the plan does not fit: %s',
    async ([message, plan]) => {
      await pairOf(4);
      await stage.roll(pairSpec(plan));
      await untilState('rolloutFailed');
      const verifying = (await stage.status())?.conditions.find(
        ({ type }) => type === 'RolloutSpecVerifying',
      );
      expect([verifying?.status, verifying?.message]).toEqual(['False', message]);
      expect(await sizes('old', 'new')).toEqual([4, 0]);
    },
  );

  test('fails when batches that have been rolled out are changed against the policy', async () => {
    await pairOf(8);
    await stage.roll(pairSpec({ batchPartition: 1 }));
    await untilReady(1);
    await stage.edit({
      rolloutPlan: { rolloutBatches: [{ replicas: 2 }, ...BATCHES.slice(1)], batchPartition: null },
    });
    await untilState('rolloutFailed');
    expect(await sizes('old', 'new')).toEqual([5, 3]);
  });
});

describe('another target halfway', () => {
  test('swaps the roles when it is the source, and everything is restored in the end', async () => {
    await pairOf(8);
    await stage.roll(pairSpec({ batchPartition: 1 }));
    await untilReady(1);
    await stage.edit({ targetRef: reference('old'), rolloutPlan: { batchPartition: null } });
    await stage.until(
      (status) => status?.lastTarget === 'old' && status.position?.rolling === 'rolloutSucceed',
    );
    expect(await sizes('old', 'new')).toEqual([8, 0]);
  });

  test('that is a third one takes over the pods of both, and deletion restores the first', async () => {
    await pairOf(8);
    await stage.deploy(deployment('newer', 0, { paused: true }));
    await stage.roll(pairSpec({ batchPartition: 1, revertOnDelete: true }));
    await untilReady(1);
    await stage.edit({ targetRef: reference('newer'), rolloutPlan: { batchPartition: 2 } });
    await stage.until(
      (status) =>
        status?.lastTarget === 'newer' &&
        status.position?.batch === 'batchReady' &&
        status.currentBatch === 2,
    );
    // The abandoned one is drained first.
    expect(await sizes('old', 'new', 'newer')).toEqual([3, 0, 5]);
    await stage.delete();
    await stage.until((status) => status === undefined);
    expect(await sizes('old', 'new', 'newer')).toEqual([8, 0, 0]);
  });

  test('reverts a batch that is half done', async () => {
    await pairOf(8);
    await stage.deploy(deployment('newer', 0, { paused: true }));
    await stage.roll(pairSpec({ rolloutBatches: [{ replicas: 2 }, { replicas: 4 }, { replicas: '100%' }] }));
    await stage.until((status) => status?.currentBatch === 1 && status.position?.batch === 'batchInRolling');
    await stage.move();
    expect(await sizes('old', 'new')).toEqual([6, 6]);
    await stage.edit({ targetRef: reference('newer'), rolloutPlan: { batchPartition: 0 } });
    await stage.until(
      (status) =>
        status?.lastTarget === 'newer' &&
        status.position?.batch === 'batchInitializing' &&
        status.position.rolling === 'rollingInBatches',
    );
    expect(await sizes('old', 'new', 'newer')).toEqual([6, 2, 0]);
  });
});

describe('deletion halfway', () => {
  test.for([
    ['IncreaseFirst', true],
    ['DecreaseFirst', true],
    ['IncreaseFirst', false],
  ] as const)('of %s with revert %s', async ([rolloutStrategy, revertOnDelete]) => {
    await pairOf(8);
    await stage.roll(pairSpec({ rolloutStrategy, revertOnDelete, batchPartition: 1 }));
    await untilReady(1);
    await stage.delete();
    const sums: number[] = [];
    await stage.until(
      (status) => status === undefined,
      async () => {
        const [old = 0, fresh = 0] = await sizes('old', 'new');
        sums.push(old + fresh);
      },
    );
    expect(await sizes('old', 'new')).toEqual(revertOnDelete ? [8, 0] : [5, 3]);
    expect(Math.max(...sums)).toBeLessThanOrEqual(11);
    expect(Math.min(...sums)).toBeGreaterThanOrEqual(5);
    const objects = await stage.list(DEPLOYMENTS);
    expect(objects.map(({ metadata }) => metadata.annotations?.[CLAIM_ANNOTATION])).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('after success reverts nothing', async () => {
    await pairOf(4);
    await stage.roll(pairSpec({ rolloutBatches: null, revertOnDelete: true }));
    await untilState('rolloutSucceed');
    await stage.delete();
    await stage.until((status) => status === undefined);
    expect(await sizes('old', 'new')).toEqual([0, 4]);
  });
});

describe('a single workload', () => {
  test('is scaled in batches where there is no source', async () => {
    await stage.deploy(deployment('new', 2));
    await stage.roll({
      targetRef: reference('new'),
      rolloutPlan: {
        targetSize: 7,
        rolloutBatches: [{ replicas: 2 }, { replicas: '100%' }],
        batchPartition: 0,
      },
    });
    await untilReady(0);
    expect(await sizes('new')).toEqual([4]);
    await stage.edit({ rolloutPlan: { batchPartition: 1 } });
    await untilState('rolloutSucceed');
    expect(await sizes('new')).toEqual([7]);
  });

  async function keepRevisions(apiVersion: string, kind: string): Promise<void> {
    for (const name of ['cart-v1', 'cart-v2']) {
      const workload = { apiVersion, kind, spec: workloadSpec('cart', name) };
      await stage.send('POST', '/apis/apps/v1/namespaces/default/controllerrevisions', {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: { name },
        revision: 1,
        data: { apiVersion: 'core.oam.dev/v1alpha2', kind: 'Component', spec: { workload } },
      });
    }
  }

  test('is created from its component revision, and followed by the next one', async () => {
    await keepRevisions('apps/v1', 'Deployment');
    await stage.roll({
      targetRevisionName: 'cart-v1',
      componentName: 'cart',
      rolloutPlan: { targetSize: 4, numBatches: 2 },
    });
    await untilState('rolloutSucceed');
    await stage.edit({ targetRevisionName: 'cart-v2' });
    await stage.until(
      (status) => status?.lastTarget === 'cart-v2' && status.position?.rolling === 'rolloutSucceed',
    );
    expect(await sizes('cart-v1', 'cart-v2')).toEqual([0, 4]);
    const made = await stage.get(`${DEPLOYMENTS}/cart-v2`);
    expect(made?.metadata.labels).toMatchObject({
      'app.oam.dev/component': 'cart',
      'app.oam.dev/revision': 'cart-v2',
    });
  });

  test('that is a CloneSet moves to the next component revision and back halfway', async () => {
    await keepRevisions('apps.kruise.io/v1alpha1', 'CloneSet');
    const images = async () =>
      (await stage.list('/api/v1/namespaces/default/pods')).map(imageOf).sort((a, b) => (a < b ? -1 : 1));
    const rolloutPlan = { targetSize: 3, rolloutBatches: [{ replicas: 1 }, { replicas: '100%' }] };
    await stage.roll({ targetRevisionName: 'cart-v1', componentName: 'cart', rolloutPlan });
    await untilState('rolloutSucceed');
    expect(await images()).toEqual(Array(3).fill('cart-v1:1'));
    await stage.edit({ targetRevisionName: 'cart-v2', rolloutPlan: { batchPartition: 0 } });
    await stage.until(
      (status) => status?.lastTarget === 'cart-v2' && status.position?.batch === 'batchReady',
    );
    expect(await images()).toEqual(['cart-v1:1', 'cart-v1:1', 'cart-v2:1']);
    await stage.edit({ targetRevisionName: 'cart-v1', rolloutPlan: { batchPartition: null } });
    await stage.until(
      (status) => status?.lastTarget === 'cart-v1' && status.position?.rolling === 'rolloutSucceed',
    );
    expect(await images()).toEqual(Array(3).fill('cart-v1:1'));
  });
});

describe('a CloneSet', () => {
  const strategy = (rules: JsonObject) => ({ type: 'ReCreate', ...rules });

  async function beginCloneSet(plan: JsonObject): Promise<void> {
    const spec = { replicas: 8, ...workloadSpec('web', 'web'), updateStrategy: strategy({}) };
    await stage.send('POST', CLONE_SETS, {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'CloneSet',
      metadata: { name: 'web' },
      spec,
    });
    await stage.settle();
    const { template } = workloadSpec('web', 'newer');
    await stage.send('PATCH', `${CLONE_SETS}/web`, {
      spec: { template, updateStrategy: { paused: true } },
    });
    await stage.settle();
    await stage.roll({
      targetRef: reference('web', 'CloneSet', 'apps.kruise.io/v1alpha1'),
      rolloutPlan: { rolloutBatches: BATCHES, ...plan },
    });
  }

  async function images(): Promise<Record<string, number>> {
    const pods = await stage.list('/api/v1/namespaces/default/pods');
    const all = pods.map(imageOf);
    return {
      old: all.filter((image) => image === 'web:1').length,
      new: all.filter((image) => image === 'newer:1').length,
    };
  }

  test('updates batch after batch by its partition', async () => {
    await beginCloneSet({ batchPartition: 1 });
    await untilReady(1);
    expect(await images()).toEqual({ old: 5, new: 3 });
    await stage.edit({ rolloutPlan: { batchPartition: null } });
    await untilState('rolloutSucceed');
    expect(await images()).toEqual({ old: 0, new: 8 });
  });

  test('runs its previous template again once the rollout is deleted with revert', async () => {
    await beginCloneSet({ batchPartition: 1, revertOnDelete: true });
    await untilReady(1);
    await stage.delete();
    await stage.until((status) => status === undefined);
    expect(await images()).toEqual({ old: 8, new: 0 });
    expect((await stage.get(`${CLONE_SETS}/web`))?.spec).toMatchObject({
      template: { spec: { containers: [{ image: 'web:1' }] } },
      updateStrategy: { paused: true },
    });
  });
});

describe('checks', () => {
  test('a webhook that rejects holds its stage, and is called again', async () => {
    const asked: string[] = [];
    let refusals = 1;
    const url = await listen(async (request, response) => {
      const body = JSON.parse(await textOf(request)) as { phase: string; metadata: { team: string } };
      asked.push(`${request.url ?? ''} ${body.phase} ${body.metadata.team}`);
      const isRefused = request.url === '/pre' && (refusals -= 1) >= 0;
      response.writeHead(isRefused ? 500 : 200).end();
    });
    stage.webhookHosts = [new URL(url).host];
    const webhook = (type: string, path: string) => ({
      type,
      name: path,
      url: url + path,
      metadata: { team: 'shop' },
    });
    await pairOf(4);
    await stage.roll(
      pairSpec({
        rolloutBatches: [
          { replicas: 2, batchRolloutWebhooks: [webhook('post-batch-rollout', '/post')] },
          { replicas: '100%' },
        ],
        rolloutWebhooks: [
          webhook('initialize-rollout', '/init'),
          webhook('pre-batch-rollout', '/pre'),
          webhook('finalize-rollout', '/end'),
        ],
      }),
    );
    await untilState('rolloutSucceed');
    expect(asked).toEqual([
      '/init initializing shop',
      '/pre batchInitializing shop',
      '/pre batchInitializing shop',
      '/post batchFinalizing shop',
      '/pre batchInitializing shop',
      '/end finalising shop',
    ]);
  });

  test('a webhook to a host that is not listed holds its stage, and is never called', async () => {
    const asked: string[] = [];
    const url = await listen((request, response) => {
      asked.push(request.method ?? '');
      response.end();
    });
    await pairOf(4);
    const webhook = { type: 'initialize-rollout', name: 'gate', url };
    await stage.roll(pairSpec({ rolloutWebhooks: [webhook] }));
    await stage.until(
      (status) =>
        status?.conditions.some(({ message }) => message.includes('SHIPLOG_OAM_WEBHOOK_HOSTS')) === true,
    );
    expect(asked).toEqual([]);
    expect(await sizes('old', 'new')).toEqual([4, 0]);
  });

  async function metricOf(values: readonly (number | null)[]): Promise<string[]> {
    const queries: string[] = [];
    const left = [...values];
    stage.prometheusUrl = await listen((request, response) => {
      queries.push(new URL(request.url ?? '', 'http://x').searchParams.get('query') ?? '');
      const value = left.length > 1 ? left.shift() : left[0];
      response.end(sample(value ?? null));
    });
    await stage.send('POST', '/api/v1/namespaces/default/configmaps', {
      metadata: { name: 'errors' },
      data: { query: 'errors{app="{{ target }}"}', threshold: '2' },
    });
    return queries;
  }

  const withMetric = () =>
    pairSpec({
      rolloutBatches: [{ replicas: 1 }, { replicas: '100%' }],
      canaryMetric: [
        { name: 'errors', interval: '30s', metricsRange: { max: '0.5' }, templateRef: { name: 'errors' } },
      ],
    });

  test('a metric is measured after its interval until it is within its range', async () => {
    const queries = await metricOf([0.9, null, 0.1]);
    await pairOf(4);
    await stage.roll(withMetric());
    const before = stage.clock.now();
    await untilReady(0);
    expect(queries).toEqual(Array(3).fill('errors{app="new"}'));
    expect(stage.clock.now() - before).toBeGreaterThanOrEqual(60_000);
    await untilState('rolloutSucceed');
    expect(await sizes('old', 'new')).toEqual([0, 4]);
  });

  test('a metric out of its range as often as the threshold says stops the rollout where it is', async () => {
    await metricOf([0.9]);
    await pairOf(4);
    await stage.roll(withMetric());
    await stage.until((status) => status?.position?.batch === 'batchVerifyFailed');
    await untilState('rolloutFailed');
    const cause = 'metric errors = 0.9 (limit ≤ 0.5), failed 2 consecutive checks';
    expect((await stage.status())?.conditions).toEqual(
      expect.arrayContaining(
        ['BatchVerifying', 'BatchRolloutFailed'].map((type): unknown =>
          expect.objectContaining({ type, status: 'False', message: cause }),
        ),
      ),
    );
    expect(await sizes('old', 'new')).toEqual([3, 1]);
    const events = await stage.list('/api/v1/namespaces/default/events');
    expect(events.filter(({ metadata }) => metadata.name.startsWith('web.')).length).toBeGreaterThan(5);
  });
});

test('a process that does not lead writes nothing', async () => {
  await pairOf(4);
  await stage.roll(pairSpec());
  const mover = stage.reconciler(stage.transport, () => false);
  await expect(mover.move('default', 'web')).rejects.toThrow('Another process is the leader');
  await mover.close();
  expect((await stage.rollout())?.metadata.finalizers).toBeUndefined();
});

test('a stalled process overwrites nothing that another has written since', async () => {
  await pairOf(4);
  await stage.roll(
    pairSpec({ rolloutBatches: [{ replicas: 1 }, { replicas: '100%' }], revertOnDelete: true }),
  );
  await stage.until((status) => status?.position?.batch === 'batchInRolling');
  // The first write waits until the other process is reverting everything.
  let wakeUp = () => undefined as void;
  const asleep = new Promise<void>((resolve) => (wakeUp = resolve));
  const sent: string[] = [];
  const json: typeof stage.transport.json = async (request) => {
    if (request.method !== 'GET') {
      sent.push(request.method);
      await asleep;
    }
    return stage.transport.json(request);
  };
  const stalled = stage.reconciler({ json });
  const late = stalled.move('default', 'web').catch((error: unknown) => error);
  await vi.waitFor(() => expect(sent).toEqual(['PATCH']));
  await stage.delete();
  await stage.until((status) => status === undefined);
  wakeUp();
  expect(await late).toMatchObject({ code: 'conflict' });
  await stalled.close();
  expect(sent).toEqual(['PATCH']);
  expect(await sizes('old', 'new')).toEqual([4, 0]);
});

test('of two Rollouts of the same Deployments the second one changes nothing', async () => {
  await pairOf(4);
  await stage.roll(pairSpec({ rolloutBatches: [{ replicas: 1 }, { replicas: '100%' }], batchPartition: 0 }));
  await untilReady(0);
  await stage.send('POST', '/apis/standard.oam.dev/v1alpha1/namespaces/default/rollouts', {
    apiVersion: 'standard.oam.dev/v1alpha1',
    kind: 'Rollout',
    metadata: { name: 'rival', labels: { 'shiplog.dev/controller': 'shiplog' } },
    spec: { ...pairSpec(), targetRef: reference('old'), sourceRef: [reference('new')] },
  });
  const mover = stage.reconciler();
  while ((await mover.move('default', 'rival')) === 'now');
  await mover.close();
  const rival = await stage.get('/apis/standard.oam.dev/v1alpha1/namespaces/default/rollouts/rival');
  expect(rival?.status).toMatchObject({ rollingState: 'rolloutFailed' });
  expect(await sizes('old', 'new')).toEqual([3, 1]);
});

test('the claim of a Rollout that was removed by force blocks no other', async () => {
  await pairOf(4);
  await stage.roll(pairSpec({ rolloutBatches: [{ replicas: 1 }, { replicas: '100%' }], batchPartition: 0 }));
  await untilReady(0);
  await stage.delete();
  const path = '/apis/standard.oam.dev/v1alpha1/namespaces/default/rollouts/web';
  await stage.send('PATCH', path, { metadata: { finalizers: null } });
  expect(await stage.rollout()).toBeUndefined();
  await stage.roll(pairSpec({ rolloutBatches: null }));
  await untilState('rolloutSucceed');
  expect(await sizes('old', 'new')).toEqual([0, 4]);
});

test('a Rollout without the label of this controller at its creation is left alone', async () => {
  await pairOf(4);
  await stage.roll(pairSpec(), { labels: { 'shiplog.dev/controller': 'other' } });
  expect(await stage.move()).toBe('change');
  expect((await stage.rollout())?.metadata.finalizers).toBeUndefined();
  expect(await sizes('old', 'new')).toEqual([4, 0]);
});

function imageOf({ spec }: KubeObject): string {
  return (spec as { containers: { image: string }[] }).containers[0]?.image ?? '';
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += String(part);
  return text;
}
