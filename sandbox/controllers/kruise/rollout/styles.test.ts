import { afterEach, expect, test, vi } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import {
  newImage,
  rollout,
  ROLLOUTS,
  RolloutSandbox,
  workload,
} from '@/sandbox/controllers/kruise/testing/rollout-sandbox';

vi.setConfig({ testTimeout: 60_000 });

let sandbox: RolloutSandbox;

afterEach(() => sandbox.close());

const STEPS = [
  { replicas: 1, pause: {} },
  { replicas: '100%', pause: {} },
];
const PARTITION = { canary: { steps: STEPS } };
const CANARY = { canary: { steps: STEPS, enableExtraWorkloadForCanary: true } };
const BLUE_GREEN = { blueGreen: { steps: STEPS.map(({ pause }) => ({ replicas: '100%', pause })) } };
const ONE_OF_THREE = { 'app:v1 -': 2, 'app:v2 1': 1 };
const BOTH = { 'app:v1 -': 3, 'app:v2 1': 3 };
const NEVER_AVAILABLE = { minReadySeconds: 2_147_483_646 };

interface StyleCase {
  ref: string;
  strategy: JsonObject;
  /** Pods while the first step waits. */
  pods: Record<string, number>;
  /** The spec of the workload meanwhile. */
  held: JsonObject;
  /** And at the end. */
  freed: JsonObject;
}

const partition = (value: number | undefined) => ({
  updateStrategy: { rollingUpdate: { partition: value } },
});
const surge = (maxSurge: string | number, maxUnavailable: string | number) => ({
  rollingUpdate: { maxSurge, maxUnavailable },
});

const cases: StyleCase[] = [
  ...['apps/v1 StatefulSet', 'apps.kruise.io/v1beta1 StatefulSet', 'apps.kruise.io/v1beta1 CloneSet'].map(
    (ref) => ({
      ref,
      strategy: PARTITION,
      pods: ONE_OF_THREE,
      held: partition(2),
      freed: {},
    }),
  ),
  {
    ref: 'apps.kruise.io/v1beta1 CloneSet',
    strategy: BLUE_GREEN,
    pods: BOTH,
    held: { ...NEVER_AVAILABLE, updateStrategy: surge('100%', 0) },
    freed: { minReadySeconds: 0, updateStrategy: { rollingUpdate: {} } },
  },
  {
    ref: 'apps/v1 Deployment',
    strategy: PARTITION,
    pods: ONE_OF_THREE,
    held: { paused: true, strategy: { type: 'Recreate' } },
    freed: { strategy: { type: 'RollingUpdate', ...surge('25%', '25%') } },
  },
  {
    ref: 'apps/v1 Deployment',
    strategy: CANARY,
    pods: { 'app:v1 -': 3, 'app:v2 1': 1 },
    held: { paused: true },
    freed: { strategy: { type: 'RollingUpdate', ...surge('25%', '25%') } },
  },
  {
    ref: 'apps/v1 Deployment',
    strategy: BLUE_GREEN,
    pods: BOTH,
    held: { ...NEVER_AVAILABLE, strategy: surge('100%', 0) },
    freed: { progressDeadlineSeconds: 600, strategy: surge('25%', '25%') },
  },
  {
    ref: 'apps/v1 DaemonSet',
    strategy: PARTITION,
    pods: ONE_OF_THREE,
    held: { updateStrategy: { type: 'OnDelete' } },
    freed: { updateStrategy: { type: 'RollingUpdate' } },
  },
  {
    ref: 'apps.kruise.io/v1beta1 DaemonSet',
    strategy: PARTITION,
    pods: ONE_OF_THREE,
    held: partition(2),
    freed: {},
  },
];

/** Three pods of v1, and v2 until its first step waits; the path of the workload. */
async function start({ ref, strategy, pods, held }: StyleCase): Promise<string> {
  sandbox = await RolloutSandbox.start();
  const [apiVersion = '', kind = ''] = ref.split(' ');
  const plural = `${kind.toLowerCase()}s`;
  const { metadata, spec } = workload('app', 3, 'app:v1');
  const { replicas: _replicas, ...unsized } = spec;
  const body =
    kind === 'DaemonSet' ? unsized : kind === 'StatefulSet' ? { ...spec, serviceName: 'app' } : spec;
  await sandbox.create(`/apis/${apiVersion}`, plural, { metadata, spec: body });
  await sandbox.pass(60);
  await sandbox.send('POST', ROLLOUTS, rollout('app', { apiVersion, kind, name: 'app' }, strategy));
  await sandbox.pass(10);
  const path = `/apis/${apiVersion}/namespaces/default/${plural}/app`;
  await sandbox.merge(path, newImage('app:v2'));
  for (let seconds = 0; seconds < 42; seconds += 6) {
    await sandbox.restart();
    await sandbox.pass(6);
  }
  expect(await sandbox.stateOf('app')).toBe('Progressing 1 StepPaused');
  expect(await sandbox.countPods()).toEqual(pods);
  expect((await sandbox.get(path)).spec).toMatchObject(held);
  return path;
}

/** Nothing is left of how it was held. */
async function expectFreed(path: string, { freed }: StyleCase): Promise<void> {
  const { spec, metadata } = await sandbox.get(path);
  expect(spec).toMatchObject(freed);
  expect(spec?.paused ?? false).toBe(false);
  const rolling = (spec?.updateStrategy as JsonObject | undefined)?.rollingUpdate as JsonObject | undefined;
  expect(rolling?.partition ?? 0).toBe(0);
  expect(Object.keys(metadata.annotations ?? {}).filter((key) => key.includes('kruise.io'))).toEqual([]);
}

test.each(cases)(
  'a $ref is rolled out in steps, though the controllers restart, and then freed',
  async (style) => {
    const path = await start(style);
    const member = 'blueGreen' in style.strategy ? 'blueGreenStatus' : 'canaryStatus';
    for (const _step of style.strategy === BLUE_GREEN ? [1, 2] : [1]) {
      await sandbox.merge(`${ROLLOUTS}/app/status`, {
        status: { [member]: { currentStepState: 'StepReady' } },
      });
      await sandbox.pass(60);
    }
    expect(await sandbox.stateOf('app')).toBe('Healthy 2 Completed');
    const images = Object.keys(await sandbox.countPods()).map((key) => key.slice(0, 6));
    expect(new Set(images)).toEqual(new Set(['app:v2']));
    await expectFreed(path, style);
  },
);

test.each(cases.filter(({ ref }) => !ref.endsWith('DaemonSet')))(
  'a $ref whose template is rolled back midway gets its old pods back and is freed',
  async (style) => {
    const path = await start(style);
    await sandbox.merge(path, newImage('app:v1'));
    await sandbox.pass(60);
    expect(await sandbox.stateOf('app')).toBe('Healthy 1 StepPaused');
    expect(await sandbox.countPods()).toEqual({ 'app:v1 -': 3 });
    await expectFreed(path, style);
  },
);
