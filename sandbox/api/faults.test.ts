import { expect, it, onTestFinished } from 'vitest';
import type { Fault, FaultScope } from '@/sandbox/api/faults';
import { configMap, TestApi } from '@/sandbox/api/testing/api-client';

const MAPS = '/api/v1/namespaces/default/configmaps';

async function withFault(fault: Fault, scope?: FaultScope, times?: number): Promise<TestApi> {
  const api = await TestApi.start();
  await api.post(MAPS, configMap('a'));
  api.api.faults.add(fault, scope, times);
  return api;
}

it('answers with a Status as often as requested, and with the time to wait', async () => {
  const api = await withFault({ kind: 'status', code: 429, retryAfterSeconds: 3 }, {}, 2);
  const answers = [await api.get(MAPS), await api.get(MAPS), await api.get(MAPS)];

  expect(answers.map(({ code }) => code)).toEqual([429, 429, 200]);
  expect(answers[0]?.headers['retry-after']).toBe('3');
  expect(answers[0]?.body).toMatchObject({ reason: 'TooManyRequests', details: { retryAfterSeconds: 3 } });
});

it('affects only the requests that it is meant for', async () => {
  const scope = { verbs: ['list'], resources: ['configmaps'], namespaces: ['default'], users: ['admin'] };
  const api = await withFault({ kind: 'status', code: 503 }, scope);

  expect((await api.get(MAPS)).code).toBe(503);
  expect((await api.get(`${MAPS}/a`)).code).toBe(200);
  expect((await api.get('/api/v1/configmaps')).code).toBe(200);
  expect((await api.get('/api/v1/namespaces/default/secrets')).code).toBe(200);
  expect((await api.get(MAPS, { user: 'seeder' })).code).toBe(200);
});

it('ends or breaks open watches, and can reject new ones', async () => {
  const api = await TestApi.start();
  const [ended, torn] = [await api.watch(MAPS), await api.watch('/api/v1/secrets')];
  api.api.control({ do: 'cutWatches', how: 'end', scope: { resources: ['configmaps'] } });
  api.api.control({ do: 'cutWatches', how: 'reset' });
  api.api.faults.add({ kind: 'status', code: 500 }, { verbs: ['watch'] });

  expect(await ended.next()).toBeUndefined();
  await expect(torn.next()).rejects.toThrow();
  expect((await api.get(`${MAPS}?watch=1`)).code).toBe(500);
});

it('sends 410 to a list, and to a watch on its stream', async () => {
  const api = await withFault({ kind: 'expired' }, {}, 2);

  expect(await api.get(MAPS)).toMatchObject({ code: 410, body: { reason: 'Expired' } });
  const watch = await api.watch(MAPS);
  expect(await watch.take(2)).toEqual(['ERROR 410', 'end']);
});

it('drops a change, sends one twice, or swaps two', async () => {
  const api = await TestApi.start();
  const watch = await api.watch(MAPS);
  const told = async (fault: Fault, ...names: string[]) => {
    api.api.faults.add(fault, { verbs: ['watch'] }, 1);
    for (const name of names) await api.post(MAPS, configMap(name));
  };
  await told({ kind: 'lost-event' }, 'a', 'b');
  await told({ kind: 'duplicate-event' }, 'c');
  await told({ kind: 'reordered-events' }, 'd', 'e');

  expect(await watch.take(5)).toEqual(['ADDED b', 'ADDED c', 'ADDED c', 'ADDED e', 'ADDED d']);
});

it('aborts in the middle of a response', async () => {
  const api = await withFault({ kind: 'truncate', bytes: 40 }, { verbs: ['list'] }, 1);

  await expect(api.get(MAPS)).rejects.toThrow();
  expect((await api.get(MAPS)).code).toBe(200);
});

it('breaks a connection without a response', async () => {
  const api = await withFault({ kind: 'reset' }, {}, 1);

  await expect(api.get(MAPS)).rejects.toThrow();
});

it('delays a response', async () => {
  const api = await withFault({ kind: 'latency', ms: 50 }, {}, 1);
  const order: string[] = [];
  await Promise.all([
    api.get(MAPS).then(() => order.push('late')),
    api.get(MAPS).then(() => order.push('at once')),
  ]);

  expect(order).toEqual(['at once', 'late']);
});

it('moves its clock ahead, in objects and in the header', async () => {
  const api = await TestApi.start({ clock: { now: () => Date.parse('2026-11-01T10:00:00Z') } });
  api.api.control({ do: 'skewClock', ms: 90_000 });
  const { headers, body } = await api.post(MAPS, configMap('a'));

  expect(headers.date).toBe('Sun, 01 Nov 2026 10:01:30 GMT');
  expect(body.metadata).toMatchObject({ creationTimestamp: '2026-11-01T10:01:30Z' });
});

it('accepts commands over HTTP with its own token alone', async () => {
  const api = await TestApi.start();
  const { controlToken } = api.api;
  const command = {
    do: 'add',
    fault: { kind: 'status', code: 503 },
    scope: { resources: ['pods'] },
    times: 3,
  };
  const send = (token: string, body: object) =>
    api.post('/sandbox/control', JSON.stringify(body), { headers: { authorization: `Bearer ${token}` } });
  onTestFinished(() => api.api.faults.clear());

  expect((await send(api.api.tokens.admin ?? '', command)).code).toBe(401);
  expect((await send(controlToken, { do: 'add', fault: { kind: 'nonsense' } })).code).toBe(400);
  expect((await send(controlToken, command)).body).toMatchObject({
    faults: [{ hits: 0 }],
  });
  expect((await api.get('/api/v1/pods')).code).toBe(503);
  expect((await send(controlToken, { do: 'clear' })).body).toMatchObject({ faults: [] });
});
