import { expect, onTestFinished, test } from 'vitest';
import { MetricsServer } from '@/server/runtime/metrics-server';

const metrics = { text: () => Promise.resolve('up 1\n'), contentType: 'text/plain; version=0.0.4' };

async function start(port = 0): Promise<MetricsServer> {
  const server = await MetricsServer.start(metrics, { host: '127.0.0.1', port });
  onTestFinished(() => server.stop());
  return server;
}

test('serves the metrics, and nothing else', async () => {
  const { port } = await start();
  const answer = await fetch(`http://127.0.0.1:${port}/metrics?x=1`);
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    ...[200, 'text/plain; version=0.0.4', 'up 1\n'],
  ]);
  for (const [path, method] of [
    ['/', 'GET'],
    ['/api/workloads', 'GET'],
    ['/metrics', 'POST'],
  ] as const)
    expect((await fetch(`http://127.0.0.1:${port}${path}`, { method })).status).toBe(404);
});

test('a port that is taken is a fault of the configuration', async () => {
  const { port } = await start();
  await expect(start(port)).rejects.toThrow(`SHIPLOG_METRICS_PORT: cannot listen on 127.0.0.1:${port}`);
});
