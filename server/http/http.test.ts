import { beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { rollbackRequestSchema } from '@/lib/api/actions';
import { errorSchema } from '@/lib/api/common';
import { AppError, type ErrorCode } from '@/lib/errors';
import { mutation, route } from '@/server/http/http';
import { parseInput } from '@/server/http/http-input';
import { Keys } from '@/server/shared/keys';
import { silentLogger } from '@/server/shared/log';
import { IdempotencyStore } from '@/server/shared/idempotency-store';
import { fixedIdentity } from '@/server/identity/testing/fixed-identity';
import type { Edge } from '@/server/runtime/runtime';
import { viewerNamed } from '@/server/shared/testing/viewers';

const keys = new Keys(Buffer.alloc(32, 7));
const schema = z.strictObject({ to: z.number(), note: z.string().default('none') });

const NOON = Date.parse('2026-01-01T12:00:00Z');
let now = NOON;
let viewer = 'ana';
let log = vi.fn();
let edge: () => Edge;

beforeEach(() => {
  now = NOON;
  viewer = 'ana';
  log = vi.fn();
  const repeats = new IdempotencyStore(() => now);
  edge = () => ({
    log: { ...silentLogger, error: log },
    keys,
    publicUrl: 'https://shiplog.example',
    idempotency: repeats,
    identity: fixedIdentity(() => viewerNamed(viewer)),
  });
});

test.each(['configured', 'anonymous'] as const)(
  'rejects every action for a viewer who is only allowed to read: %s',
  async (readOnly) => {
    const act = vi.fn();
    const looking = () => ({
      ...edge(),
      identity: fixedIdentity(() => ({ ...viewerNamed('x'), readOnly })),
    });
    const refused = await mutation(act, { schema, edge: looking })(post({ to: 1 }));
    expect(await failure(refused)).toMatchObject({ status: 403, code: 'read_only' });
    expect((await mutation(act, { schema, edge: looking })(post('nonsense'))).status).toBe(403);
    expect(act).not.toHaveBeenCalled();
  },
);

function get(headers: Record<string, string> = {}) {
  return new Request('http://localhost:8440/api/x', { headers: { host: 'localhost:8440', ...headers } });
}

function post(body: unknown, headers: Record<string, string> = {}) {
  return new Request('http://localhost:8440/api/x', {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { host: 'localhost:8440', 'content-type': 'application/json', ...headers },
  });
}

async function failure(response: Response) {
  const { error } = errorSchema.parse(await response.json());
  return { status: response.status, ...error };
}

describe('a route', () => {
  test('answers no page of another site, and every other request', async () => {
    const answer = (site?: string) =>
      route(() => ({}), edge)(get(site === undefined ? {} : { 'sec-fetch-site': site }));
    expect(await failure(await answer('cross-site'))).toMatchObject({ status: 403, code: 'forbidden' });
    for (const site of [undefined, 'same-origin', 'same-site', 'none'])
      expect((await answer(site)).status).toBe(200);
  });

  test('answers with JSON that is never stored or sniffed', async () => {
    const response = await route((call) => ({ for: call.person.name, of: call.url.pathname }), edge)(get());
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await response.json()).toEqual({ for: 'ana', of: '/api/x' });
  });

  test('passes a Response on, headers included', async () => {
    const stream = () =>
      new Response('x', { headers: { 'cache-control': 'no-transform', 'content-type': 'text/x' } });
    const response = await route(stream, edge)(get());
    expect(response.headers.get('cache-control')).toBe('no-transform');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test.each<[ErrorCode, number]>([
    ['bad_request', 400],
    ['unauthorized', 401],
    ['forbidden', 403],
    ['read_only', 403],
    ['not_found', 404],
    ['method_not_allowed', 405],
    ['misdirected', 421],
    ['conflict', 409],
    ['ambiguous', 409],
    ['changed', 409],
    ['too_large', 413],
    ['unsupported_media_type', 415],
    ['refused', 422],
    ['idempotency_mismatch', 422],
    ['rate_limited', 429],
    ['internal', 500],
    ['cluster_error', 502],
    ['cluster_unreachable', 503],
    ['timeout', 504],
  ])('%s is status %i', async (code, status) => {
    const fail = () => {
      throw new AppError(code, 'No.', { a: 1 });
    };
    expect(await failure(await route(fail, edge)(get()))).toEqual({
      status,
      code,
      message: 'No.',
      details: { a: 1 },
    });
  });

  test('names the time of the next retry', async () => {
    const fail = () => {
      throw new AppError('rate_limited', 'Later.', { retryAfterMs: 1_200 });
    };
    expect((await route(fail, edge)(get())).headers.get('retry-after')).toBe('2');
  });

  test('logs a bug completely and reveals nothing of it to the caller', async () => {
    const fail = () => {
      throw new TypeError('x of undefined');
    };
    const answer = await failure(await route(fail, edge)(get()));
    expect(answer).toMatchObject({ status: 500, code: 'internal', details: {} });
    expect(answer.message).not.toContain('undefined');
    expect(log).toHaveBeenCalledOnce();
  });

  test('masks credentials in the words of an API server', async () => {
    const fail = () => {
      throw new AppError('cluster_error', 'env: Invalid value: --password=hunter2', {
        apiMessage: 'x://u:hunter2@h',
      });
    };
    expect(JSON.stringify(await failure(await route(fail, edge)(get())))).not.toContain('hunter2');
  });

  test('answers also while the process is not ready yet', async () => {
    const notYet = () => Promise.reject(new AppError('internal', 'Not started.'));
    expect(await failure(await route(() => 1, notYet)(get()))).toMatchObject({ status: 500 });
  });

  test.each(['evil.example', 'localhost.evil.example', 'localhost@evil.example', '10.0.0.1', '', 'a/b'])(
    'rejects a foreign host name: %s',
    async (host) => {
      expect(await failure(await route(() => 1, edge)(get({ host })))).toMatchObject({ status: 421 });
    },
  );

  test.each(['localhost:8440', '127.0.0.1:1', '[::1]:8440', 'LOCALHOST', 'shiplog.example'])(
    'answers to its own host name %s',
    async (host) => {
      expect((await route(() => 1, edge)(get({ host }))).status).toBe(200);
    },
  );

  test('names the field that is malformed', async () => {
    const parse = (value: unknown) => route(() => parseInput(rollbackRequestSchema, value), edge)(get());
    const message = async (value: unknown) => (await failure(await parse(value))).message;
    expect(await message({ seen: 'x' })).toBe('to: must be a string, or a number.');
    expect(await message({ to: 1 })).toBe('seen: is missing; it must be a string.');
    expect(await message({ to: 1, seen: '' })).toBe('seen: must have at least 1 character.');
    expect(await message({ to: 1, seen: 'x', dryRun: 'yes' })).toBe('dryRun: must be a boolean.');
    expect(await message({ to: 1, seen: 'x', dryrun: true })).toBe('dryrun: is not a field of this request.');
    expect(await message(7)).toBe('body: must be an object.');
  });
});

describe('a mutation', () => {
  const act = vi.fn((call: { body: unknown }) => call.body);
  const send = (request: Request) => mutation(act, { schema, edge })(request);
  beforeEach(() => {
    act.mockClear();
  });

  test('receives the parsed body', async () => {
    expect(await (await send(post({ to: 1 }))).json()).toEqual({ to: 1, note: 'none' });
  });

  test.each<[string, Request | (() => Request), number]>([
    ['a form', () => post('to=1', { 'content-type': 'application/x-www-form-urlencoded' }), 415],
    [
      'text that a page may send without asking',
      () => post('{"to":1}', { 'content-type': 'text/plain' }),
      415,
    ],
    ['broken JSON', () => post('{"to":'), 400],
    ['an unknown field', () => post({ to: 1, x: 1 }), 400],
    ['the marker of a masked value', () => post({ to: 1, note: `x ${keys.marker('y')}` }), 400],
    ['a body above the limit', () => post({ to: 1, note: 'x'.repeat(65_536) }), 413],
    ['another site', () => post({ to: 1 }, { 'sec-fetch-site': 'cross-site' }), 403],
    ['another port of this machine', () => post({ to: 1 }, { 'sec-fetch-site': 'same-site' }), 403],
    ['a foreign origin', () => post({ to: 1 }, { origin: 'https://evil.example' }), 403],
    ['an origin on another port', () => post({ to: 1 }, { origin: 'http://localhost:3000' }), 403],
    ['an origin that is hidden', () => post({ to: 1 }, { origin: 'null' }), 403],
    ['a foreign host', () => post({ to: 1 }, { host: 'evil.example' }), 421],
    ['an endless key', () => post({ to: 1 }, { 'idempotency-key': 'x'.repeat(201) }), 400],
  ])('refuses %s and does nothing', async (_, request, status) => {
    expect((await send(typeof request === 'function' ? request() : request)).status).toBe(status);
    expect(act).not.toHaveBeenCalled();
  });

  test('stops reading a body of unknown length at the limit', async () => {
    let parts = 0;
    const body = new ReadableStream({
      pull(controller) {
        parts += 1;
        controller.enqueue(new Uint8Array(16_384));
      },
    });
    const headers = { host: 'localhost', 'content-type': 'application/json' };
    const request = new Request('http://localhost/x', {
      method: 'POST',
      body,
      headers,
      duplex: 'half',
    } as RequestInit);
    expect((await send(request)).status).toBe(413);
    expect(parts).toBeLessThan(10);
  });

  test.each<Record<string, string>>([
    {},
    { origin: 'http://localhost:8440', 'sec-fetch-site': 'same-origin' },
    { origin: 'http://127.0.0.1:8440' },
    { 'sec-fetch-site': 'none' },
    { host: 'shiplog.example', origin: 'https://shiplog.example' },
  ])('passes from %o', async (headers) => {
    expect((await send(post({ to: 1 }, headers))).status).toBe(200);
  });
});

describe('nested brackets in a body', () => {
  test.each([33, 20_000])('are rejected at %d levels before any code walks them', async (levels) => {
    const act = vi.fn();
    const body = '['.repeat(levels) + ']'.repeat(levels);
    const answer = await mutation(act, { schema: z.unknown(), edge })(post(body));
    expect(await failure(answer)).toMatchObject({
      status: 400,
      message: 'body: is nested deeper than 32 levels. Nothing was changed; reduce the nesting.',
    });
    expect(act).not.toHaveBeenCalled();
    expect(log).not.toHaveBeenCalled();
  });

  test('inside of a text are no levels', async () => {
    const answer = await mutation(({ body }) => body, { schema: z.unknown(), edge })(
      post(JSON.stringify({ note: '['.repeat(1_000) })),
    );
    expect(answer.status).toBe(200);
  });
});

describe('an Idempotency-Key', () => {
  function counter() {
    let calls = 0;
    const gate = Promise.withResolvers<void>();
    const act = mutation(
      async ({ body }) => {
        calls += 1;
        const call = calls;
        await gate.promise;
        if (body.to === 503) throw new AppError('cluster_unreachable', 'No.');
        if (body.to === 409) throw new AppError('changed', 'No.');
        return { call };
      },
      { schema, edge },
    );
    const send = (key: string, body: unknown) => act(post(body, { 'idempotency-key': key }));
    return { send, gate, calls: () => calls };
  }

  test('replays the first answer, whatever it was', async () => {
    const { send, gate, calls } = counter();
    gate.resolve();
    for (const to of [1, 409]) {
      const [first, again] = [await send(`k${to}`, { to }), await send(`k${to}`, { to })];
      expect(again.status).toBe(first.status);
      expect(await again.json()).toEqual(await first.json());
    }
    expect(calls()).toBe(2);
  });

  test('waits for the first when both come at once', async () => {
    const { send, gate, calls } = counter();
    const answers = Promise.all([send('k', { to: 1 }), send('k', { to: 1 })]);
    gate.resolve();
    const [first, second] = await answers;
    expect(await first.json()).toEqual(await second.json());
    expect(calls()).toBe(1);
  });

  test('is rejected with another body, and the order of members is none', async () => {
    const { send, gate, calls } = counter();
    gate.resolve();
    await send('k', { to: 1, note: 'a' });
    expect((await send('k', { note: 'a', to: 1 })).status).toBe(200);
    expect(await failure(await send('k', { to: 2 }))).toMatchObject({
      status: 422,
      code: 'idempotency_mismatch',
    });
    expect(calls()).toBe(1);
  });

  test('of another person is another key', async () => {
    const { send, gate, calls } = counter();
    gate.resolve();
    await send('k', { to: 1 });
    viewer = 'bob';
    await send('k', { to: 1 });
    expect(calls()).toBe(2);
  });

  test('can be retried after an answer that requests it, and after a day', async () => {
    const { send, gate, calls } = counter();
    gate.resolve();
    await send('a', { to: 503 });
    await send('a', { to: 503 });
    expect(calls()).toBe(2);
    await send('b', { to: 1 });
    now += 24 * 3_600_000 + 1;
    await send('b', { to: 2 });
    expect(calls()).toBe(4);
  });

  test('of a dry run is not stored', async () => {
    const act = vi.fn(() => ({ plan: 'long' }));
    const run = mutation(act, { schema: z.strictObject({ dryRun: z.boolean() }), edge });
    const send = (dryRun: boolean) => run(post({ dryRun }, { 'idempotency-key': `k${dryRun}` }));
    await send(true);
    await send(true);
    expect(act).toHaveBeenCalledTimes(2);
    await send(false);
    expect(await (await send(false)).json()).toEqual({ plan: 'long' });
    expect(act).toHaveBeenCalledTimes(3);
  });

  test('is removed, oldest first, beyond 32 MB of answers', async () => {
    const repeats = new IdempotencyStore();
    const answer = () => Promise.resolve(new Response('x'.repeat(1024 * 1024)));
    for (let i = 0; i < 40; i += 1) await repeats.once(`k${i}`, '', '', answer);
    expect(repeats.size).toBe(15);
    const [again, fresh] = [vi.fn(answer), vi.fn(answer)];
    await repeats.once('k39', '', '', again);
    await repeats.once('k0', '', '', fresh);
    expect([again.mock.calls.length, fresh.mock.calls.length]).toEqual([0, 1]);
  });

  test('is removed, oldest first, beyond a thousand', async () => {
    const repeats = new IdempotencyStore();
    for (let i = 0; i < 1_200; i += 1)
      await repeats.once(`k${i}`, '', '', () => Promise.resolve(new Response()));
    expect(repeats.size).toBe(1_000);
    const fresh = vi.fn(() => Promise.resolve(new Response()));
    await repeats.once('k1199', '', '', fresh);
    expect(fresh).not.toHaveBeenCalled();
    await repeats.once('k0', '', '', fresh);
    expect(fresh).toHaveBeenCalledOnce();
  });
});

describe('a page of this machine', () => {
  const act = (host: string, origin: string) => {
    const request = new Request(`http://${host}/api/x`, {
      method: 'POST',
      body: JSON.stringify({ to: 3 }),
      headers: { host, origin, 'content-type': 'application/json' },
    });
    return mutation(() => ({}), { schema, edge })(request);
  };

  test('can act on this machine', async () => {
    expect((await act('localhost', 'http://localhost')).status).toBe(200);
    expect((await act('127.0.0.1:8440', 'http://localhost:8440')).status).toBe(200);
  });

  test('cannot act on the public address, though both use the default port', async () => {
    expect((await act('shiplog.example', 'https://shiplog.example')).status).toBe(200);
    for (const origin of ['http://localhost', 'https://localhost', 'http://127.0.0.1'])
      expect(await failure(await act('shiplog.example', origin))).toMatchObject({ status: 403 });
  });
});
