import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { AppError } from '@/lib/errors';
import { guardRequests } from '@/server/http/admission';
import { fixedIdentity } from '@/server/identity/testing/fixed-identity';
import { watchConnections } from '@/server/shared/connections';
import { Keys } from '@/server/shared/keys';
import { silentLogger } from '@/server/shared/log';
import { processViewer } from '@/server/shared/testing/viewers';

const isRefused = vi.fn();
const admit = vi.fn();
const isUnverified = vi.fn();
let answered: string[];

watchConnections();
guardRequests({
  edge: {
    identity: { ...fixedIdentity(() => processViewer('admin')), isUnverified },
    keys: new Keys(Buffer.alloc(32, 7)),
    log: silentLogger,
  },
  checks: { isRefused, admit },
});

beforeEach(() => {
  answered = [];
  isRefused.mockReturnValue(true);
  isUnverified.mockReturnValue(true);
  admit.mockResolvedValue(undefined);
});
afterEach(() => void vi.resetAllMocks());

async function start(): Promise<number> {
  const server = createServer(({ method = '', url = '' }, response) => {
    answered.push(`${method} ${url}`);
    response.end();
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

interface Answer {
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

function send(port: number, method: string, path = '/'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, agent: false }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

const limited = new AppError('rate_limited', 'Too many <from> you.', { retryAfterMs: 2_000 });

test('a method that is none of the API or of a page never reaches a handler, not even as the first request', async () => {
  isRefused.mockReturnValue(false);
  const port = await start();
  for (const method of ['TRACE', 'TRACE', 'PROPFIND', 'MKCOL', 'PURGE', 'SEARCH']) {
    const { status, headers } = await send(port, method);
    expect([status, headers.allow]).toEqual([405, 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT']);
  }
  expect(answered).toEqual([]);
  const known = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];
  for (const method of known) expect((await send(port, method)).status).toBe(200);
  expect(answered).toEqual(known.map((method) => `${method} /`));
});

test('a request waits only if others of its client were refused and its credential is not known', async () => {
  const port = await start();
  isRefused.mockReturnValue(false);
  await send(port, 'GET', '/api/workloads');
  isRefused.mockReturnValue(true);
  isUnverified.mockReturnValue(false);
  await send(port, 'GET', '/api/workloads');
  isUnverified.mockReturnValue(true);
  await send(port, 'GET', '/_next/static/chunks/main.js');
  expect(admit).not.toHaveBeenCalled();
  await send(port, 'GET', '/api/workloads?cluster=a');
  expect(admit).toHaveBeenCalledTimes(1);
  const [carrier] = isUnverified.mock.lastCall as [{ method: string; url: string }];
  expect([carrier.method, carrier.url]).toEqual(['GET', 'http://localhost/api/workloads?cluster=a']);
  isUnverified.mockImplementation(() => {
    throw new AppError('signed_out', 'No bearer token.');
  });
  await send(port, 'GET', '/api/workloads');
  expect(admit).toHaveBeenCalledTimes(2);
  expect(answered).toHaveLength(5);
});

test('who is not admitted gets a sentence and a time, from the API as JSON and else as a page', async () => {
  const port = await start();
  admit.mockRejectedValue(limited);
  const api = await send(port, 'POST', '/api/session');
  expect([api.status, api.headers['retry-after']]).toEqual([429, '2']);
  expect(JSON.parse(api.text)).toMatchObject({ error: { code: 'rate_limited', message: limited.message } });
  const page = await send(port, 'GET', '/workloads?q=cart');
  expect([page.status, page.headers['retry-after']]).toEqual([429, '2']);
  expect(page.headers['content-type']).toContain('text/html');
  expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(page.text).toContain('Too many &#60;from&#62; you.');
  expect(answered).toEqual([]);
});

test('who has gone while it waited costs nothing more', async () => {
  const port = await start();
  const held = Promise.withResolvers<AbortSignal>();
  admit.mockImplementation((_: unknown, signal: AbortSignal) => {
    held.resolve(signal);
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  });
  const sent = request({ host: '127.0.0.1', port, path: '/', agent: false });
  sent.on('error', () => undefined);
  sent.end();
  const signal = await held.promise;
  sent.destroy();
  await vi.waitFor(() => expect(signal.aborted).toBe(true));
  expect(answered).toEqual([]);
});
