import { type JsonObject } from '@/lib/kube/json';
import { template } from '@/sandbox/controllers/kruise/testing/clone-set';
import { BOOKING, bookingSpec, installKubevela } from '@/sandbox/controllers/kubevela/testing/booking';
import { T0 } from '@/sandbox/controllers/testing/objects';
import { TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';
import { advancedStatefulSetCrd, cloneSetCrd } from '@/sandbox/crds/kruise';
import { oamRolloutCrd } from '@/sandbox/crds/oam-rollout';
import { type RecordedLine, type Recording } from '@/test/replay/recording';

type Act = (sandbox: TestSandbox) => Promise<void>;

const KRUISE = 'apps.kruise.io/v1beta1';
const OAM = 'standard.oam.dev/v1alpha1';
/** By then everything is idle that ever is. */
const IDLE_TIMEOUT_MS = 60_000;
const PAUSE_MS = 10_000;

/** The watch events of a sandbox with these actions, each once everything is idle after the previous one. */
async function record(prepare: Act, acts: readonly Act[]): Promise<Recording> {
  const sandbox = await TestSandbox.start();
  try {
    await prepare(sandbox);
    const lines: RecordedLine[] = [];
    sandbox.watch((type, object) => lines.push({ t: sandbox.clock.now() - T0, type, object }));
    for (const act of acts) {
      await act(sandbox);
      await sandbox.untilIdle(IDLE_TIMEOUT_MS);
      await sandbox.clock.advance(PAUSE_MS);
    }
    return { startMs: T0, namespace: 'default', lines };
  } finally {
    await sandbox.close();
  }
}

const pathOf = (version: string, plural: string, name: string) =>
  `/${version}/namespaces/default/${plural}/${name}`;
const because = (cause: string) => ({ annotations: { 'kubernetes.io/change-cause': cause } });
const running = (version: number): JsonObject => ({ template: template(`web:${version}`) });
const selector = { matchLabels: { app: 'web' } };

/**
 * A change with its change cause; the change cause of the next one, shortly before that supersedes it; and the
 * rollback without any.
 */
function changes(path: string, specOf: (version: number) => JsonObject): Act[] {
  return [
    async (sandbox) => {
      await sandbox.merge(path, { metadata: because('second'), spec: specOf(2) }, 'kubectl-edit');
      await sandbox.untilIdle(8_000);
      await sandbox.merge(path, { metadata: because('third') }, 'kubectl-annotate');
      await sandbox.untilIdle(3_000);
      await sandbox.merge(path, { spec: specOf(3) }, 'kubectl-set');
    },
    (sandbox) => sandbox.merge(path, { spec: specOf(1) }, 'kubectl-patch'),
  ];
}

function advancedStatefulSet(): Promise<Recording> {
  const metadata = { name: 'web', ...because('first') };
  const spec = { replicas: 3, serviceName: 'web', selector, ...running(1) };
  return record(
    (sandbox) => sandbox.define(advancedStatefulSetCrd),
    [
      (sandbox) => sandbox.create({ apiVersion: KRUISE, kind: 'StatefulSet', metadata, spec }),
      ...changes(pathOf(KRUISE, 'statefulsets', 'web'), running),
    ],
  );
}

function application(): Promise<Recording> {
  const metadata = { name: 'booking', ...because('first') };
  const apiVersion = 'core.oam.dev/v1beta1';
  return record(installKubevela, [
    (sandbox) => sandbox.create({ apiVersion, kind: 'Application', metadata, spec: bookingSpec(1) }),
    ...changes(BOOKING, bookingSpec),
  ]);
}

const inTwoBatches = (spec: JsonObject) => ({
  apiVersion: OAM,
  kind: 'Rollout',
  metadata: { name: 'shop', labels: { 'shiplog.dev/controller': 'shiplog' } },
  spec: {
    ...spec,
    rolloutPlan: { rolloutBatches: [{ replicas: 1 }, { replicas: '100%' }], batchPartition: 0 },
  },
});

const approve: Act = (sandbox) =>
  sandbox.merge(pathOf(OAM, 'rollouts', 'shop'), { spec: { rolloutPlan: { batchPartition: 1 } } });

function pairOfDeployments(): Promise<Recording> {
  const reference = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name });
  const deployment =
    (name: string, image: string, spec: JsonObject): Act =>
    (sandbox) => {
      const labels = { app: name };
      const pod = { metadata: { labels }, spec: { containers: [{ name: 'app', image }] } };
      const metadata = { name, ...because(`to ${image}`) };
      const all = { selector: { matchLabels: labels }, template: pod, ...spec };
      return sandbox.create({ kind: 'Deployment', metadata, spec: all });
    };
  return record(
    (sandbox) => sandbox.define(oamRolloutCrd()),
    [
      deployment('shop-old', 'shop:1', { replicas: 4 }),
      deployment('shop-new', 'shop:2', { replicas: 0, paused: true }),
      (sandbox) =>
        sandbox.create(
          inTwoBatches({ targetRef: reference('shop-new'), sourceRef: [reference('shop-old')] }),
        ),
      approve,
    ],
  );
}

function cloneSetInBatches(): Promise<Recording> {
  const metadata = { name: 'web', ...because('first') };
  const spec = { replicas: 4, selector, ...running(1) };
  const change = {
    metadata: because('second'),
    spec: { ...running(2), updateStrategy: { paused: true } },
  };
  const targetRef = { apiVersion: KRUISE, kind: 'CloneSet', name: 'web' };
  return record(
    (sandbox) => sandbox.define(cloneSetCrd, oamRolloutCrd()),
    [
      (sandbox) => sandbox.create({ apiVersion: KRUISE, kind: 'CloneSet', metadata, spec }),
      async (sandbox) => {
        await sandbox.merge(pathOf(KRUISE, 'clonesets', 'web'), change, 'kubectl-edit');
        await sandbox.create(inTwoBatches({ targetRef }));
      },
      approve,
    ],
  );
}

/** Kinds whose real controllers no recording has. */
export const sandboxRecordings = {
  'an Advanced StatefulSet': advancedStatefulSet,
  'an Application': application,
  'a Rollout of OAM from one Deployment to another': pairOfDeployments,
  'a Rollout of OAM of one CloneSet': cloneSetInBatches,
};
