import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import type { User } from '@/e2e/controlplane/users';
import { waitFor } from '@/e2e/controlplane/wait';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { FINALIZER } from '@/lib/oam/reconcile';
import { loadCredentials } from '@/server/cluster/credentials';
import { createTransport, type Transport } from '@/server/cluster/transport';
import { type RunningControllers, startControllers } from '@/server/controllers/controllers';
import { manifest } from '@/server/controllers/oam-rollout/testing/manifest';
import { systemClock } from '@/server/shared/clock';
import { silentLogger } from '@/server/shared/log';

const TIMEOUT_MS = 60_000;
vi.setConfig({ testTimeout: 3 * TIMEOUT_MS, hookTimeout: 300_000 });

const ROLLOUTS = '/apis/standard.oam.dev/v1alpha1/namespaces/default/rollouts';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const OURS = { 'shiplog.dev/controller': 'shiplog' };

const [policy = {}, binding = {}] = manifest('policy.yaml');
let real: ControlPlane;
let transport: Transport;

beforeAll(async () => {
  // No controller of Kubernetes runs: whatever is written to a Rollout is of Shiplog.
  real = await startControlPlane({ controllers: false });
  const client = real.client();
  const [definition = {}] = manifest('rollouts.yaml');
  await client.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  await waitFor(() => client.list(ROLLOUTS), { what: 'Rollouts are served' });
  // `patcher` may patch Deployments already, and nobody else may write anything.
  const rules = [
    { apiGroups: ['standard.oam.dev'], resources: ['rollouts', 'rollouts/status'], verbs: ['*'] },
  ];
  await grant('rollouts', rules, 'nobody', 'patcher', 'operator');
  transport = createTransport({
    credentials: loadCredentials({ kind: 'kubeconfig', files: [real.kubeconfigs.seeder] }),
    readOnly: false,
  });
});

afterAll(async () => {
  await transport?.close();
  await real?.stop();
});

/** Gives users rules in the namespace `default`. */
async function grant(name: string, rules: object[], ...users: User[]): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  const client = real.client();
  await client.create(`${RBAC}/namespaces/default/roles`, { metadata: { name }, rules });
  await client.create(`${RBAC}/namespaces/default/rolebindings`, {
    metadata: { name },
    subjects: users.map((user) => ({ kind: 'User', name: user, apiGroup })),
    roleRef: { kind: 'Role', name, apiGroup },
  });
}

const toDeployment = { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } };
const toCloneSet = { targetRef: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' } };
const toRevision = { targetRevisionName: 'web-v2', componentName: 'web' };

function rollout(name: string, target: JsonObject = toDeployment, labels: JsonObject = OURS): JsonObject {
  return {
    apiVersion: 'standard.oam.dev/v1alpha1',
    kind: 'Rollout',
    metadata: { name, labels },
    spec: { ...target, rolloutPlan: { paused: true } },
  };
}

/** The API server's answer to a write that it rejects; undefined when it accepts the write. */
async function rejection(write: Promise<unknown>): Promise<string | undefined> {
  return write.then(
    () => undefined,
    (error: unknown) => String(error),
  );
}

const create = (user: User, object: JsonObject) => rejection(real.client(user).create(ROLLOUTS, object));
const patch = (user: User, path: string, change: JsonObject) =>
  rejection(real.client(user).patch(`${ROLLOUTS}/${path}`, change));
const denied = (rights: string, user: User) =>
  expect.stringMatching(
    new RegExp(
      `403 .*needs the permission to ${rights} in namespace default, which ${user} does not have. Nothing was changed.`,
    ),
  ) as string;

async function untilEnforced(): Promise<void> {
  const probe = () => rejection(real.client('nobody').create(`${ROLLOUTS}?dryRun=All`, rollout('probe')));
  await waitFor(async () => (await probe()) !== undefined, {
    what: 'the policy is in force',
    timeoutMs: TIMEOUT_MS,
  });
}

describe('the controller', () => {
  let running: RunningControllers | undefined;

  afterAll(() => running?.stop());

  const read = async (name: string) => real.client().get<KubeObject>(`${ROLLOUTS}/${name}`);
  const untilState = (state: string, problem = '') =>
    waitFor(
      () => {
        const [now] = running?.states() ?? [];
        return Promise.resolve(now?.state === state && (now.problem ?? '').includes(problem));
      },
      {
        what: `the controller is ${state}`,
        timeoutMs: TIMEOUT_MS,
        detail: () => JSON.stringify(running?.states()),
      },
    );

  test('acts on nothing until policy and binding are there, and no longer once one of them is gone', async () => {
    const client = real.client();
    await client.create(ROLLOUTS, rollout('early'));
    const config = {
      controllers: ['oam-rollout'],
      namespaces: [],
      leaseNamespace: 'default',
      prometheusUrl: undefined,
      oamWebhookHosts: [],
    } as const;
    running = startControllers({ config, transport, clock: systemClock, log: silentLogger });
    await untilState('stopped', 'has no ValidatingAdmissionPolicy with the rules');
    await client.create(`${ADMISSION}/validatingadmissionpolicies`, policy);
    await untilState('stopped', 'shiplog-oam-rollout has no ValidatingAdmissionPolicyBinding');
    expect((await read('early')).status).toBeUndefined();

    await client.create(`${ADMISSION}/validatingadmissionpolicybindings`, binding);
    await untilState('leading');
    await waitFor(async () => (await read('early')).status !== undefined, {
      what: 'the Rollout is reconciled',
      timeoutMs: TIMEOUT_MS,
    });

    await client.remove(`${ADMISSION}/validatingadmissionpolicybindings/shiplog-oam-rollout`);
    await untilState('stopped', 'has no ValidatingAdmissionPolicyBinding');
    await client.create(ROLLOUTS, rollout('late'));
    const changed = {
      ...policy,
      spec: { ...(policy.spec as JsonObject), matchConditions: [{ name: 'a', expression: 'false' }] },
    };
    await client.patch(`${ADMISSION}/validatingadmissionpolicies/shiplog-oam-rollout`, changed);
    await client.create(`${ADMISSION}/validatingadmissionpolicybindings`, binding);
    await untilState('stopped', 'has no ValidatingAdmissionPolicy with the rules');
    expect((await read('late')).status).toBeUndefined();

    await client.patch(`${ADMISSION}/validatingadmissionpolicies/shiplog-oam-rollout`, {
      spec: { matchConditions: null },
    });
    await untilState('leading');
    await waitFor(async () => (await read('late')).status !== undefined, {
      what: 'the other Rollout is reconciled',
      timeoutMs: TIMEOUT_MS,
    });
  });
});

describe('admission of Rollouts', () => {
  beforeAll(untilEnforced);

  test('a person who may not write the workloads creates no Rollout of Shiplog, though other Rollouts', async () => {
    expect(await create('nobody', rollout('web'))).toEqual(denied('patch deployments.apps', 'nobody'));
    expect(await create('nobody', rollout('web', toCloneSet))).toEqual(
      denied('patch clonesets.apps.kruise.io', 'nobody'),
    );
    const both = 'create and patch deployments.apps and clonesets.apps.kruise.io';
    expect(await create('nobody', rollout('web', toRevision))).toEqual(denied(both, 'nobody'));
    expect(await create('patcher', rollout('web', toRevision))).toEqual(denied(both, 'patcher'));
    expect(await create('nobody', rollout('theirs', toDeployment, {}))).toBeUndefined();
    expect(await patch('nobody', 'theirs', { spec: { rolloutPlan: { paused: false } } })).toBeUndefined();
  });

  test('a person who may write them creates and changes it, for the kinds that they may write', async () => {
    expect(await create('patcher', rollout('mine'))).toBeUndefined();
    expect(await patch('patcher', 'mine', { spec: { rolloutPlan: { targetSize: 3 } } })).toBeUndefined();
    expect(await patch('patcher', 'mine', { spec: toCloneSet })).toEqual(
      denied('patch deployments.apps and clonesets.apps.kruise.io', 'patcher'),
    );
    expect(await create('patcher', rollout('set', toCloneSet))).toEqual(
      denied('patch clonesets.apps.kruise.io', 'patcher'),
    );
    await grant(
      'workloads',
      [
        { apiGroups: ['apps'], resources: ['deployments'], verbs: ['create', 'patch'] },
        { apiGroups: ['apps.kruise.io'], resources: ['clonesets'], verbs: ['create', 'patch'] },
      ],
      'operator',
    );
    await waitFor(async () => (await create('operator', rollout('revision', toRevision))) === undefined, {
      what: 'the rights are in force',
      timeoutMs: TIMEOUT_MS,
    });
    expect(await create('operator', rollout('set', toCloneSet))).toBeUndefined();
    // What an earlier target has left may have to be restored.
    expect(await patch('patcher', 'set', { spec: toDeployment })).toEqual(
      denied('patch deployments.apps and clonesets.apps.kruise.io', 'patcher'),
    );
  });

  test('a person who may not write the workloads changes nothing of it that the controller reads, and may delete it', async () => {
    await real.client().create(ROLLOUTS, {
      ...rollout('held'),
      metadata: { name: 'held', labels: OURS, finalizers: [FINALIZER, 'example.com/other'] },
    });
    const refused = denied('patch deployments.apps', 'nobody');
    expect(await patch('nobody', 'held', { spec: { rolloutPlan: { paused: false } } })).toEqual(refused);
    expect(await patch('nobody', 'held', { metadata: { finalizers: ['example.com/other'] } })).toEqual(
      refused,
    );
    expect(await patch('nobody', 'held/status', { status: { rollingState: 'rollingInBatches' } })).toEqual(
      refused,
    );
    expect(
      await patch('nobody', 'held', { metadata: { labels: { 'shiplog.dev/controller': null } } }),
    ).toBeDefined();
    expect(await patch('nobody', 'theirs', { metadata: { labels: OURS } })).toBeDefined();

    // As the garbage collector does, which may not create or patch Deployments everywhere.
    expect(await patch('nobody', 'held', { metadata: { annotations: { note: 'x' } } })).toBeUndefined();
    expect(await patch('nobody', 'held', { metadata: { finalizers: [FINALIZER] } })).toBeUndefined();
    expect(await rejection(real.client('nobody').remove(`${ROLLOUTS}/held`))).toBeUndefined();
  });
});
