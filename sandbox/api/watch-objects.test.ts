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

it('sends a bookmark after the initial events to a client that requests it', async () => {
  const api = await TestApi.start();
  await api.post(MAPS, configMap('a'));
  const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const watch = await api.watch(`${MAPS}?${query}`);

  expect(await watch.take(1)).toEqual(['ADDED a']);
  expect(await watch.next()).toMatchObject({
    type: 'BOOKMARK',
    object: { kind: 'ConfigMap', metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
  });
});

it('ends properly when the requested time is up', async () => {
  const api = await TestApi.start();
  const watch = await api.watch(`${MAPS}?timeoutSeconds=1`);

  expect(await watch.next()).toBeUndefined();
  await expect.poll(() => api.api.watches.openWatches).toEqual([]);
});

it('sends bare metadata, and tables, when requested', async () => {
  const api = await TestApi.start();
  await api.post(MAPS, configMap('a', { x: '1' }));
  const as = (form: string) => ({ headers: { accept: `application/json;as=${form};g=meta.k8s.io;v=v1` } });
  const bare = await (await api.watch(MAPS, as('PartialObjectMetadata'))).next();
  const table = await api.watch(MAPS, as('Table'));
  await api.post(MAPS, configMap('b'));

  expect(bare).toMatchObject({ object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } });
  expect((bare?.object as { data?: unknown }).data).toBeUndefined();
  const [first, second] = [await table.next(), await table.next()];
  const age: unknown = expect.stringMatching(/^\d+s$/);
  expect(first).toMatchObject({ object: { kind: 'Table', rows: [{ cells: ['a', age] }] } });
  expect(second).toMatchObject({ object: { columnDefinitions: null, rows: [{ cells: ['b', age] }] } });
});
