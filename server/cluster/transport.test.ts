import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createProxy } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { isRawNumber } from '@/lib/kube/json';
import { loadCredentials } from '@/server/cluster/credentials';
import {
  answerJson,
  answerStatus,
  type FakeApiServer,
  type Handler,
  startApiServer,
} from '@/server/cluster/testing/api-server';
import { renewedPair, testPair } from '@/server/cluster/testing/key-pairs';
import { makeFolder, writeKubeconfig } from '@/server/cluster/testing/kubeconfig-file';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { type ClusterTransport, createTransport } from '@/server/cluster/transport';
import type { KubeRequest } from '@/server/cluster/kube-request';
import { BearerToken } from '@/server/shared/bearer-token';
import { failureOf } from '@/test/failure';

const cleanUps: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

interface SetUp {
  api: FakeApiServer;
  transport: ClusterTransport;
  clock: VirtualClock;
  folder: string;
}

async function setUp(
  handler: Handler,
  options: {
    user?: Record<string, unknown>;
    cluster?: Record<string, unknown>;
    readOnly?: boolean;
    compress?: boolean;
  } = {},
): Promise<SetUp> {
  const api = await startApiServer(handler);
  const folder = makeFolder();
  const clock = new VirtualClock();
  const file = writeKubeconfig(folder.path, api.url, options.user, options.cluster);
  const transport = transportOf(file, clock, options);
  cleanUps.push(folder.remove, () => api.close());
  return { api, transport, clock, folder: folder.path };
}

function transportOf(
  file: string,
  clock: VirtualClock,
  options: { readOnly?: boolean; compress?: boolean } = {},
): ClusterTransport {
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [file] }, clock);
  const { readOnly = false, compress } = options;
  const transport = createTransport({
    credentials,
    readOnly,
    clock,
    ...(compress === undefined ? {} : { compress }),
  });
  cleanUps.push(() => transport.close());
  return transport;
}

const ok: Handler = (_received, answer) => answerJson(answer, 200, { ok: true });
const get: KubeRequest = { method: 'GET', path: '/api/v1/pods' };
const patch: KubeRequest = { method: 'PATCH', path: '/api/v1/namespaces/shop/pods/cart', body: '[]' };
const secondPath = { ...get, path: '/api/v1/nodes' };

function valuesOf(api: FakeApiServer, name: string): string[] {
  return (api.received.at(-1)?.lines ?? []).filter((line) => line[0] === name).map((line) => line[1]);
}

test('sends each group of an impersonation as a header line of its own, over HTTP/1.1 though HTTP/2 is offered', async () => {
  const { api, transport } = await setUp(ok);
  const viewer = transport.as({
    kind: 'impersonate',
    user: 'jürgen',
    uid: '42',
    groups: ['ops, on call', 'dev'],
    extra: { 'Example.org/Team': ['a', 'b'] },
  });
  await viewer.json(get);
  expect(api.received[0]?.httpVersion).toBe('1.1');
  expect(valuesOf(api, 'impersonate-group')).toEqual(['ops, on call', 'dev']);
  expect(valuesOf(api, 'impersonate-user').map((value) => Buffer.from(value, 'latin1').toString())).toEqual([
    'jürgen',
  ]);
  expect(valuesOf(api, 'impersonate-uid')).toEqual(['42']);
  expect(valuesOf(api, 'impersonate-extra-example.org%2fteam')).toEqual(['a', 'b']);
  expect(valuesOf(api, 'authorization')).toEqual(['Bearer secret-token']);
  expect(valuesOf(api, 'user-agent')).toEqual([expect.stringMatching(/^shiplog\/\d/)]);
});

/** A proxy that forwards to `upstream`, whatever name is requested. */
async function startProxy(upstream: () => string): Promise<{ url: string; tunnelled: string[] }> {
  const proxy = createProxy();
  const tunnelled: string[] = [];
  proxy.on('connect', (request, socket) => {
    tunnelled.push(request.url ?? '');
    const { hostname, port } = new URL(upstream());
    const to = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      to.pipe(socket).pipe(to);
    });
    for (const side of [to, socket]) side.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => void proxy.close());
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, tunnelled };
}

test('groups remain separate through an HTTP proxy too, and a viewer’s token goes through it', async () => {
  let upstream = '';
  const proxy = await startProxy(() => upstream);
  const { api, transport } = await setUp(ok, { cluster: { 'proxy-url': proxy.url } });
  upstream = api.url;
  await transport.as({ kind: 'impersonate', user: 'eve', groups: ['a', 'b'] }).json(get);
  expect(proxy.tunnelled).toEqual([api.url.replace('https://', '')]);
  expect(api.received[0]?.httpVersion).toBe('1.1');
  expect(valuesOf(api, 'impersonate-group')).toEqual(['a', 'b']);
  await transport.as({ kind: 'token', token: new BearerToken('of-eve') }).json(get);
  expect(proxy.tunnelled).toHaveLength(2);
  expect(valuesOf(api, 'authorization')).toEqual(['Bearer of-eve']);
});

test.each(['environment', 'kubeconfig', 'none'] as const)(
  'through the proxy of the %s, certificate and authority are its own',
  async (by) => {
    const api = await startApiServer(ok);
    const folder = makeFolder();
    cleanUps.push(folder.remove, () => api.close());
    const [named, given] = [await startProxy(() => api.url), await startProxy(() => api.url)];
    const user = {
      'client-certificate-data': Buffer.from(testPair.cert).toString('base64'),
      'client-key-data': Buffer.from(testPair.key).toString('base64'),
    };
    // A name that only a proxy resolves; local addresses need none.
    const server = by === 'none' ? api.url : 'https://api.test:6443';
    const cluster = by === 'kubeconfig' ? { 'proxy-url': given.url } : {};
    const files = [writeKubeconfig(folder.path, server, user, cluster)];
    const env = { HTTPS_PROXY: named.url, ...(by === 'kubeconfig' && { NO_PROXY: '*' }) };
    const credentials = loadCredentials({ kind: 'kubeconfig', files }, new VirtualClock(), env);
    const transport = createTransport({ credentials, readOnly: false });
    cleanUps.push(() => transport.close());
    expect(await transport.json(get)).toEqual({ ok: true });
    expect(named.tunnelled).toEqual(by === 'environment' ? ['api.test:6443'] : []);
    expect(given.tunnelled).toEqual(by === 'kubeconfig' ? ['api.test:6443'] : []);
    expect(api.received[0]?.certificate).toBe('test');
  },
);

test('uses the kubeconfig’s own impersonation unless a viewer is impersonated', async () => {
  const { api, transport } = await setUp(ok, { user: { token: 't', as: 'robot', 'as-groups': ['x', 'y'] } });
  await transport.json(get);
  expect([valuesOf(api, 'impersonate-user'), valuesOf(api, 'impersonate-group')]).toEqual([
    ['robot'],
    ['x', 'y'],
  ]);
  await transport.as({ kind: 'impersonate', user: 'eve' }).json(get);
  expect([valuesOf(api, 'impersonate-user'), valuesOf(api, 'impersonate-group')]).toEqual([['eve'], []]);
});

test('consecutive requests share their connections', async () => {
  const { api, transport } = await setUp(ok);
  for (let index = 0; index < 50; index += 1) await transport.json(get);
  // The pool may open a second one while it still releases the first.
  expect(api.connections).toBeLessThanOrEqual(2);
  const { connectionsOpened, connectionsOpen, requests, failures } = transport.stats;
  expect([connectionsOpened, connectionsOpen]).toEqual([api.connections, api.openConnections]);
  expect([requests, failures]).toEqual([50, 0]);
});

test('reads compressed answers, and integers beyond 2^53 survive', async () => {
  const text = '{"n":9007199254740993,"items":[]}';
  const { api, transport } = await setUp(
    (_received, answer) => {
      answer.writeHead(200, { 'content-encoding': 'gzip' });
      answer.end(gzipSync(text));
    },
    { compress: true },
  );
  const answer = await transport.json(get);
  expect(valuesOf(api, 'accept-encoding')).toEqual(['gzip']);
  expect(JSON.stringify(answer)).toBe(text);
  expect(isRawNumber((answer as { n: unknown }).n)).toBe(true);
  expect(await transport.text(get)).toBe(text);
});

test('the API server’s clock is what its latest answer reports', async () => {
  let date = 'Sun, 22 Nov 2026 12:00:00 GMT';
  const { transport } = await setUp((_request, response) => {
    response.setHeader('date', date);
    answerJson(response, 200, {});
  });
  expect(transport.serverDateMs).toBeNull();
  await transport.json({ method: 'GET', path: '/api' });
  expect(transport.serverDateMs).toBe(Date.parse('2026-11-22T12:00:00Z'));
  date = 'soon';
  await transport.json({ method: 'GET', path: '/api' });
  expect(transport.serverDateMs).toBe(Date.parse('2026-11-22T12:00:00Z'));
});

test('leaves out undefined query parameters and escapes the others', async () => {
  const { api, transport } = await setUp(ok);
  await transport.json({ ...get, query: { labelSelector: 'app=a&b', limit: undefined, continue: 'x/+=' } });
  expect(api.received[0]?.url).toBe('/api/v1/pods?labelSelector=app%3Da%26b&continue=x%2F%2B%3D');
});

test.each([
  [400, 'BadRequest', 'cluster_error'],
  [401, 'Unauthorized', 'unauthorized'],
  [403, 'Forbidden', 'forbidden'],
  [404, 'NotFound', 'not_found'],
  [409, 'Conflict', 'conflict'],
  [410, 'Expired', 'cluster_error'],
  [429, 'TooManyRequests', 'rate_limited'],
  [500, 'InternalError', 'cluster_error'],
  [503, 'ServiceUnavailable', 'cluster_unreachable'],
  [504, 'Timeout', 'timeout'],
] as const)("an answer of %i %s becomes %s with the API server's own words", async (status, reason, code) => {
  const { transport } = await setUp((_received, answer) =>
    answerStatus(answer, status, reason, `words of ${reason}`, '99'),
  );
  const error = await failureOf(transport.json(get));
  expect(error.code).toBe(code);
  expect(error.message).toContain(`API server: words of ${reason}`);
  expect(error.details).toMatchObject({ status, reason, apiMessage: `words of ${reason}` });
});

test('a JSON patch whose test does not hold is a conflict, an invalid result is not', async () => {
  const { api, transport } = await setUp((_received, answer) =>
    answerStatus(answer, 422, 'Invalid', 'the server rejected our request due to an error in our request'),
  );
  expect(await failureOf(transport.json(patch))).toMatchObject({
    code: 'conflict',
    details: { status: 422 },
  });
  const causes = [{ reason: 'FieldValueInvalid', message: 'must be greater', field: 'spec.replicas' }];
  api.handler = (_received, answer) =>
    answerJson(answer, 422, {
      kind: 'Status',
      code: 422,
      reason: 'Invalid',
      message: 'no',
      details: { causes },
    });
  expect(await failureOf(transport.json(patch))).toMatchObject({
    code: 'cluster_error',
    details: { causes },
  });
});

test('explains an answer that is no API answer', async () => {
  const { api, transport } = await setUp((_received, answer) => {
    answer.writeHead(200);
    answer.end('<html>Log in</html>');
  });
  expect((await failureOf(transport.json(get))).message).toContain('not JSON');
  api.handler = (_received, answer) => {
    answer.writeHead(302, { location: 'https://127.0.0.1:1/elsewhere' });
    answer.end();
  };
  expect((await failureOf(transport.json(get))).message).toContain('redirects');
  expect(api.received.length).toBe(2);
});

test('retries on a busy API server after the time it names, also a write', async () => {
  const { api, transport, clock } = await setUp((_received, answer) =>
    api.received.length < 3
      ? answerStatus(answer, 429, 'TooManyRequests', 'slow down', '4')
      : answerJson(answer, 200, {}),
  );
  const before = clock.now();
  const answer = transport.json(patch);
  await vi.waitFor(async () => {
    await clock.advance(4_000);
    expect(api.received.length).toBe(3);
  });
  await answer;
  expect(clock.now() - before).toBeGreaterThanOrEqual(8_000);
  expect(transport.stats.retries).toBe(2);
});

test('retries a read on an unavailable API server, but never a write', async () => {
  const { api, transport, clock } = await setUp((_received, answer) =>
    answerStatus(answer, 503, 'ServiceUnavailable', 'no', '1'),
  );
  expect((await failureOf(transport.json(patch))).code).toBe('cluster_unreachable');
  expect(api.received.length).toBe(1);
  const read = failureOf(transport.json(get));
  await vi.waitFor(async () => {
    await clock.advance(1_000);
    expect(api.received.length).toBe(5);
  });
  expect((await read).details.retryAfterMs).toBe(1000);
});

test('reports a long requested wait instead of waiting', async () => {
  const { api, transport } = await setUp((_received, answer) =>
    answerStatus(answer, 429, 'TooManyRequests', 'no', '120'),
  );
  expect((await failureOf(transport.json(get))).details.retryAfterMs).toBe(120_000);
  expect(api.received.length).toBe(1);
});

test('reports a requested wait at once to a caller that waits by itself', async () => {
  const { api, transport } = await setUp((_received, answer) =>
    answerStatus(answer, 429, 'TooManyRequests', 'slow down', '4'),
  );
  const { details } = await failureOf(transport.json({ ...get, mayWait: false }));
  expect(details.retryAfterMs).toBe(4_000);
  expect(api.received.length).toBe(1);
});

test('repeats a read over a dead connection, but not a write, whose outcome is unknown', async () => {
  const { api, transport } = await setUp(ok);
  await transport.json(get);
  api.handler = (received, answer) =>
    api.received.length === 2 ? received.socket.destroy() : ok(received, answer);
  expect(await transport.json(get)).toEqual({ ok: true });
  api.handler = (received) => received.socket.destroy();
  const error = await failureOf(transport.json(patch));
  expect(error).toMatchObject({ code: 'cluster_unreachable', details: { outcome: 'unknown' } });
  expect(error.message).toContain('may or may not have been applied');
  expect(api.received.length).toBe(4);
});

test('an API server that does not answer in time is a timeout, for a read and for a body that stalls', async () => {
  const { api, transport } = await setUp(() => undefined);
  const error = await failureOf(transport.json({ ...get, timeoutMs: 20 }));
  expect(error.code).toBe('timeout');
  expect(error.message).toContain(`${api.url} did not answer GET /api/v1/pods within 0.02 s`);
  api.handler = (_received, answer) => {
    answer.writeHead(200);
    answer.write('{"half":');
  };
  expect((await failureOf(transport.text({ ...get, timeoutMs: 200 }))).code).toBe('timeout');
  expect((await failureOf(transport.json({ ...patch, timeoutMs: 200 }))).details.outcome).toBe('unknown');
});

test('an aborted request throws the reason it was given', async () => {
  const { transport } = await setUp(() => undefined);
  const controller = new AbortController();
  const reason = new Error('page left');
  const answer = transport.json({ ...get, signal: controller.signal });
  controller.abort(reason);
  await expect(answer).rejects.toBe(reason);
  await expect(transport.stream({ ...get, signal: controller.signal })).rejects.toBe(reason);
  expect(transport.stats.openStreams).toBe(0);
});

test('names what to check when an API server is unreachable or has a foreign certificate', async () => {
  const folder = makeFolder();
  const foreign = await startApiServer(ok, renewedPair);
  cleanUps.push(folder.remove, () => foreign.close());
  const refused = await failureOf(
    transportOf(writeKubeconfig(folder.path, await closedPort()), new VirtualClock()).json(patch),
  );
  expect(refused).toMatchObject({
    code: 'cluster_unreachable',
    details: { cause: 'ECONNREFUSED', outcome: 'not_sent' },
  });
  expect(refused.message).toMatch(/127\.0\.0\.1:\d+ is unreachable .*check that the cluster is running/);
  const untrusted = await failureOf(
    transportOf(writeKubeconfig(folder.path, foreign.url), new VirtualClock()).json(get),
  );
  expect(untrusted.message).toContain('certificate-authority');
  expect(foreign.received).toEqual([]);
});

async function closedPort(): Promise<string> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `https://127.0.0.1:${port}`;
}

test('rejects an answer beyond the bound', async () => {
  const { transport } = await setUp((_received, answer) => {
    answer.writeHead(200);
    answer.end('x'.repeat(5000));
  });
  expect((await failureOf(transport.text({ ...get, maxBytes: 4999 }))).code).toBe('too_large');
  expect((await transport.text({ ...get, maxBytes: 5000 })).length).toBe(5000);
});

test('rejects an answer longer than a string can be, and reports it to the caller', async () => {
  const { transport } = await setUp((_received, answer) => {
    answer.writeHead(200);
    answer.end('x');
  });
  // Joining the chunks throws where the engine's longest string is exceeded.
  const end = vi.spyOn(StringDecoder.prototype, 'end').mockImplementation(() => {
    throw new RangeError('Invalid string length');
  });
  try {
    expect((await failureOf(transport.text(get))).code).toBe('too_large');
    expect(end).toHaveBeenCalledOnce();
  } finally {
    end.mockRestore();
  }
});

test('a stream yields complete lines as they arrive, and leaving it closes the connection', async () => {
  const { api, transport } = await setUp((_received, answer) => {
    answer.writeHead(200);
    answer.write('{"a":"ä"}\n{"b"');
    answer.write(':1}\n{"unfinished');
  });
  const { lines } = await transport.stream(get);
  expect(transport.stats.openStreams).toBe(1);
  const seen: string[] = [];
  for await (const line of lines) {
    seen.push(line);
    if (seen.length === 2) break;
  }
  expect(seen).toEqual(['{"a":"ä"}', '{"b":1}']);
  expect(transport.stats.openStreams).toBe(0);
  await vi.waitFor(() => expect(api.openConnections).toBe(0));
});

test('a stream closed by Shiplog ends quietly, one cut by the server throws', async () => {
  const { api, transport } = await setUp((_received, answer) => {
    answer.writeHead(200);
    answer.write('first\n');
  });
  const closed = await transport.stream(get);
  for await (const line of closed.lines) {
    expect(line).toBe('first');
    closed.close();
  }
  const cut = await transport.stream(get);
  const read = failureOf(
    (async () => {
      for await (const line of cut.lines) if (line === 'first') api.received.at(-1)?.socket.destroy();
    })(),
  );
  expect(await read).toMatchObject({ code: 'cluster_unreachable' });
  const unread = await transport.stream(get);
  unread.close();
  expect(transport.stats.openStreams).toBe(0);
});

test('a rejected stream is the same error as a rejected request', async () => {
  const { transport } = await setUp((_received, answer) => answerStatus(answer, 410, 'Expired', 'too old'));
  expect(await failureOf(transport.stream(get))).toMatchObject({
    details: { status: 410, reason: 'Expired' },
  });
  expect(transport.stats.openStreams).toBe(0);
});

test('closing the transport ends every open stream', async () => {
  const { api, transport } = await setUp((_received, answer) => {
    answer.writeHead(200);
    answer.write('first\n');
  });
  const streams = await Promise.all([transport.stream(get), transport.stream(secondPath)]);
  const ends = streams.map(async ({ lines }) => {
    let count = 0;
    for await (const line of lines) count += line.length;
    return count;
  });
  await vi.waitFor(() => expect(api.received.length).toBe(2));
  await transport.close();
  expect((await Promise.all(ends)).every((count) => count <= 5)).toBe(true);
  await vi.waitFor(() => expect(api.openConnections).toBe(0));
});

test('requests have 16 connections at most, and neither a watch nor one with priority waits for them', async () => {
  const { api, transport } = await setUp((received, answer) => {
    if (received.url.startsWith('/api/v1/pods')) return;
    if (received.url.startsWith('/version')) return ok(received, answer);
    answer.writeHead(200);
    answer.write('first\n');
  });
  const leaving = new AbortController();
  const request = { ...get, timeoutMs: 60_000, signal: leaving.signal };
  const hanging = Promise.allSettled(Array.from({ length: 40 }, () => transport.text(request)));
  await vi.waitFor(() => expect(api.received.length).toBe(16));
  for (let count = 0; count < 20; count += 1) await transport.stream(secondPath);
  await transport.text({ method: 'GET', path: '/version', hasPriority: true });
  expect(api.received.length).toBe(16 + 20 + 1);
  expect(transport.stats).toMatchObject({ openStreams: 20, connectionsOpen: 16 + 20 + 1 });
  leaving.abort();
  expect((await hanging).every(({ status }) => status === 'rejected')).toBe(true);
});

test('a request that waits for a free connection ends with its signal, and is not sent later', async () => {
  const held: (() => void)[] = [];
  const { api, transport } = await setUp((received, answer) => {
    held.push(() => ok(received, answer));
  });
  const first = Array.from({ length: 16 }, () => transport.json(get));
  await vi.waitFor(() => expect(held.length).toBe(16));
  const controller = new AbortController();
  const reason = new Error('page left');
  const waiting = transport.json({ ...secondPath, signal: controller.signal });
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  for (const answer of held.splice(0)) answer();
  await Promise.all(first);
  const next = transport.json(get);
  await vi.waitFor(() => expect(held.length).toBe(1));
  held[0]?.();
  await next;
  expect(api.received.some(({ url }) => url.startsWith(secondPath.path))).toBe(false);
});

test('closing ends what hangs at once, in every phase, and leaves no connection behind', async () => {
  const sockets = new Set<Socket>();
  const mute = createTcpServer((socket) => {
    const gone = () => sockets.delete(socket);
    sockets.add(socket.resume().on('error', gone).on('close', gone));
  });
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const folder = makeFolder();
  cleanUps.push(folder.remove, () => void mute.close());
  const { port } = mute.address() as AddressInfo;
  for (const server of [`http://127.0.0.1:${port}`, `https://127.0.0.1:${port}`]) {
    const transport = transportOf(writeKubeconfig(folder.path, server), new VirtualClock());
    const pending = [
      ...Array.from({ length: 20 }, () => failureOf(transport.json(get))),
      failureOf(transport.stream(secondPath)),
      failureOf(transport.json(patch)),
    ];
    await vi.waitFor(() => expect(sockets.size).toBe(17));
    const begun = performance.now();
    await transport.close();
    const errors = await Promise.all(pending);
    expect(performance.now() - begun).toBeLessThan(1_000);
    expect(errors.every(({ code }) => code === 'cluster_unreachable')).toBe(true);
    expect(errors.at(-1)?.details.outcome).toBe('unknown');
    await vi.waitFor(() => expect(sockets.size).toBe(0));
    const late = await failureOf(transport.json(patch));
    expect(late).toMatchObject({ code: 'cluster_unreachable', details: { outcome: 'not_sent' } });
    expect(transport.stats.openStreams).toBe(0);
  }
});

test('closing ends the wait before a retry', async () => {
  const { api, transport, clock } = await setUp((_received, answer) =>
    answerStatus(answer, 429, 'TooManyRequests', 'no', '8'),
  );
  const waiting = failureOf(transport.json(get));
  await vi.waitFor(() => expect(clock.sleeping).toBe(1));
  await transport.close();
  expect((await waiting).code).toBe('rate_limited');
  expect(clock.sleeping).toBe(0);
  expect(api.received.length).toBe(1);
});

const anyPath = fc.constantFrom(
  '/api/v1/namespaces/shop/pods/cart',
  '/apis/apps/v1/namespaces/shop/deployments/cart',
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/x',
  '/apis/authorization.k8s.io/v1/namespaces/shop/localsubjectaccessreviews',
  '/apis/example.org/v1/selfsubjectreviews',
);

test('read-only lets only reads and reviews out, not even a dry run', async () => {
  const { api, transport } = await setUp(ok, { readOnly: true });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
      anyPath,
      fc.boolean(),
      async (method, path, dry) => {
        const query = dry ? { dryRun: 'All' } : {};
        const request = { method, path, query, body: '{}' } as const;
        expect((await failureOf(transport.json(request))).code).toBe('read_only');
        expect((await failureOf(transport.text(request))).code).toBe('read_only');
        expect((await failureOf(transport.stream(request))).code).toBe('read_only');
      },
    ),
  );
  expect(api.received).toEqual([]);
  for (const path of [
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  ]) {
    await transport.json({ method: 'POST', path, body: '{}' });
  }
  await transport.json(get);
  expect(api.received.length).toBe(5);
});

test.each([
  '/api/v1/namespaces/../secrets',
  '/api/v1/namespaces/%2e%2e/secrets',
  '/api/v1/namespaces/a%2Fb/pods',
  '/api/v1/namespaces/shop/pods/cart/exec',
  '/api/v1/nodes/node-1/proxy',
  '/api/v1/namespaces/shop/services/cart/proxy/admin',
  '/api/v1/pods?watch=1',
  '//elsewhere.example/api',
  'https://elsewhere.example',
  '/api/v1/pods\r\nX: y',
])('sends no request for a path that leads elsewhere: %s', async (path) => {
  const { api, transport } = await setUp(ok);
  expect((await failureOf(transport.json({ method: 'GET', path }))).code).toBe('bad_request');
  expect(api.received).toEqual([]);
});

test('accepts an object that is named like a tunnel', async () => {
  const { transport } = await setUp(ok);
  const path = '/apis/apps/v1/namespaces/proxy/deployments/exec';
  expect(await transport.json({ method: 'GET', path })).toEqual({ ok: true });
});

test('reads credentials again from the kubeconfig after one rejection', async () => {
  const { api, transport, clock, folder } = await setUp((received, answer) =>
    received.lines.some(([, value]) => value === 'Bearer fresh')
      ? answerJson(answer, 200, { ok: true })
      : answerStatus(answer, 401, 'Unauthorized', 'Unauthorized'),
  );
  expect((await failureOf(transport.json(get))).code).toBe('unauthorized');
  writeKubeconfig(folder, api.url, { token: 'fresh' });
  await clock.advance(10_000);
  expect(await transport.json(patch)).toEqual({ ok: true });
});

test('trusts the new authority of the kubeconfig after one rejected certificate', async () => {
  const folder = makeFolder();
  const api = await startApiServer(ok, renewedPair);
  cleanUps.push(folder.remove, () => api.close());
  const clock = new VirtualClock();
  const transport = transportOf(writeKubeconfig(folder.path, api.url), clock);
  expect((await failureOf(transport.json(patch))).code).toBe('cluster_unreachable');
  const authority = Buffer.from(renewedPair.cert).toString('base64');
  writeKubeconfig(folder.path, api.url, undefined, { 'certificate-authority-data': authority });
  await clock.advance(10_000);
  expect(await transport.json(patch)).toEqual({ ok: true });
  expect(api.received).toHaveLength(1);
});

test('presents a renewed token file without a restart', async () => {
  const { api, transport, clock, folder } = await setUp(ok, { user: { tokenFile: 'token' } });
  writeFileSync(join(folder, 'token'), 'first\n');
  await transport.json(get);
  expect(valuesOf(api, 'authorization')).toEqual(['Bearer first']);
  writeFileSync(join(folder, 'token'), 'second\n');
  vi.setSystemTime(Date.now() + 120_000);
  cleanUps.push(() => void vi.useRealTimers());
  await clock.advance(120_000);
  await transport.json(get);
  expect(valuesOf(api, 'authorization')).toEqual(['Bearer second']);
});

test('presents a renewed client certificate over a new connection', async () => {
  const folder = makeFolder();
  cleanUps.push(folder.remove);
  const present = (pair: typeof testPair) => {
    writeFileSync(join(folder.path, 'cert.pem'), pair.cert);
    writeFileSync(join(folder.path, 'key.pem'), pair.key);
  };
  present(testPair);
  const { api, transport, clock } = await setUp(ok, {
    user: { 'client-certificate': join(folder.path, 'cert.pem'), 'client-key': join(folder.path, 'key.pem') },
  });
  await transport.json(get);
  present(renewedPair);
  await clock.advance(10_000);
  await transport.json(get);
  expect(api.received.map(({ certificate }) => certificate)).toEqual(['test', 'renewed']);
  await vi.waitFor(() => expect(api.openConnections).toBe(1));
});

/** Of the first token; the virtual clock begins at 1,000 s. */
const EXPIRY_MS = 1_060_000;

test('a credential plugin runs once for many requests, and again when its token has expired', async () => {
  const folder = makeFolder();
  cleanUps.push(folder.remove);
  const plugin = join(folder.path, 'plugin.cjs');
  const runs = join(folder.path, 'runs');
  writeFileSync(
    plugin,
    `#!${process.execPath}
    const fs = require('node:fs');
    fs.appendFileSync(${JSON.stringify(runs)}, process.env.KUBERNETES_EXEC_INFO + '\\n');
    const runs = fs.readFileSync(${JSON.stringify(runs)}, 'utf8').trim().split('\\n').length;
    console.log(JSON.stringify({ status: { token: 'token-' + runs, expirationTimestamp: new Date(runs * ${EXPIRY_MS}).toISOString() } }));`,
  );
  chmodSync(plugin, 0o700);
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin, provideClusterInfo: true };
  const { api, transport, clock } = await setUp(ok, { user: { exec } });
  await Promise.all([transport.json(get), transport.json(get), transport.json(secondPath)]);
  expect(readFileSync(runs, 'utf8').trim().split('\n').length).toBe(1);
  const info: unknown = JSON.parse(readFileSync(runs, 'utf8'));
  expect(info).toMatchObject({
    kind: 'ExecCredential',
    spec: { interactive: false, cluster: { server: api.url } },
  });
  await clock.advance(120_000);
  await transport.json(get);
  expect(valuesOf(api, 'authorization')).toEqual(['Bearer token-2']);
});

test('names a credential plugin that fails or is missing', async () => {
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'no-such-plugin',
    installHint: 'Install it first.',
  };
  const { transport } = await setUp(ok, { user: { exec } });
  const error = await failureOf(transport.json(get));
  expect(error.code).toBe('unauthorized');
  expect(error.message).toMatch(/no-such-plugin failed: .*ENOENT.*Install it first/);
});
