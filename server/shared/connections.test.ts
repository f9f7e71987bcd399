import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { forwardedForOf, isRepeated, peerOf, watchConnections } from '@/server/shared/connections';

test('a server gets its limits, and a handler the address of the other end, whatever headers the client sends; no one is forwarded for who did not say so', async () => {
  watchConnections();
  const peers: (string | undefined)[] = [];
  const forwarded: (string | undefined)[] = [];
  const names: string[][] = [];
  const server = createServer((request, response) => {
    const headers = request.headers as Record<string, string>;
    names.push(Object.keys(headers).filter((name) => name.startsWith('x-shiplog-peer')));
    // As Next does.
    headers['x-forwarded-for'] ??= '127.0.0.1';
    const seen = new Request('http://localhost/', { headers });
    peers.push(peerOf(seen));
    forwarded.push(forwardedForOf(seen));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  await fetch(url);
  const [header = ''] = names[0] ?? [];
  await fetch(url, {
    headers: { [header]: '10.0.0.1', 'x-shiplog-peer': '10.0.0.1', 'x-forwarded-for': '203.0.113.9' },
  });
  expect(peers).toEqual(['127.0.0.1', '127.0.0.1']);
  expect(forwarded).toEqual([undefined, '203.0.113.9']);
  expect(server.maxConnections).toBe(10_000);
  expect(server.headersTimeout).toBeLessThanOrEqual(20_000);
  expect(server.requestTimeout).toBeLessThanOrEqual(60_000);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('a handler knows which headers were sent more than once', async () => {
  watchConnections();
  const found: Record<string, boolean>[] = [];
  const server = createServer((incoming, response) => {
    const request = new Request('http://localhost/', { headers: incoming.headers as Record<string, string> });
    found.push(
      Object.fromEntries(
        ['X-User', 'X-Groups', 'Authorization', 'X-None'].map((name) => [name, isRepeated(request, name)]),
      ),
    );
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const send = (lines: readonly string[]) =>
    new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1')
        .on('close', () => resolve())
        .resume();
      socket.write(['GET / HTTP/1.1', 'Host: x', 'Connection: close', ...lines, '', ''].join('\r\n'));
    });
  await send(['X-User: ana', 'x-groups: a, b', 'X-Groups: b', 'authorization: a', 'Authorization: b']);
  await send(['X-User: ana', 'X-Groups: a, b', 'X_Groups: b', 'authorization: a']);
  expect(found).toEqual([
    { 'X-User': false, 'X-Groups': true, Authorization: true, 'X-None': false },
    { 'X-User': false, 'X-Groups': false, Authorization: false, 'X-None': false },
  ]);
  await new Promise((resolve) => server.close(resolve));
});
