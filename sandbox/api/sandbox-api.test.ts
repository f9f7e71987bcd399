import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { expect, it } from 'vitest';
import { customResource } from '@/sandbox/crds/crds';
import { configMap, JSON_PATCH, TestApi } from '@/sandbox/api/testing/api-client';

const MAPS = '/api/v1/namespaces/default/configmaps';

function namesOf({ items }: { items?: unknown }): string[] {
  return (items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
}

it('does not store a write that changes nothing', async () => {
  const api = await TestApi.start();
  await api.post(MAPS, configMap('a', { x: '1' }));
  const { version } = api.api.store;
  const { code } = await api.patch(`${MAPS}/a`, { data: { x: '1' } });

  expect([code, api.api.store.version]).toEqual([200, version]);
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
