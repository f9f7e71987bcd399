import { afterEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
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

const partition = (value: number) => ({ updateStrategy: { rollingUpdate: { partition: value } } });
const surge = (maxSurge: string | number, maxUnavailable: string | number) => ({
  rollingUpdate: { maxSurge, maxUnavailable },
});
const UPDATE = (type: string) => ({ updateStrategy: { type } });
const ROLLING = { strategy: { type: 'RollingUpdate', ...surge('25%', '25%') } };
const RECREATE = { paused: true, strategy: { type: 'Recreate' } };
const ALL_UP = { ...NEVER_AVAILABLE, strategy: surge('100%', 0) };
const ALL_UP_AS_SET = { ...NEVER_AVAILABLE, updateStrategy: surge('100%', 0) };

/** Pods while the first step waits, the spec of the workload meanwhile, and at the end. */
type StyleCase = [
  ref: string,
  strategy: JsonObject,
  pods: Record<string, number>,
  held: JsonObject,
  freed: JsonObject,
];

const cases: StyleCase[] = [
  ['apps/v1 StatefulSet', PARTITION, ONE_OF_THREE, partition(2), {}],
  ['apps.kruise.io/v1beta1 StatefulSet', PARTITION, ONE_OF_THREE, partition(2), {}],
  ['apps.kruise.io/v1beta1 CloneSet', PARTITION, ONE_OF_THREE, partition(2), {}],
  ['apps.kruise.io/v1beta1 DaemonSet', PARTITION, ONE_OF_THREE, partition(2), {}],
  ['apps/v1 DaemonSet', PARTITION, ONE_OF_THREE, UPDATE('OnDelete'), UPDATE('RollingUpdate')],
  ['apps/v1 Deployment', PARTITION, ONE_OF_THREE, RECREATE, ROLLING],
  ['apps/v1 Deployment', CANARY, { 'app:v1 -': 3, 'app:v2 1': 1 }, { paused: true }, ROLLING],
  ['apps/v1 Deployment', BLUE_GREEN, BOTH, ALL_UP, { progressDeadlineSeconds: 600, ...ROLLING }],
  ['apps.kruise.io/v1beta1 CloneSet', BLUE_GREEN, BOTH, ALL_UP_AS_SET, { minReadySeconds: 0 }],
];

/** Three pods of v1, and v2 until its first step waits; the path of the workload. */
async function start([ref, strategy, pods, held]: StyleCase): Promise<string> {
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
async function expectFreed(path: string, [, , , , freed]: StyleCase): Promise<void> {
  const { spec, metadata } = await sandbox.get(path);
  expect(spec).toMatchObject(freed);
  expect(spec?.paused ?? false).toBe(false);
  const rolling = (spec?.updateStrategy as JsonObject | undefined)?.rollingUpdate as JsonObject | undefined;
  expect(rolling?.partition ?? 0).toBe(0);
  expect(Object.keys(metadata.annotations ?? {}).filter((key) => key.includes('kruise.io'))).toEqual([]);
}

test.each(cases)(
  'a %s with %j is rolled out in steps, though the controllers restart, and then freed',
  async (...style) => {
    const [, strategy] = style;
    const path = await start(style);
    const member = 'blueGreen' in strategy ? 'blueGreenStatus' : 'canaryStatus';
    for (const _step of strategy === BLUE_GREEN ? [1, 2] : [1]) {
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

test.each(cases.filter(([ref]) => !ref.endsWith('DaemonSet')))(
  'a %s with %j whose template is rolled back midway gets its old pods back and is freed',
  async (...style) => {
    const path = await start(style);
    await sandbox.merge(path, newImage('app:v1'));
    await sandbox.pass(60);
    expect(await sandbox.stateOf('app')).toBe('Healthy 1 StepPaused');
    expect(await sandbox.countPods()).toEqual({ 'app:v1 -': 3 });
    await expectFreed(path, style);
  },
);
