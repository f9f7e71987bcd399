import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { TestArchive } from '@/server/archive/testing/test-archive';
import { loadCredentials } from '@/server/cluster/credentials';
import { pathTemplate } from '@/server/cluster/path-template';
import { answerJson, startApiServer } from '@/server/cluster/testing/api-server';
import { makeFolder, writeKubeconfig } from '@/server/cluster/testing/kubeconfig-file';
import { createTransport } from '@/server/cluster/transport';
import { createRouter } from '@/server/http/router';
import { fixedIdentity } from '@/server/identity/testing/fixed-identity';
import type { Message } from '@/server/notifications/message';
import { createSender } from '@/server/notifications/send';
import { startReceiver } from '@/server/notifications/testing/receiver';
import type { Runtime } from '@/server/runtime/runtime';
import { startTracing } from '@/server/runtime/tracing';
import { Keys } from '@/server/shared/keys';
import { createLogger, silentLogger } from '@/server/shared/log';
import { systemClock } from '@/server/shared/clock';
import { tracer } from '@/server/shared/traced';
import { type WebhookTarget, webhookTargets } from '@/server/shared/webhooks';
import { viewerNamed } from '@/server/shared/testing/viewers';

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
}

interface Sent {
  resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[];
}

/** Takes what OTLP sends as JSON. */
async function startCollector() {
  const texts: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      texts.push(text);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const spans = () =>
    texts
      .map((text) => JSON.parse(text) as Sent)
      .flatMap(({ resourceSpans }) => resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, texts, spans };
}

async function startTraced() {
  const collector = await startCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const tracing = await startTracing(process.env, silentLogger);
  onTestFinished(() => tracing?.stop());
  return { collector, tracing };
}

function valuesOf(attributes: SentSpan['attributes'] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

async function startTransport() {
  const api = await startApiServer((_received, answer) => answerJson(answer, 200, { ok: true }));
  const folder = makeFolder();
  const file = writeKubeconfig(folder.path, api.url);
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [file] }, systemClock);
  const transport = createTransport({ credentials, readOnly: true, cluster: 'prod' });
  onTestFinished(async () => {
    await transport.close();
    await api.close();
    folder.remove();
  });
  return { api, transport };
}

test('a request and what it needs of the API server and the archive are one trace, without values', async () => {
  const { collector, tracing } = await startTraced();
  const { api, transport } = await startTransport();
  const archive = await TestArchive.open();
  const lines: Record<string, unknown>[] = [];
  const identity = fixedIdentity(() => viewerNamed('ana'));
  const running = {
    edge: {
      log: createLogger({ level: 'debug', write: (line) => lines.push(JSON.parse(line) as never) }),
      keys: new Keys(Buffer.alloc(32, 7)),
      identity: {
        ...identity,
        personOf: async (request: Request) => {
          const path = '/api/v1/namespaces/s3cret-ns/pods/s3cret-pod';
          await transport.json({ method: 'GET', path, query: { q: 's3cret-query' } });
          await archive.outbox.states();
          return identity.personOf(request);
        },
      },
    },
    metrics: { observe: () => undefined },
  } as unknown as Runtime;
  const traceId = '4b'.repeat(16);
  const headers = {
    host: 'localhost:8440',
    authorization: 'Bearer s3cret-token',
    traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
  };
  const url = 'http://localhost:8440/api/s3cret-path?q=s3cret-value';
  await createRouter(() => Promise.resolve(running))(new Request(url, { headers }));
  await tracing?.stop();

  const spans = collector.spans().filter((span) => span.traceId === traceId);
  const root = spans.find(({ name }) => name === 'GET /api/{unknown}');
  const child = spans.find(({ name }) => name === 'GET /api/v1/namespaces/{namespace}/pods/{name}');
  expect(root?.parentSpanId).toBe('00f067aa0ba902b7');
  expect(child?.parentSpanId).toBe(root?.spanId);
  expect(spans.find(({ name }) => name === 'SELECT')?.parentSpanId).toBe(root?.spanId);
  expect(valuesOf(child?.attributes)).toMatchObject({
    'http.response.status_code': 200,
    'k8s.cluster.name': 'prod',
  });
  expect(collector.texts.join('\n')).not.toContain('s3cret');
  expect(lines).toMatchObject([{ message: 'request', status: 404, trace_id: traceId }]);
  expect(api.received[0]?.lines).toContainEqual(['traceparent', `00-${traceId}-${child?.spanId ?? ''}-01`]);
});

test('a notification is a span with its target and the type of its failure, without the address', async () => {
  const { collector, tracing } = await startTraced();
  const sender = createSender();
  onTestFinished(() => sender.close());
  const receiver = await startReceiver(500);
  onTestFinished(() => receiver.close());
  const [target] = webhookTargets.parse([receiver.url]);
  const message = { id: 'm', event: 'started' } as Message;
  await sender.send(target as WebhookTarget, null, message, Date.now(), new AbortController().signal);
  await tracing?.stop();
  expect(collector.spans().map(({ name, attributes }) => ({ name, ...valuesOf(attributes) }))).toEqual([
    {
      name: 'POST',
      'http.request.method': 'POST',
      'shiplog.notification.target': target?.id,
      'shiplog.notification.event': 'started',
      'error.type': '500',
    },
  ]);
  expect(collector.texts.join('\n')).not.toContain('s3cret');
});

test('nothing is traced without a collector, nor after the stop', async () => {
  expect(await startTracing({}, silentLogger)).toBeNull();
  expect(await startTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, silentLogger)).toBeNull();
  expect(tracer()).toBeUndefined();
});

test('a collector that does not respond delays the stop by a second at most', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${port}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const tracing = await startTracing(process.env, silentLogger);
  tracer()?.startSpan('any').end();
  const start = performance.now();
  await tracing?.stop();
  expect(performance.now() - start).toBeLessThan(3_000);
});

test.each([
  ['/api/v1/namespaces/shop/pods/cart-1/log', '/api/v1/namespaces/{namespace}/pods/{name}/log'],
  ['/apis/apps/v1/namespaces/shop/deployments', '/apis/apps/v1/namespaces/{namespace}/deployments'],
  ['/api/v1/namespaces/shop', '/api/v1/namespaces/{name}'],
  ['/apis/apps/v1/deployments', '/apis/apps/v1/deployments'],
  ['/apis', '/apis'],
  ['/openapi/v3/apis/apps', '/openapi'],
  ['/version', '/version'],
])('the template of %s is %s', (path, template) => {
  expect(pathTemplate(path)).toBe(template);
});
