import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { waitFor } from '@/e2e/controlplane/wait';
import { runControllers } from '@/e2e/cluster/sandbox-controllers';
import { installKruise } from '@/e2e/support/install-crds';
import { OAM_FIELD_MANAGER } from '@/lib/oam/eligibility';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { numberAt, objectsAt, textAt } from '@/lib/kube/read';
import { systemClock } from '@/server/shared/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { createTransport, type Transport } from '@/server/cluster/transport';
import { type RunningControllers, startControllers } from '@/server/controllers/controllers';
import { manifest } from '@/server/controllers/oam-rollout/testing/manifest';
import { workloadSpec } from '@/server/controllers/oam-rollout/testing/test-bench';
import { createLogger } from '@/server/shared/log';
import { runKruise } from '@/sandbox/controllers/kruise/kruise';

/** Next to the real controllers of Deployments and ReplicaSets, on a busy machine. */
const TIMEOUT_MS = 90_000;
vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: 300_000 });

const CLONE_SETS = '/apis/apps.kruise.io/v1alpha1/namespaces/default/clonesets';
const ROLLOUTS = '/apis/standard.oam.dev/v1alpha1/namespaces/default/rollouts';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const OWN_CLASS_LABEL = { 'shiplog.dev/controller': 'shiplog' };

let real: ControlPlane;
let transport: Transport;
let controllers: readonly RunningControllers[] = [];
let stopKruise: (() => Promise<void>) | undefined;

beforeAll(async () => {
  real = await startControlPlane({ nodes: 3 });
  const client = real.client();
  const [definition] = manifest('rollouts.yaml');
  await client.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition ?? {});
  const [policy, binding] = manifest('policy.yaml');
  await client.create(`${ADMISSION}/validatingadmissionpolicies`, policy ?? {});
  await client.create(`${ADMISSION}/validatingadmissionpolicybindings`, binding ?? {});
  await waitFor(() => client.list(ROLLOUTS), { what: 'Rollouts are served' });
  await installKruise(client);
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [real.kubeconfigs.seeder] });
  transport = createTransport({ credentials, readOnly: false });
  const config = {
    controllers: ['oam-rollout'],
    namespaces: [],
    leaseNamespace: 'default',
    prometheusUrl: undefined,
    oamWebhookHosts: [],
  } as const;
  stopKruise = runControllers(real, runKruise);
  // Two processes, of which one leads.
  const log = createLogger({ level: 'error' });
  controllers = [1, 2].flatMap(() => startControllers({ config, transport, clock: systemClock, log }) ?? []);
});

afterAll(async () => {
  await Promise.all(controllers.map((running) => running.stop()));
  await stopKruise?.();
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
    metadata: { name, labels: OWN_CLASS_LABEL },
    spec: { targetRef: reference('new'), sourceRef: [reference('old')], rolloutPlan: plan, ...more },
  };
}

async function get(path: string): Promise<KubeObject | undefined> {
  return real
    .client()
    .get<KubeObject>(path)
    .catch(() => undefined);
}

async function untilState(name: string, state: string, batch?: number): Promise<void> {
  await waitFor(
    async () => {
      const { status } = (await get(`${ROLLOUTS}/${name}`)) ?? {};
      const states = [textAt(status, 'rollingState'), textAt(status, 'batchRollingState')];
      return states.includes(state) && (batch === undefined || numberAt(status, 'currentBatch') === batch);
    },
    { what: `${name} is in ${state}`, timeoutMs: TIMEOUT_MS },
  );
}

/** Number of the CloneSet's pods by image, without those being deleted. */
async function images(set: string): Promise<Record<string, number>> {
  const found = await real.client().list(`/api/v1/namespaces/default/pods?labelSelector=app=${set}`);
  const counts: Record<string, number> = {};
  for (const { metadata, spec } of found.items) {
    if (textAt(metadata, 'deletionTimestamp') !== undefined) continue;
    const image = textAt(objectsAt(spec, 'containers')[0], 'image') ?? '';
    counts[image] = (counts[image] ?? 0) + 1;
  }
  return counts;
}

test.for([false, true])(
  'a CloneSet is rolled in batches, and restored when the rollout is deleted: %s',
  async (isReverted) => {
    const client = real.client();
    const name = isReverted ? 'set-back' : 'set-on';
    const path = `${CLONE_SETS}/${name}`;
    const strategy = { type: 'ReCreate', maxUnavailable: '100%' };
    await client.create(CLONE_SETS, {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'CloneSet',
      metadata: { name },
      spec: { replicas: 4, ...workloadSpec(name, 'old'), updateStrategy: strategy },
    });
    const isSettled = async () => {
      const { status } = (await get(path)) ?? {};
      return numberAt(status, 'readyReplicas') === 4 && textAt(status, 'currentRevision') !== undefined;
    };
    await waitFor(isSettled, { what: 'the CloneSet is ready', timeoutMs: TIMEOUT_MS });
    const { template } = workloadSpec(name, 'new');
    await client.patch(path, { spec: { template, updateStrategy: { paused: true } } });
    const reference = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name };
    const plan = {
      rolloutBatches: [{ replicas: 1 }, { replicas: '100%' }],
      batchPartition: 0,
      revertOnDelete: true,
    };
    await client.create(ROLLOUTS, rollout(name, plan, { targetRef: reference, sourceRef: null }));
    await untilState(name, 'batchReady');
    expect(await images(name)).toEqual({ 'old:1': 3, 'new:1': 1 });
    if (isReverted) await client.remove(`${ROLLOUTS}/${name}`);
    else await client.patch(`${ROLLOUTS}/${name}`, { spec: { rolloutPlan: { batchPartition: 1 } } });
    const isOver = async () => {
      const found = await get(`${ROLLOUTS}/${name}`);
      return isReverted ? found === undefined : textAt(found?.status, 'rollingState') === 'rolloutSucceed';
    };
    await waitFor(isOver, { what: 'the rollout is over', timeoutMs: TIMEOUT_MS });
    expect(await images(name)).toEqual(isReverted ? { 'old:1': 4 } : { 'new:1': 4 });
  },
);

test('one of two processes leads, and each reports it', () => {
  const states = controllers.flatMap((running) => running.states());
  expect(states.map(({ state }) => state).sort()).toEqual(['leading', 'standby']);
  expect(new Set(states.map(({ holder }) => holder)).size).toBe(1);
});

/** The error of the API server for a write; undefined when it accepts it. */
async function refusal(write: Promise<unknown>): Promise<string | undefined> {
  return write.then(
    () => undefined,
    (error: unknown) => String(error),
  );
}

test('the policy refuses changes to batches that may have begun, and to participants', async () => {
  const client = real.client();
  const path = `${ROLLOUTS}/held`;
  const plan = {
    rolloutBatches: [{ replicas: 1 }, { replicas: 2 }, { replicas: '100%' }],
    batchPartition: 1,
    paused: true,
  };
  // Its target does not exist, so it does not progress.
  await waitFor(
    async () => {
      const rendered = {
        ...rollout('rendered', plan),
        metadata: { name: 'rendered', labels: { ...OWN_CLASS_LABEL, 'app.oam.dev/name': 'shop' } },
      };
      const told = await refusal(client.create(ROLLOUTS, rendered));
      if (told === undefined) await client.remove(`${ROLLOUTS}/rendered`);
      return told?.includes('An Application renders this Rollout');
    },
    { what: 'the policy is in force', timeoutMs: TIMEOUT_MS },
  );
  await client.create(ROLLOUTS, rollout('held', plan));
  const owners = ['Application', 'ResourceTracker', 'ApplicationConfiguration'].map((kind) => ({
    metadata: {
      name: 'owned',
      labels: OWN_CLASS_LABEL,
      ownerReferences: [{ apiVersion: 'core.oam.dev/v1beta1', kind, name: 'shop', uid: 'a' }],
    },
  }));
  for (const owned of owners)
    expect(await refusal(client.create(ROLLOUTS, { ...rollout('owned', plan), ...owned }))).toContain(
      'An Application renders this Rollout',
    );
  await client.create(ROLLOUTS, { ...rollout('theirs', plan), metadata: { name: 'theirs' } });
  const edit = (spec: JsonObject, metadata: JsonObject = {}) =>
    refusal(client.patch(path, { spec, metadata }));
  const planned = (changes: JsonObject) => edit({ rolloutPlan: changes });

  const listing = [{ replicas: 1 }, { replicas: 2 }, { podList: ['a'] }];
  const refused: [JsonObject, string][] = [
    [{ batchPartition: 0 }, 'can only go up'],
    [{ rolloutBatches: [{ replicas: 1 }, { replicas: 3 }, { replicas: '100%' }] }, 'Batches up to'],
    [{ rolloutBatches: [{ replicas: 1 }] }, 'Batches up to'],
    [{ rolloutBatches: listing }, 'instead of podList'],
    [{ rolloutBatches: null }, 'Batches up to'],
    [{ rolloutStrategy: 'DecreaseFirst' }, 'rolloutStrategy'],
  ];
  for (const [changes, told] of refused) expect(await planned(changes)).toContain(told);
  expect(await edit({ sourceRef: null })).toContain('sourceRef');
  expect(await edit({ targetRef: null })).toContain('Name what to roll to');
  expect(await edit({}, { labels: { 'shiplog.dev/controller': null } })).toContain('given at creation');
  const label = { metadata: { labels: OWN_CLASS_LABEL } };
  expect(await refusal(client.patch(`${ROLLOUTS}/theirs`, label))).toContain('given at creation');

  const accepted: JsonObject[] = [
    { rolloutBatches: [{ replicas: 1 }, { replicas: 2 }, { replicas: 1 }, { replicas: '100%' }] },
    { batchPartition: 2, paused: false, canaryMetric: [{ name: 'errors' }] },
    { batchPartition: null },
  ];
  for (const changes of accepted) expect(await planned(changes)).toBeUndefined();
  const another = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'another' };
  const whole = { batchPartition: 0, rolloutBatches: [{ replicas: '100%' }] };
  expect(await edit({ targetRef: another, rolloutPlan: whole })).toBeUndefined();
  const theirs = { spec: { rolloutPlan: { batchPartition: 0 } } };
  expect(await refusal(client.patch(`${ROLLOUTS}/theirs`, theirs))).toBeUndefined();

  // By now others have been rolled to their end; only their own controllers have written to objects without the
  // label.
  const ofOtherController = await get(`${ROLLOUTS}/theirs`);
  expect(ofOtherController?.status).toBeUndefined();
  expect(ofOtherController?.metadata.finalizers).toBeUndefined();
  expect(
    ofOtherController?.metadata.managedFields?.some(({ manager }) => manager === OAM_FIELD_MANAGER),
  ).toBe(false);
});
