import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ControlPlane, startControlPlane } from '@/e2e/controlplane/control-plane';
import { waitFor } from '@/e2e/controlplane/wait';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { numberAt, textAt } from '@/lib/workloads/read';
import { systemClock } from '@/server/cluster/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { createTransport, type Transport } from '@/server/cluster/transport';
import { type RunningControllers, startControllers } from '@/server/controllers/controllers';
import { deployment, manifest } from '@/server/controllers/oam-rollout/testing/stage';
import { createLogger } from '@/server/log';

/** Beside the real controllers of Deployments and ReplicaSets, on a machine that does other things too. */
const PATIENCE_MS = 90_000;
vi.setConfig({ testTimeout: PATIENCE_MS, hookTimeout: 300_000 });

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const ROLLOUTS = '/apis/standard.oam.dev/v1alpha1/namespaces/default/rollouts';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const OURS = { 'shiplog.dev/controller': 'shiplog' };

let real: ControlPlane;
let transport: Transport;
let controllers: readonly RunningControllers[] = [];

beforeAll(async () => {
  real = await startControlPlane({ nodes: 3 });
  const client = real.client();
  const [definition] = manifest('rollouts.yaml');
  await client.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition ?? {});
  const [policy, binding] = manifest('policy.yaml');
  await client.create(`${ADMISSION}/validatingadmissionpolicies`, policy ?? {});
  await client.create(`${ADMISSION}/validatingadmissionpolicybindings`, binding ?? {});
  await waitFor(() => client.list(ROLLOUTS), { what: 'Rollouts are served' });
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [real.kubeconfigs.seeder] });
  transport = createTransport({ credentials, readOnly: false });
  const config = {
    controllers: ['oam-rollout'],
    namespaces: [],
    leaseNamespace: 'default',
    prometheusUrl: undefined,
  } as const;
  // Two, of which one leads.
  const log = createLogger({ level: 'error' });
  controllers = [1, 2].flatMap(() => startControllers({ config, transport, clock: systemClock, log }) ?? []);
});

afterAll(async () => {
  await Promise.all(controllers.map((running) => running.stop()));
  await transport?.close();
  await real?.stop();
});

function rollout(
  name: string,
  plan: JsonObject,
  more: JsonObject = {},
): JsonObject & { metadata: JsonObject } {
  const reference = (revision: string) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: `${name}-${revision}`,
  });
  return {
    apiVersion: 'standard.oam.dev/v1alpha1',
    kind: 'Rollout',
    metadata: { name, labels: OURS },
    spec: { targetRef: reference('new'), sourceRef: [reference('old')], rolloutPlan: plan, ...more },
  };
}

async function begin(name: string, plan: JsonObject): Promise<void> {
  const client = real.client();
  await client.create(DEPLOYMENTS, deployment(`${name}-old`, 8));
  await client.create(DEPLOYMENTS, deployment(`${name}-new`, 0, { paused: true }));
  await waitFor(async () => (await readyOf(`${name}-old`)) === 8, {
    what: 'the source is ready',
    timeoutMs: PATIENCE_MS,
  });
  await client.create(ROLLOUTS, rollout(name, plan));
}

async function get(path: string): Promise<KubeObject | undefined> {
  return real
    .client()
    .get<KubeObject>(path)
    .catch(() => undefined);
}

async function readyOf(name: string): Promise<number> {
  return numberAt((await get(`${DEPLOYMENTS}/${name}`))?.status, 'readyReplicas') ?? 0;
}

async function untilState(name: string, state: string, batch?: number): Promise<void> {
  await waitFor(
    async () => {
      const { status } = (await get(`${ROLLOUTS}/${name}`)) ?? {};
      const states = [textAt(status, 'rollingState'), textAt(status, 'batchRollingState')];
      return states.includes(state) && (batch === undefined || numberAt(status, 'currentBatch') === batch);
    },
    { what: `${name} is in ${state}`, timeoutMs: PATIENCE_MS },
  );
}

const pods = async (name: string) => Promise.all([readyOf(`${name}-old`), readyOf(`${name}-new`)]);

describe.concurrent('on a real control plane', () => {
  test('two Deployments are rolled in four batches that are approved one by one', async ({ expect }) => {
    const rolloutBatches = [{ replicas: 1 }, { replicas: '25%' }, { replicas: '25%' }, { replicas: '100%' }];
    await begin('cart', { rolloutBatches, batchPartition: 0 });
    const seen = [];
    for (const batch of [0, 1, 2]) {
      await untilState('cart', 'batchReady', batch);
      seen.push(await pods('cart'));
      await real.client().patch(`${ROLLOUTS}/cart`, { spec: { rolloutPlan: { batchPartition: batch + 1 } } });
    }
    await untilState('cart', 'rolloutSucceed');
    seen.push(await pods('cart'));
    expect(seen).toEqual([
      [7, 1],
      [5, 3],
      [3, 5],
      [0, 8],
    ]);
  });

  test('a rollout that is deleted midway brings back what was', async ({ expect }) => {
    await begin('blog', {
      rolloutBatches: [{ replicas: 3 }, { replicas: '100%' }],
      batchPartition: 0,
      revertOnDelete: true,
    });
    await untilState('blog', 'batchReady');
    expect(await pods('blog')).toEqual([5, 3]);
    await real.client().remove(`${ROLLOUTS}/blog`);
    await waitFor(async () => (await get(`${ROLLOUTS}/blog`)) === undefined, {
      what: 'the rollout is gone',
      timeoutMs: PATIENCE_MS,
    });
    expect(await pods('blog')).toEqual([8, 0]);
  });
});

/** What the API server says of a write; undefined when it takes it. */
async function refusal(write: Promise<unknown>): Promise<string | undefined> {
  return write.then(
    () => undefined,
    (error: unknown) => String(error),
  );
}

test('the policy refuses what would touch batches that may have begun, and who takes part', async () => {
  const client = real.client();
  const path = `${ROLLOUTS}/held`;
  const plan = {
    rolloutBatches: [{ replicas: 1 }, { replicas: 2 }, { replicas: '100%' }],
    batchPartition: 1,
    paused: true,
  };
  // Its target is never there, so it stays at its beginning.
  await waitFor(
    async () => {
      const rendered = {
        ...rollout('rendered', plan),
        metadata: { name: 'rendered', labels: { ...OURS, 'app.oam.dev/name': 'shop' } },
      };
      const told = await refusal(client.create(ROLLOUTS, rendered));
      if (told === undefined) await client.remove(`${ROLLOUTS}/rendered`);
      return told?.includes('An Application renders this Rollout');
    },
    { what: 'the policy is in force', timeoutMs: PATIENCE_MS },
  );
  await client.create(ROLLOUTS, rollout('held', plan));
  await client.create(ROLLOUTS, { ...rollout('theirs', plan), metadata: { name: 'theirs' } });
  const edit = (spec: JsonObject, metadata: JsonObject = {}) =>
    refusal(client.patch(path, { spec, metadata }));
  const planned = (changes: JsonObject) => edit({ rolloutPlan: changes });

  expect(await planned({ batchPartition: 0 })).toContain('can only go up');
  expect(
    await planned({ rolloutBatches: [{ replicas: 1 }, { replicas: 3 }, { replicas: '100%' }] }),
  ).toContain('Batches up to');
  expect(await planned({ rolloutBatches: [{ replicas: 1 }] })).toContain('Batches up to');
  expect(await planned({ rolloutBatches: null })).toContain('Batches up to');
  expect(await planned({ rolloutStrategy: 'DecreaseFirst' })).toContain('rolloutStrategy');
  expect(await edit({ sourceRef: null })).toContain('sourceRef');
  expect(await edit({ targetRef: null })).toContain('Name what to roll to');
  expect(await edit({}, { labels: { 'shiplog.dev/controller': null } })).toContain('given at creation');
  const label = { metadata: { labels: OURS } };
  expect(await refusal(client.patch(`${ROLLOUTS}/theirs`, label))).toContain('given at creation');

  expect(
    await planned({
      rolloutBatches: [{ replicas: 1 }, { replicas: 2 }, { replicas: 1 }, { replicas: '100%' }],
    }),
  ).toBeUndefined();
  expect(
    await planned({ batchPartition: 2, paused: false, canaryMetric: [{ name: 'errors' }] }),
  ).toBeUndefined();
  expect(await planned({ batchPartition: null })).toBeUndefined();
  expect(
    await edit({
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'another' },
      rolloutPlan: { batchPartition: 0, rolloutBatches: [{ replicas: '100%' }] },
    }),
  ).toBeUndefined();
  expect(
    await refusal(client.patch(`${ROLLOUTS}/theirs`, { spec: { rolloutPlan: { batchPartition: 0 } } })),
  ).toBeUndefined();
});
