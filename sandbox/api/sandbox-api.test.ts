import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { expect, it } from 'vitest';
import { customResource } from '@/sandbox/crds/crds';
import { configMap, deployment, JSON_PATCH, MERGE_PATCH, TestApi } from '@/sandbox/api/testing/api-client';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

function namesOf({ items }: { items?: unknown }): string[] {
  return (items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
}

it('describes its API', async () => {
  const api = await TestApi.start();
  const { body: list } = await api.get('/apis/apps/v1');
  const names = (list.resources as { name: string }[]).map(({ name }) => name);
  expect(names).toContain('deployments');
  expect(names).toContain('deployments/scale');
  expect((await api.get('/apis/nope.example.com/v1')).code).toBe(404);
});

it('does not store a write that changes nothing', async () => {
  const api = await TestApi.start();
  await api.post(MAPS, configMap('a', { x: '1' }));
  const { version } = api.api.store;
  const { code } = await api.patch(`${MAPS}/a`, { data: { x: '1' } });

  expect([code, api.api.store.version]).toEqual([200, version]);
});

it('answers a dry run in full and stores nothing of it', async () => {
  const api = await TestApi.start();
  const created = await api.post(`${DEPLOYMENTS}?dryRun=All`, deployment('web'));
  expect(created).toMatchObject({ code: 201, body: { spec: { progressDeadlineSeconds: 600 } } });
  expect((await api.get(`${DEPLOYMENTS}/web`)).code).toBe(404);

  await api.post(DEPLOYMENTS, deployment('web'));
  const { version } = api.api.store;
  const patched = await api.patch(`${DEPLOYMENTS}/web?dryRun=All`, { spec: { replicas: 7 } }, MERGE_PATCH);
  const deleted = await api.delete(`${DEPLOYMENTS}/web?dryRun=All`);
  expect(patched.body).toMatchObject({ spec: { replicas: 7 }, metadata: { generation: 2 } });
  expect([deleted.code, api.api.store.version]).toEqual([200, version]);
});

it('shows the state of the first page on all later ones, until that expires', async () => {
  const api = await TestApi.start();
  for (const name of ['a', 'b', 'c', 'd']) await api.post(MAPS, configMap(name));
  const { body: first } = await api.get(`${MAPS}?limit=2`);
  await api.delete(`${MAPS}/c`);
  await api.post(MAPS, configMap('cc'));
  const next = encodeURIComponent((first.metadata as { continue: string }).continue);
  const { body: second } = await api.get(`${MAPS}?limit=2&continue=${next}`);

  expect([namesOf(first), namesOf(second)]).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  expect(first.metadata).toMatchObject({ remainingItemCount: 2 });
  expect(second.metadata).toMatchObject({
    resourceVersion: (first.metadata as { resourceVersion: string }).resourceVersion,
  });

  api.api.control({ do: 'forgetHistory' });
  expect(await api.get(`${MAPS}?limit=2&continue=${next}`)).toMatchObject({
    code: 410,
    body: { reason: 'Expired' },
  });
});

it('generates a name from generateName, the same again for the same seed', async () => {
  const names: string[] = [];
  for (const seed of [7, 7, 8]) {
    const api = await TestApi.start({ seed });
    const { body } = await api.post(MAPS, { ...configMap(''), metadata: { generateName: 'job-' } });
    names.push((body.metadata as { name: string }).name);
  }

  expect(names[0]).toMatch(/^job-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  expect(names[1]).toBe(names[0]);
  expect(names[2]).not.toBe(names[0]);
});

it('counts changes of the spec as generations, and of annotations for Deployments, but not of the status', async () => {
  const api = await TestApi.start();
  await api.post(DEPLOYMENTS, deployment('web'));
  const generations: unknown[] = [];
  const record = async (path: string, body: Parameters<TestApi['post']>[1]) => {
    const answer = await api.patch(`${DEPLOYMENTS}/web${path}`, body, MERGE_PATCH);
    generations.push((answer.body.metadata as { generation: number }).generation);
  };
  await record('', { spec: { paused: true } });
  await record('', { metadata: { labels: { a: 'b' } } });
  await record('', { metadata: { annotations: { a: 'b' } } });
  await record('/status', { status: { replicas: 3 } });

  expect(generations).toEqual([2, 2, 3, 3]);
});

it('rejects protobuf and unknown paths with a clear message', async () => {
  const api = await TestApi.start();
  await api.post(MAPS, configMap('a'));
  const protobuf = { headers: { accept: 'application/vnd.kubernetes.protobuf' } };

  expect((await api.get(MAPS, protobuf)).code).toBe(406);
  expect((await api.get('/apis/apps/v1/namespaces/default/foos')).code).toBe(404);
  expect((await api.put(MAPS, {})).code).toBe(405);
  expect((await api.get('/api/v1/namespaces/default/pods/a/exec')).code).toBe(404);
});

it('accepts integers beyond 2^53 and returns them unchanged', async () => {
  const api = await TestApi.start();
  const definition = customResource({
    group: 'example.com',
    kind: 'Thing',
    plural: 'things',
    versions: ['v1'],
  });
  await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  const path = '/apis/example.com/v1/namespaces/default/things';
  await api.post(path, '{"metadata":{"name":"a"},"spec":{"big":9007199254740993}}');
  const { text } = await api.patch(
    `${path}/a`,
    '[{"op":"add","path":"/spec/other","value":1.0}]',
    JSON_PATCH,
  );

  expect(text).toContain('"big":9007199254740993');
  expect(text).toContain('"other":1.0');
});

it('rejects connections while suspended, and has everything afterwards', async () => {
  const api = await TestApi.start();
  await api.post(MAPS, configMap('a'));
  // In the middle of its handshake, as any client may be then.
  const idle = connect(Number(new URL(api.api.url).port), '127.0.0.1').on('error', () => undefined);
  await once(idle, 'connect');
  await api.api.suspend();

  await expect(api.get(MAPS)).rejects.toThrow();
  await api.api.resume();
  expect(namesOf((await api.get(MAPS)).body)).toEqual(['a']);
});

it('has the certificate of another authority after a renewal, also in its kubeconfigs', async () => {
  const { api } = await TestApi.start();
  const before = api.ca;
  await api.renewCertificate();

  const greet = (ca: string) => {
    const socket = connectSecurely({ host: '127.0.0.1', port: Number(new URL(api.url).port), ca });
    return once(socket, 'secureConnect').finally(() => socket.destroy());
  };
  await greet(api.ca);
  await expect(greet(before)).rejects.toThrow(/certificate/);
  expect(api.kubeconfig('admin')).toContain(Buffer.from(api.ca).toString('base64'));
});
