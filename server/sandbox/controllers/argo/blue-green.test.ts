import { afterEach, beforeEach, expect, test } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import {
  GUESTBOOK,
  guestbook,
  hashLabelOf,
  history,
  installArgo,
  setOf,
  standing,
  theRollout,
} from '@/server/sandbox/controllers/argo/testing/guestbook';
import { Sandbox } from '@/server/sandbox/controllers/testing/sandbox';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.start();
  await installArgo(sandbox);
});
afterEach(() => sandbox.close());

const NOBODY = 'nowhere';

async function begin(strategy: JsonObject, spec: JsonObject = {}): Promise<void> {
  const names = { activeService: 'active', previewService: 'preview' };
  for (const name of Object.values(names)) await sandbox.createService(name, { app: 'guestbook' });
  await sandbox.create(guestbook({ blueGreen: { ...names, ...strategy } }, { replicas: 3, ...spec }));
  await sandbox.rest();
}

async function write(path: string, patch: JsonObject, within = 10_000): Promise<void> {
  await sandbox.merge(path, patch);
  await sandbox.rest(within);
}

const ship = (version: string) =>
  write(GUESTBOOK, {
    spec: { template: { spec: { containers: [{ name: 'app', image: `guestbook:${version}` }] } } },
  });
const status = (members: JsonObject) => write(`${GUESTBOOK}/status`, { status: members });

/** The versions that the Services lead to, as the Services and as the Rollout say it. */
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

test('all new pods stand beside the old ones until somebody promotes them; the old ones stay a while', async () => {
  await begin({ autoPromotionEnabled: false });
  expect(await standing(sandbox)).toBe('Healthy');
  expect(await leads()).toBe('11 11');
  await ship('2');
  expect(await standing(sandbox)).toBe('Paused BlueGreenPause');
  expect(await history(sandbox)).toEqual(['1 v1*3', '2 v2*3']);
  expect(await leads()).toBe('11 22');
  await status({ pauseConditions: null });
  expect(await standing(sandbox)).toBe('Healthy');
  expect(await leads()).toBe('22 22');
  expect((await setOf(sandbox, '1')).metadata.annotations).toHaveProperty('scale-down-deadline');
  expect(await history(sandbox)).toEqual(['1 v1*3', '2 v2*3']);
  await sandbox.rest();
  expect(await history(sandbox)).toEqual(['1 v1*0', '2 v2*3']);
  expect((await theRollout(sandbox)).status.stableRS).toBe(hashLabelOf(await setOf(sandbox, '2')));
});

test('back to pods that are about to go it takes no pause', async () => {
  await begin({ autoPromotionEnabled: false, scaleDownDelaySeconds: 600 });
  await ship('2');
  await status({ pauseConditions: null });
  await ship('1');
  expect(await standing(sandbox)).toBe('Healthy');
  expect(await leads()).toBe('11 11');
  expect(await history(sandbox)).toEqual(['2 v2*3', '3(1) v1*3']);
  expect((await setOf(sandbox, '1')).metadata.annotations).not.toHaveProperty('scale-down-deadline');
});

test('promotes itself after a while where it is told to', async () => {
  await begin({ autoPromotionSeconds: 60 });
  await ship('2');
  expect(await standing(sandbox)).toBe('Paused BlueGreenPause');
  await sandbox.rest(70_000);
  expect(await leads()).toBe('22 22');
});

test('aborted before the switch, the new pods go after a while; retried, it waits again', async () => {
  await begin({ autoPromotionEnabled: false });
  await ship('2');
  await status({ abort: true });
  expect(await standing(sandbox)).toBe('Degraded RolloutAborted: Rollout aborted update to revision 2');
  expect(await leads()).toBe('11 22');
  await sandbox.rest();
  expect(await history(sandbox)).toEqual(['1 v1*3', '2 v2*0']);
  await status({ abort: false });
  expect(await standing(sandbox)).toBe('Paused BlueGreenPause');
  expect(await history(sandbox)).toEqual(['1 v1*3', '2 v2*3']);
});

test('waits for the Service that it is to switch', async () => {
  await sandbox.create(guestbook({ blueGreen: { activeService: 'active' } }, { replicas: 3 }));
  await sandbox.rest(1_000);
  expect(await standing(sandbox)).toContain(
    'InvalidSpec: The Rollout "guestbook" is invalid: spec.strategy.blueGreen.active',
  );
  await sandbox.createService('active', { app: 'guestbook' });
  await sandbox.rest(20_000);
  expect(await standing(sandbox)).toBe('Healthy');
});
