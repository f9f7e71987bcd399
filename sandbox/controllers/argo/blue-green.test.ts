import { afterEach, beforeEach, expect, test } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import {
  GUESTBOOK,
  guestbook,
  hashLabelOf,
  revisionHistory,
  installArgo,
  setOf,
  statusText,
  theRollout,
} from '@/sandbox/controllers/argo/testing/guestbook';
import { TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await TestSandbox.start();
  await installArgo(sandbox);
});
afterEach(() => sandbox.close());

const NOBODY = 'nowhere';

async function begin(strategy: JsonObject, spec: JsonObject = {}): Promise<void> {
  const names = { activeService: 'active', previewService: 'preview' };
  for (const name of Object.values(names)) await sandbox.createService(name, { app: 'guestbook' });
  await sandbox.create(guestbook({ blueGreen: { ...names, ...strategy } }, { replicas: 3, ...spec }));
  await sandbox.untilIdle();
}

async function write(path: string, patch: JsonObject, within = 10_000): Promise<void> {
  await sandbox.merge(path, patch);
  await sandbox.untilIdle(within);
}

const ship = (version: string) =>
  write(GUESTBOOK, {
    spec: { template: { spec: { containers: [{ name: 'app', image: `guestbook:${version}` }] } } },
  });
const status = (members: JsonObject) => write(`${GUESTBOOK}/status`, { status: members });

/** The versions that the Services select, by the Services and by the Rollout's status. */
async function leads(): Promise<string> {
  const sets = await sandbox.list('replicasets');
  const services = await sandbox.list('services', '/api/v1');
  const { blueGreen } = (await theRollout(sandbox)).status;
  const versionOf = (hash: string | undefined) =>
    JSON.stringify(sets.find((set) => hashLabelOf(set) === hash)?.spec ?? NOBODY).match(
      /guestbook:(\d)/,
    )?.[1] ?? '?';
  return ['active', 'preview']
    .map((name) => {
      const service = services.find(({ metadata }) => metadata.name === name);
      const selector = service?.spec?.selector as Record<string, string>;
      const said = name === 'active' ? blueGreen?.activeSelector : blueGreen?.previewSelector;
      return `${versionOf(selector['rollouts-pod-template-hash'])}${versionOf(said)}`;
    })
    .join(' ');
}

test('all new pods run next to the old ones until promotion, and the old ones for the delay after it', async () => {
  await begin({ autoPromotionEnabled: false });
  expect(await statusText(sandbox)).toBe('Healthy');
  expect(await leads()).toBe('11 11');
  await ship('2');
  expect(await statusText(sandbox)).toBe('Paused BlueGreenPause');
  expect(await revisionHistory(sandbox)).toEqual(['1 v1*3', '2 v2*3']);
  expect(await leads()).toBe('11 22');
  await status({ pauseConditions: null });
  expect(await statusText(sandbox)).toBe('Healthy');
  expect(await leads()).toBe('22 22');
  expect((await setOf(sandbox, '1')).metadata.annotations).toHaveProperty('scale-down-deadline');
  expect(await revisionHistory(sandbox)).toEqual(['1 v1*3', '2 v2*3']);
  await sandbox.untilIdle();
  expect(await revisionHistory(sandbox)).toEqual(['1 v1*0', '2 v2*3']);
  expect((await theRollout(sandbox)).status.stableRS).toBe(hashLabelOf(await setOf(sandbox, '2')));
});

test('returns without a pause to pods that are scheduled for deletion', async () => {
  await begin({ autoPromotionEnabled: false, scaleDownDelaySeconds: 600 });
  await ship('2');
  await status({ pauseConditions: null });
  await ship('1');
  expect(await statusText(sandbox)).toBe('Healthy');
  expect(await leads()).toBe('11 11');
  expect(await revisionHistory(sandbox)).toEqual(['2 v2*3', '3(1) v1*3']);
  expect((await setOf(sandbox, '1')).metadata.annotations).not.toHaveProperty('scale-down-deadline');
});

test('promotes itself after the configured delay', async () => {
  await begin({ autoPromotionSeconds: 60 });
  await ship('2');
  expect(await statusText(sandbox)).toBe('Paused BlueGreenPause');
  await sandbox.untilIdle(70_000);
  expect(await leads()).toBe('22 22');
});

test('deletes the new pods some time after an abort before the switch, and waits again after a retry', async () => {
  await begin({ autoPromotionEnabled: false });
  await ship('2');
  await status({ abort: true });
  expect(await statusText(sandbox)).toBe('Degraded RolloutAborted: Rollout aborted update to revision 2');
  expect(await leads()).toBe('11 22');
  await sandbox.untilIdle();
  expect(await revisionHistory(sandbox)).toEqual(['1 v1*3', '2 v2*0']);
  await status({ abort: false });
  expect(await statusText(sandbox)).toBe('Paused BlueGreenPause');
  expect(await revisionHistory(sandbox)).toEqual(['1 v1*3', '2 v2*3']);
});

test('waits for the Service that it is to switch', async () => {
  await sandbox.create(guestbook({ blueGreen: { activeService: 'active' } }, { replicas: 3 }));
  await sandbox.untilIdle(1_000);
  expect(await statusText(sandbox)).toContain(
    'InvalidSpec: The Rollout "guestbook" is invalid: spec.strategy.blueGreen.active',
  );
  await sandbox.createService('active', { app: 'guestbook' });
  await sandbox.untilIdle(20_000);
  expect(await statusText(sandbox)).toBe('Healthy');
});
