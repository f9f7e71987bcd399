import { expect, it } from 'vitest';
import { configMap, MERGE_PATCH, TestApi } from '@/sandbox/api/testing/api-client';

const MAPS = '/api/v1/namespaces/default/configmaps';
const EVERYWHERE = '/api/v1/configmaps';

it('sends the existing objects first, then every change as it happens', async () => {
  const api = await TestApi.start();
  await api.post(MAPS, configMap('a'));
  const watch = await api.watch(EVERYWHERE);
  expect(await watch.take(1)).toEqual(['ADDED a']);

  await api.post(MAPS, configMap('b'));
  await api.patch(`${MAPS}/a`, { data: { x: '1' } });
  await api.delete(`${MAPS}/b`);

  expect(await watch.take(3)).toEqual(['ADDED b', 'MODIFIED a', 'DELETED b']);
});

it('continues from a version without a gap and without a repetition', async () => {
  const api = await TestApi.start();
  await api.post(MAPS, configMap('a'));
  const { body } = await api.get(MAPS);
  const { resourceVersion } = body.metadata as { resourceVersion: string };
  await api.post(MAPS, configMap('b'));
  await api.post(MAPS, configMap('c'));
  const watch = await api.watch(`${MAPS}?resourceVersion=${resourceVersion}`);
  await api.post(MAPS, configMap('d'));

  expect(await watch.take(3)).toEqual(['ADDED b', 'ADDED c', 'ADDED d']);
});

it('reports an object that enters or leaves the selection with a change', async () => {
  const api = await TestApi.start();
  await api.post(MAPS, configMap('a'));
  const watch = await api.watch(`${MAPS}?labelSelector=tier%3Dweb`);
  await api.patch(`${MAPS}/a`, { metadata: { labels: { tier: 'web' } } }, MERGE_PATCH);
  await api.patch(`${MAPS}/a`, { data: { x: '1' } }, MERGE_PATCH);
  await api.patch(`${MAPS}/a`, { metadata: { labels: { tier: 'db' } } }, MERGE_PATCH);
  await api.patch(`${MAPS}/a`, { data: { x: '2' } }, MERGE_PATCH);
  await api.patch(`${MAPS}/a`, { metadata: { labels: { tier: 'web' } } }, MERGE_PATCH);

  expect(await watch.take(4)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a']);
});

it('answers 410 on the stream when the version has expired', async () => {
  const api = await TestApi.start({ historyMax: 5 });
  const start = api.api.store.version;
  for (let index = 0; index < 8; index += 1) await api.post(MAPS, configMap(`a${index}`));
  const watch = await api.watch(`${MAPS}?resourceVersion=${start}`);

  expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  expect(await watch.next()).toBeUndefined();
});

it('ends properly when the requested time is up', async () => {
  const api = await TestApi.start();
  const watch = await api.watch(`${MAPS}?timeoutSeconds=1`);

  expect(await watch.next()).toBeUndefined();
  await expect.poll(() => api.api.watches.openWatches).toEqual([]);
});

it('sends bare metadata when requested', async () => {
  const api = await TestApi.start();
  await api.post(MAPS, configMap('a', { x: '1' }));
  const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
  const line = await (await api.watch(MAPS, { headers: { accept } })).next();

  expect(line).toMatchObject({ object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } });
  expect(line?.object).not.toHaveProperty('data');
});
