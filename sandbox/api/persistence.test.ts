import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { configMap, TestApi } from '@/sandbox/api/testing/api-client';

const MAPS = '/api/v1/namespaces/default/configmaps';

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'shiplog-sandbox-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

it('restores every object as it was, and issues no version or uid twice', async () => {
  const persistDir = await directory();
  const before = await TestApi.start({ persistDir });
  await before.post(MAPS, configMap('a', { x: '1' }));
  const { body: saved } = await before.get(`${MAPS}/a`);
  const { version } = before.api.store;
  await before.close();

  const after = await TestApi.start({ persistDir });
  expect((await after.get(`${MAPS}/a`)).body).toEqual(saved);
  const { body } = await after.post(MAPS, configMap('b'));
  const { uid, resourceVersion } = body.metadata as { uid: string; resourceVersion: string };
  expect(Number(resourceVersion)).toBeGreaterThan(version);
  expect(uid).not.toBe((saved.metadata as { uid: string }).uid);
});

it('makes watches from before a restart start over', async () => {
  const persistDir = await directory();
  const before = await TestApi.start({ persistDir });
  await before.post(MAPS, configMap('a'));
  const { version } = before.api.store;
  await before.close();
  const after = await TestApi.start({ persistDir });
  const watch = await after.watch(`${MAPS}?resourceVersion=${version}`);

  expect(await watch.take(1)).toEqual(['ERROR 410']);
});

it('survives an interrupted save', async () => {
  const persistDir = await directory();
  const before = await TestApi.start({ persistDir });
  await before.post(MAPS, configMap('a'));
  before.api.save();
  await writeFile(join(persistDir, 'cluster.json.tmp'), '{"version":12,"coll');
  await before.close();
  const after = await TestApi.start({ persistDir });

  expect((await after.get(`${MAPS}/a`)).code).toBe(200);
  expect(await readdir(persistDir)).toContain('cluster.json');
});

it.each([
  { saves: 'always', meanwhile: ['cluster.json'] },
  { saves: 'atEnd', meanwhile: [] },
] as const)('saves $saves: meanwhile there is $meanwhile', async ({ saves, meanwhile }) => {
  const persistDir = await directory();
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await TestApi.start({ persistDir, saves });
  await server.post(MAPS, configMap('a'));
  vi.advanceTimersByTime(5_000);
  expect(await readdir(persistDir)).toEqual(meanwhile);
  vi.useRealTimers();
  await server.close();
  expect(await readdir(persistDir)).toEqual(['cluster.json']);
});
