import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { peerOf, watchConnections } from '@/server/shared/connections';

test('a server gets its limits, and a handler the address of the other end, whatever headers the client sends', async () => {
  watchConnections();
  const peers: (string | undefined)[] = [];
  const names: string[][] = [];
  const server = createServer((request, response) => {
    const headers = request.headers as Record<string, string>;
    names.push(Object.keys(headers).filter((name) => name.startsWith('x-shiplog-peer')));
    peers.push(peerOf(new Request('http://localhost/', { headers })));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  await fetch(url);
  const [header = ''] = names[0] ?? [];
  await fetch(url, { headers: { [header]: '10.0.0.1', 'x-shiplog-peer': '10.0.0.1' } });
  expect(peers).toEqual(['127.0.0.1', '127.0.0.1']);
  expect(server.maxConnections).toBe(10_000);
  expect(server.headersTimeout).toBeLessThanOrEqual(20_000);
  expect(server.requestTimeout).toBeLessThanOrEqual(60_000);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
