import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { expect, it } from 'vitest';
import { defineKind } from '@/sandbox/api/builtin-kinds';
import { configMap, deployment, JSON_PATCH, MERGE_PATCH, TestApi } from '@/sandbox/api/testing/api-client';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

function namesOf({ items }: { items?: unknown }): string[] {
  return (items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
}

it('describes its API, in lists and in one response', async () => {
  const api = await TestApi.start();
  const { body: list } = await api.get('/apis/apps/v1');
  const aggregated = await api.get('/apis', {
    headers: {
      accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json',
    },
  });

  const names = (list.resources as { name: string }[]).map(({ name }) => name);
  expect(names).toContain('deployments');
  expect(names).toContain('deployments/scale');
  expect(aggregated.headers['content-type']).toContain('as=APIGroupDiscoveryList');
  expect(aggregated.text).toContain('"singularResource":"deployment"');
  expect((await api.get('/apis/nope.example.com/v1')).code).toBe(404);
});

it('gives each write the next version, and rejects one that is based on an earlier version', async () => {
  const api = await TestApi.start();
  const { body: first } = await api.post(MAPS, configMap('a', { x: '1' }));
  const { code, body: second } = await api.put(`${MAPS}/a`, { ...first, data: { x: '2' } });
  const stale = await api.put(`${MAPS}/a`, { ...first, data: { x: '3' } });

  const versionOf = (body: typeof first) =>
    Number((body.metadata as { resourceVersion: string }).resourceVersion);
  expect(code).toBe(200);
  expect(versionOf(second)).toBeGreaterThan(versionOf(first));
  expect(stale).toMatchObject({
    code: 409,
    body: { reason: 'Conflict', details: { name: 'a', kind: 'configmaps' } },
  });
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

it('selects by labels and by the fields that a kind supports, and rejects other fields', async () => {
  const api = await TestApi.start();
  await api.post(MAPS, { ...configMap('a'), metadata: { name: 'a', labels: { tier: 'web' } } });
  await api.post(MAPS, { ...configMap('b'), metadata: { name: 'b', labels: { tier: 'db' } } });

  expect(
    namesOf((await api.get(`${MAPS}?labelSelector=${encodeURIComponent('tier in (db)')}`)).body),
  ).toEqual(['b']);
  expect(namesOf((await api.get(`${MAPS}?fieldSelector=metadata.name!%3Da`)).body)).toEqual(['b']);
  expect((await api.get(`${MAPS}?fieldSelector=data.x%3D1`)).code).toBe(400);
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

it('separates spec and status: each endpoint writes its own', async () => {
  const api = await TestApi.start();
  await api.post(DEPLOYMENTS, deployment('web'));
  const both = { spec: { replicas: 9 }, status: { replicas: 9 } };
  const { body: viaObject } = await api.patch(`${DEPLOYMENTS}/web`, both, MERGE_PATCH);
  expect(viaObject).toMatchObject({ spec: { replicas: 9 }, status: {} });
  expect(viaObject.status).toEqual({});

  const { body: viaStatus } = await api.patch(
    `${DEPLOYMENTS}/web/status`,
    { spec: { replicas: 1 }, status: { replicas: 5 } },
    MERGE_PATCH,
  );
  expect(viaStatus).toMatchObject({ spec: { replicas: 9 }, status: { replicas: 5 } });
});

it('scales through the subresource', async () => {
  const api = await TestApi.start();
  await api.post(DEPLOYMENTS, deployment('web'));
  const { body } = await api.patch(`${DEPLOYMENTS}/web/scale`, { spec: { replicas: 4 } }, MERGE_PATCH);

  expect(body).toMatchObject({ kind: 'Scale', spec: { replicas: 4 }, status: { selector: 'app=web' } });
  expect((await api.get(`${DEPLOYMENTS}/web`)).body).toMatchObject({ spec: { replicas: 4 } });
  expect((await api.patch(`${DEPLOYMENTS}/web/scale`, { spec: { replicas: -1 } }, MERGE_PATCH)).code).toBe(
    422,
  );
});

it('explains in the words of upstream why an object is invalid', async () => {
  const api = await TestApi.start();
  await api.post(DEPLOYMENTS, deployment('web'));
  const cases: [object, string][] = [
    [{ spec: { replicas: -1 } }, 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    [{ spec: { template: { spec: { containers: [] } } } }, 'spec.template.spec.containers: Required value'],
    [
      { spec: { template: { metadata: { labels: { app: 'other' } } } } },
      'spec.template.metadata.labels: Invalid value: {"app":"other"}: `selector` does not match template `labels`',
    ],
  ];
  for (const [patch, message] of cases) {
    const { code, body } = await api.patch(`${DEPLOYMENTS}/web`, JSON.stringify(patch), MERGE_PATCH);
    expect([code, body.message]).toEqual([422, `Deployment.apps "web" is invalid: ${message}`]);
  }
  const labels = { app: 'web', tier: 'x' };
  const { body } = await api.patch(
    `${DEPLOYMENTS}/web`,
    { spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } } },
    MERGE_PATCH,
  );
  expect(body.message).toContain(
    'spec.selector: Invalid value: {"matchLabels":{"app":"web","tier":"x"}}: field is immutable',
  );
});

it('drops fields that a kind does not have, and warns of them', async () => {
  const api = await TestApi.start();
  const { code, headers, body } = await api.post(DEPLOYMENTS, { ...deployment('a'), nosuch: 1 });

  expect(code).toBe(201);
  expect(headers.warning).toBe('299 - "unknown field \\"nosuch\\""');
  expect(body.nosuch).toBeUndefined();
});

it('rejects a status with a count above the total', async () => {
  const api = await TestApi.start();
  await api.post(DEPLOYMENTS, deployment('a'));
  const status = { replicas: 1, readyReplicas: 2, availableReplicas: 3 };
  const { code, body } = await api.patch(`${DEPLOYMENTS}/a/status`, JSON.stringify({ status }), MERGE_PATCH);

  expect(code).toBe(422);
  expect(body.message).toContain(
    'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
  );
  expect(body.message).toContain('cannot be greater than readyReplicas');
});

it('rejects any change to the data of a ControllerRevision, and accepts one of its number', async () => {
  const api = await TestApi.start();
  const path = '/apis/apps/v1/namespaces/default/controllerrevisions';
  await api.post(path, { metadata: { name: 'web-1' }, revision: 1, data: { spec: { a: '<&>', n: null } } });
  const changed = await api.patch(`${path}/web-1`, { data: { spec: { a: 'b' } } }, MERGE_PATCH);
  const renumbered = await api.patch(`${path}/web-1`, { revision: 4 }, MERGE_PATCH);

  expect(changed.body.message).toContain('data: Invalid value:');
  expect(renumbered.body).toMatchObject({ revision: 4, data: { spec: { a: '<&>', n: null } } });
});

it('rejects protobuf, server-side apply and unknown paths with a clear message', async () => {
  const api = await TestApi.start();
  await api.post(MAPS, configMap('a'));
  const protobuf = { headers: { accept: 'application/vnd.kubernetes.protobuf' } };

  expect((await api.get(MAPS, protobuf)).code).toBe(406);
  expect((await api.patch(`${MAPS}/a`, '{}', 'application/apply-patch+yaml')).code).toBe(415);
  expect((await api.get('/apis/apps/v1/namespaces/default/foos')).code).toBe(404);
  expect((await api.put(MAPS, {})).code).toBe(405);
  expect((await api.get('/api/v1/namespaces/default/pods/a/exec')).code).toBe(404);
});

it('accepts integers beyond 2^53 and returns them unchanged', async () => {
  const api = await TestApi.start();
  api.api.registerKind(
    defineKind({ group: 'example.com', kind: 'Thing', plural: 'things', hasGeneration: true }),
  );
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
