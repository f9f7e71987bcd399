import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import { errorSchema } from '@/lib/api/common';
import { type RouteKey, routes } from '@/lib/api/routes';
import { AppError } from '@/lib/errors';
import { handlers } from '@/server/http/handlers';
import type { Serve } from '@/server/http/http';
import { createRouter } from '@/server/http/router';
import type { ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { clustersOf } from '@/server/runtime/testing/clusters-of';
import { fixedIdentity } from '@/server/identity/testing/fixed-identity';
import type { Runtime } from '@/server/runtime/runtime';
import { IdempotencyStore } from '@/server/shared/idempotency-store';
import { Keys } from '@/server/shared/keys';
import { createLogger } from '@/server/shared/log';
import type { Person } from '@/server/shared/viewer';
import { viewerNamed } from '@/server/shared/testing/viewers';

const keys = Object.keys(routes) as RouteKey[];
/** What people set for themselves is no change that others see. */
const ownRoute = 'PUT /api/preferences';
const writes = keys.filter((key) => handlers[key].rights === 'writer');
const templates = [...new Set(keys.map(templateOf))];

/** Of a page of another origin. */
const foreign: Record<string, string>[] = [
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example' },
];

const prod = {
  entry: { name: 'prod', formerNames: [] },
  cluster: {
    identity: { id: 'c-1', name: 'prod' },
    ready: true,
    cache: { states: () => [] },
    onConnection: () => undefined,
  },
  viewerOf: (person: Person) => person,
  viewedBy: (viewer: Person) => ({ viewer }),
} as unknown as ClusterRuntime;

const ana = viewerNamed('ana');
let viewerOf: Parameters<typeof fixedIdentity>[0];
let observe: ReturnType<typeof vi.fn>;
let lines: unknown[];
let serve: Serve;

/** What a refusal needs; a handler that is reached fails, which is another code. */
beforeEach(async () => {
  viewerOf = () => ana;
  observe = vi.fn();
  lines = [];
  const running = {
    clusters: await clustersOf([prod]),
    shared: { keys: new Keys(Buffer.alloc(32, 7)) },
    archiveKeeper: { isTried: true },
    support: { accepts: (key?: string) => key === 'local-key', report: () => ({}) },
    metrics: { observe, text: () => 'up 1', contentType: 'text/plain' },
    edge: {
      log: createLogger({ level: 'debug', write: (line) => lines.push(JSON.parse(line)) }),
      keys: new Keys(Buffer.alloc(32, 7)),
      publicUrl: 'https://shiplog.example',
      idempotency: new IdempotencyStore(),
      identity: fixedIdentity((request) => viewerOf(request)),
    },
  };
  serve = createRouter(() => Promise.resolve(running as unknown as Runtime));
});

function templateOf(key: string): string {
  return key.slice(key.indexOf(' ') + 1);
}

interface Change {
  method?: string;
  headers?: Record<string, string>;
  query?: string;
  body?: string;
}

/** Sends a request that its route accepts, apart from the change. */
function send(key: RouteKey, change: Change = {}): Promise<Response> {
  const method = change.method ?? key.slice(0, key.indexOf(' '));
  const path = templateOf(key).replace(/\{\w+\}/g, 'x');
  const hasBody = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
  return serve(
    new Request(`http://localhost:8440${path}${change.query ?? ''}`, {
      method,
      headers: { host: 'localhost:8440', 'content-type': 'application/json', ...change.headers },
      body: hasBody ? (change.body ?? JSON.stringify(bodyOf(key))) : undefined,
    }),
  );
}

const members = {
  to: 1,
  seen: 's',
  uid: 'u',
  step: 1,
  verdict: 'good',
  body: 'text',
  pinned: true,
  ifVersion: 0,
  records: [{ id: 'r', ifVersion: 0 }],
  views: [],
  initial: null,
  first: { namespaces: [], clusters: [] },
  refusal: { kind: 'changed', id: 'c-2', formerId: 'c-1' },
};

function bodyOf(key: RouteKey): object {
  if (key === 'POST /api/session') return { key: 'k' };
  const schema = routes[key].body as z.ZodObject | undefined;
  return Object.fromEntries(Object.entries(members).filter(([name]) => name in (schema?.shape ?? {})));
}

async function failure(response: Response) {
  const { error } = errorSchema.parse(await response.json());
  return { status: response.status, ...error };
}

describe('every route', () => {
  test.each(keys)('refuses a foreign host name: %s', async (key) => {
    const answer = await send(key, { headers: { host: 'evil.example' } });
    expect(await failure(answer)).toMatchObject({ status: 421, code: 'misdirected' });
  });

  test.each(keys)('refuses a page of another site: %s', async (key) => {
    const answer = await send(key, { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(await failure(answer)).toMatchObject({ status: 403, code: 'forbidden' });
  });

  test.each(keys)('refuses the name of another cluster: %s', async (key) => {
    const answer = await failure(await send(key, { query: '?cluster=staging' }));
    expect(answer).toMatchObject({ status: 400, details: { known: [{ id: 'c-1', name: 'prod' }] } });
  });

  test.each(keys)('asks who the viewer is, unless it is for anyone: %s', async (key) => {
    viewerOf = () => {
      throw new AppError('signed_out', 'No.');
    };
    const { status } = await send(key);
    const isForAnyone =
      handlers[key].rights === 'anyone' && !['POST /api/session', 'GET /api/support'].includes(key);
    expect(status).toBe(isForAnyone ? 200 : 401);
  });

  test('the report for support is for holders of the local key, whoever is signed in', async () => {
    const ask = (key: string) => send('GET /api/support', { headers: { authorization: `Bearer ${key}` } });
    expect((await ask('local-key')).status).toBe(200);
    expect(await failure(await ask('of-ana'))).toMatchObject({ status: 401, code: 'signed_out' });
    expect((await send('GET /api/support')).status).toBe(401);
  });

  test.each(keys)('is measured under its path, not under that of the request: %s', async (key) => {
    await send(key, { headers: { host: 'evil.example' } });
    expect(observe.mock.calls).toEqual([[templateOf(key), 421, expect.any(Number)]]);
  });
});

describe('every route that writes', () => {
  test.each(writes)(
    'refuses a viewer who is only allowed to read, before it reads the body: %s',
    async (key) => {
      for (const readOnly of ['configured', 'anonymous'] as const) {
        viewerOf = () => ({ ...ana, readOnly });
        const answer = await failure(await send(key, { body: 'nonsense' }));
        expect(answer).toMatchObject({ status: 403, code: 'read_only' });
      }
    },
  );

  test('keeps what a viewer who is only allowed to read sets for themselves', async () => {
    viewerOf = () => ({ ...ana, readOnly: 'configured' });
    // The archive is reached, of which there is none.
    expect(await failure(await send(ownRoute))).toMatchObject({ status: 503, code: 'archive_unavailable' });
    viewerOf = () => ({ ...ana, readOnly: 'anonymous' });
    expect(await failure(await send(ownRoute))).toMatchObject({ status: 403, code: 'forbidden' });
  });

  test.each([...writes, ownRoute] as const)('refuses a page of another origin: %s', async (key) => {
    for (const headers of foreign)
      expect(await failure(await send(key, { headers }))).toMatchObject({ status: 403, code: 'forbidden' });
  });

  test.each([...writes, ownRoute] as const)('refuses a form: %s', async (key) => {
    const answer = await send(key, { headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    expect(answer.status).toBe(415);
  });

  test.each([...writes, ownRoute] as const)('refuses a member that it does not know: %s', async (key) => {
    const answer = await failure(await send(key, { body: JSON.stringify({ ...bodyOf(key), force: true }) }));
    expect(answer).toMatchObject({ status: 400, message: 'force: is not a field of this request.' });
  });
});

describe('a path', () => {
  test.each(templates)('answers each other method with those that it has: %s', async (template) => {
    const known = keys.filter((key) => templateOf(key) === template);
    const [key] = known;
    if (key === undefined) throw new Error('no route');
    const methods = known.map((each) => each.slice(0, each.indexOf(' ')));
    const allow = ['OPTIONS', ...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort();
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      if (methods.includes(method)) continue;
      const answer = await send(key, { method });
      expect(answer.headers.get('allow')).toBe(allow.join(', '));
      expect(await failure(answer)).toMatchObject({
        status: 405,
        code: 'method_not_allowed',
        message: `${method} is not supported here. Use ${methods.join(' or ')}.`,
        details: { allow },
      });
    }
    const options = await send(key, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, allow.join(', ')]);
  });

  test('answers HEAD as GET', async () => {
    expect((await send('GET /api/healthz', { method: 'HEAD' })).status).toBe(200);
    expect(
      (await send('POST /api/workloads/{resource}/{namespace}/{name}/pause', { method: 'HEAD' })).status,
    ).toBe(405);
  });

  test('that does not exist is named in the format of errors', async () => {
    for (const path of [
      '/api',
      '/api/nothing',
      '/api/workloads/a/b',
      '/api/workloads/a/b/c/d/e/f',
      '/api/review/x',
    ]) {
      const request = new Request(`http://localhost${path}`, { headers: { host: 'localhost' } });
      expect(await failure(await serve(request))).toMatchObject({ status: 404, code: 'not_found' });
    }
    expect(observe.mock.calls.map(([label]) => label as string)).toEqual(Array(5).fill('/api/{unknown}'));
  });

  test('has its parameters decoded, and checked before anything is read', async () => {
    const ask = async (namespace: string) => {
      const url = `http://localhost/api/workloads/deployments.apps/${namespace}/web`;
      return failure(await serve(new Request(url, { headers: { host: 'localhost' } })));
    };
    for (const namespace of ['..%2fsecrets', '%zz', 'Shop', '%00'])
      expect(await ask(namespace)).toMatchObject({
        status: 400,
        message: 'namespace: must be a Kubernetes name.',
      });
    // Accepted, so that the read begins, which this test has no cluster for.
    for (const namespace of ['shop', '%73hop', '-']) expect((await ask(namespace)).status).toBe(500);
  });
});

test('a request has one line with its route, never its path or query, and the id that its answer has', async () => {
  const headers = { host: 'shiplog.example', authorization: 'Bearer s3cret-of-ana' };
  const ok = await serve(new Request('https://shiplog.example/api/healthz?q=s3cret-query', { headers }));
  const failed = await serve(new Request('https://shiplog.example/api/s3cret-path?q=1', { headers }));
  expect(lines).toMatchObject([
    { level: 'debug', message: 'request', method: 'GET', route: '/api/healthz', status: 200 },
    { level: 'debug', message: 'request', route: '/api/{unknown}', status: 404, viewer: ana.name },
  ]);
  expect(lines).toMatchObject(
    [ok, failed].map((answer) => ({ request_id: answer.headers.get('x-request-id') })),
  );
  expect(JSON.stringify(lines)).not.toContain('s3cret');
});

test('a request that fails is logged as an error', async () => {
  viewerOf = () => {
    throw new Error('broken');
  };
  const url = 'https://shiplog.example/api/clusters';
  await serve(new Request(url, { headers: { host: 'shiplog.example' } }));
  expect(lines).toMatchObject([
    { level: 'error', message: 'a request failed with an internal error' },
    { level: 'error', message: 'request', status: 500 },
  ]);
});
