import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compressed, followNodeResponses } from '@/server/http/compressed';

const long = JSON.stringify({ items: Array.from({ length: 5_000 }, (_, index) => `item-${index}`) });
const json = 'application/json; charset=utf-8';

let answer: () => Response;

/** Like Next, it does not copy Content-Encoding from the answer of a route. */
const server = createServer((incoming, outgoing) => {
  const headers = { 'accept-encoding': incoming.headers['accept-encoding'] ?? '' };
  const response = compressed(new Request('http://localhost/', { headers }), answer());
  outgoing.statusCode = response.status;
  response.headers.forEach((value, name) => outgoing.setHeader(name, value));
  void response.arrayBuffer().then((body) => outgoing.end(Buffer.from(body)));
});

beforeAll(async () => {
  followNodeResponses();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(async () => {
  server.close();
  await once(server, 'close');
});

async function ask(accepted: string) {
  const { port } = server.address() as AddressInfo;
  const got = await request(`http://127.0.0.1:${port}/`, {
    headers: { 'accept-encoding': accepted, connection: 'close' },
  });
  return { ...got, bytes: Buffer.from(await got.body.arrayBuffer()) };
}

describe('a long answer in JSON', () => {
  test.each(['gzip, deflate, br, zstd', 'gzip', 'GZIP;q=0.5, br; q=0'])(
    'to a client that accepts %j is compressed',
    async (accepted) => {
      const length = { 'content-length': String(long.length) };
      answer = () => new Response(long, { status: 201, headers: { 'content-type': json, ...length } });
      const { statusCode, headers, bytes } = await ask(accepted);
      expect(statusCode).toBe(201);
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      expect(bytes.length).toBeLessThan(long.length / 2);
      expect(gunzipSync(bytes).toString()).toBe(long);
    },
  );

  test.each(['', 'identity', 'br', 'gzip;q=0', 'gzip;q=0.000'])(
    'to a client that accepts %j is not compressed',
    async (accepted) => {
      answer = () => new Response(long, { headers: { 'content-type': json } });
      const { headers, bytes } = await ask(accepted);
      expect(headers).not.toHaveProperty('content-encoding');
      expect(headers.vary).toBe('Accept-Encoding');
      expect(bytes.toString()).toBe(long);
    },
  );
});

test.each([
  ['a short answer', json, '{"ok":true}'],
  ['a stream of events', 'text/event-stream; charset=utf-8', long],
  ['a file', 'text/csv; charset=utf-8', long],
])('%s is sent as it is', async (_, type, text) => {
  const length = { 'content-length': String(text.length) };
  answer = () => new Response(text, { headers: { 'content-type': type, ...length } });
  const { headers, bytes } = await ask('gzip, zstd');
  expect(headers).not.toHaveProperty('content-encoding');
  expect(bytes.toString()).toBe(text);
});
