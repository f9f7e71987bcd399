import { networkInterfaces } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { parsePlan } from '@/lib/oam/plan';
import { parseControlledRollout } from '@/lib/oam/rollout';
import type { CheckAnswer } from '@/lib/oam/reconcile-pass';
import type { JsonObject } from '@/lib/kube/json';
import { Checker } from '@/server/controllers/oam-rollout/checker';
import { listen } from '@/server/controllers/oam-rollout/testing/listen';
import { onLoopback } from '@/server/controllers/oam-rollout/testing/test-bench';
import { webhookRules, type WebhookRules } from '@/server/controllers/oam-rollout/webhook-rules';

const rollout = parseControlledRollout({
  apiVersion: 'standard.oam.dev/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
  spec: { rolloutPlan: {}, targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web-2' } },
});

function checker(
  prometheusUrl: string | undefined,
  template: JsonObject | undefined = { query: 'up' },
  timeoutMs = 5_000,
  webhooks = webhookRules([]),
) {
  const made = new Checker({
    prometheusUrl,
    webhooks,
    configMap: () => Promise.resolve(template),
    timeoutMs,
  });
  onTestFinished(() => made.close());
  return made;
}

/** Calls a webhook; by default at a host that is listed, and may be on this machine. */
async function call(
  url: string,
  more: JsonObject = {},
  {
    timeoutMs,
    rules = onLoopback([URL.parse(url)?.host ?? '']),
  }: { timeoutMs?: number; rules?: WebhookRules } = {},
): Promise<CheckAnswer> {
  const given = { type: 'pre-batch-rollout', name: 'gate', url, ...more };
  const [webhook] = parsePlan({ rolloutWebhooks: [given] }).webhooks;
  if (webhook === undefined) throw new Error('That is no webhook.');
  const check = { is: 'webhook', id: 'a', webhook, phase: 'batchInitializing' } as const;
  return checker(undefined, undefined, timeoutMs, rules).evaluate(rollout, check);
}

async function measure(
  made: Checker,
  more: JsonObject = { templateRef: { name: 'errors' } },
): Promise<CheckAnswer> {
  const [metric] = parsePlan({ canaryMetric: [{ name: 'errors', ...more }] }).metrics;
  if (metric === undefined) throw new Error('That is no metric.');
  return made.evaluate(rollout, { is: 'metric', id: 'a', metric });
}

const agreed = { is: 'agreed' };
const refused = (problem: string) => ({ is: 'refused', problem: expect.stringContaining(problem) as string });

test.for<[number, JsonObject, object]>([
  [200, {}, agreed],
  [202, {}, agreed],
  [204, {}, refused('gate answered 204')],
  [204, { expectedStatus: [204] }, agreed],
  [200, { expectedStatus: [204] }, refused('gate answered 200')],
  [302, {}, refused('gate answered 302')],
])('an answer of %s with %j', async ([status, more, expected]) => {
  const url = await listen((_request, response) => {
    response.writeHead(status, { location: '/elsewhere' }).end();
  });
  expect(await call(url, more)).toEqual(expected);
});

test('no answer in time, or no server, is a rejection that does not reveal the address', async () => {
  const url = await listen(() => undefined);
  expect(await call(`${url}/s3cret`, {}, { timeoutMs: 50 })).toEqual(refused('timed out'));
  const gone = await call('http://127.0.0.1:1/s3cret');
  expect(gone).toEqual(refused('could not be reached'));
  expect(JSON.stringify(gone)).not.toContain('s3cret');
});

/** A server that counts its requests. */
async function counting(): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const url = await listen(({ method = '' }, response) => {
    requests.push(method);
    response.end();
  });
  return { url, requests };
}

test('a webhook calls no host that is not listed, and its answer names the variable alone', async () => {
  const { url, requests } = await counting();
  const notListed = refused('gate was not called: SHIPLOG_OAM_WEBHOOK_HOSTS of Shiplog does not list');
  const { port } = new URL(url);
  const others = [
    'gate.example.com',
    `127.0.0.1:${Number(port) + 1}`,
    '127.0.0.1',
    '*.0.0.1',
    `*.${port}`,
    `:${port}`,
  ];
  for (const hosts of [[], ...others.map((host) => [host])])
    expect(await call(url, {}, { rules: onLoopback(hosts) }), String(hosts)).toEqual(notListed);
  // Whether something listens there makes no difference.
  const closed = await call('http://127.0.0.1:1/x', {}, { rules: onLoopback([]) });
  expect(closed).toEqual({ is: 'refused', problem: expect.not.stringContaining('ECONN') as string });
  expect(closed).toEqual(notListed);
  expect(requests).toEqual([]);
});

test.for(['DELETE', 'PUT', 'PATCH', 'OPTIONS', 'get'])('a webhook is not called by %s', async (method) => {
  const { url, requests } = await counting();
  expect(await call(url, { method })).toEqual(refused('by POST or GET'));
  expect(await call(url, { method: 'GET' })).toEqual(agreed);
  expect(requests).toEqual(['GET']);
});

test.for(['file:///etc/passwd', 'ftp://gate.example.com/', 'http://', 'gate'])(
  'a webhook to %s',
  async (url) => {
    const rules = webhookRules(['gate.example.com', 'gate', '']);
    expect(await call(url, {}, { rules })).toEqual(refused('its URL is not one of http or https'));
  },
);

test.for([
  '127.0.0.1',
  '127.1',
  '0x7f000001',
  '0.0.0.0',
  '169.254.169.254',
  '224.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:169.254.169.254]',
  '[::127.0.0.1]',
  '[fe80::1]',
  '[ff02::1]',
  ...Object.values(networkInterfaces()).flatMap((entries = []) =>
    entries.filter(({ family }) => family === 'IPv4').map(({ address }) => address),
  ),
])('a webhook never reaches %s, though it is listed', async (host) => {
  const url = `http://${host}:9`;
  const rules = webhookRules([new URL(url).host]);
  expect(await call(url, {}, { rules })).toEqual(refused("Shiplog's own machine"));
});

test('a webhook never reaches such an address by a name either, and goes to the address that was checked', async () => {
  const { url, requests } = await counting();
  const { port } = new URL(url);
  const named = `http://gate.example.com:${port}/`;
  const answering = (hosts: readonly string[], ...answers: readonly string[][]): WebhookRules => {
    const left = [...answers];
    return {
      ...webhookRules(hosts),
      lookup: (_host, _options, callback) =>
        callback(
          null,
          (left.shift() ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        ),
    };
  };
  const listed = [`*.example.com:${port}`];
  for (const addresses of [
    ['127.0.0.1'],
    ['::1'],
    ['192.0.2.7', '127.0.0.1'],
    ['::ffff:7f00:1'],
    ['fe80::1%lo'],
  ])
    expect(await call(named, {}, { rules: answering(listed, addresses) }), String(addresses)).toEqual(
      refused("Shiplog's own machine"),
    );
  expect(requests).toEqual([]);

  // Only the first answer of the resolver is asked for, so that a second one changes nothing.
  const once = { ...answering(listed, ['127.0.0.1'], ['192.0.2.7']), isForbidden: () => false };
  expect(await call(named, {}, { rules: once })).toEqual(agreed);
  expect(requests).toEqual(['POST']);
});

test.for<[string, JsonObject, object]>([
  ['a scalar', { resultType: 'scalar', result: [0, '2.5'] }, { is: 'measured', value: 2.5, threshold: 3 }],
  [
    'one sample',
    { resultType: 'vector', result: [{ value: [0, '1e-3'] }] },
    { is: 'measured', value: 0.001, threshold: 3 },
  ],
  ['no sample', { resultType: 'vector', result: [] }, refused('no value')],
  [
    'several samples',
    { resultType: 'vector', result: [{ value: [0, '1'] }, { value: [0, '2'] }] },
    refused('no value'),
  ],
  ['what is no number', { resultType: 'scalar', result: [0, 'NaN'] }, refused('no value')],
])('%s of a query', async ([, data, expected]) => {
  const url = await listen((_request, response) => {
    response.end(JSON.stringify({ status: 'success', data }));
  });
  expect(await measure(checker(url))).toEqual(expected);
});

test('sends a query below the address, about this rollout, and its threshold counts', async () => {
  const asked: string[] = [];
  const url = await listen((request, response) => {
    asked.push(decodeURIComponent(request.url ?? ''));
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'scalar', result: [0, '1'] } }));
  });
  const template = { query: 'x{ns="{{namespace}}",app="{{ target }}",other="{{ other }}"}', threshold: '5' };
  expect(await measure(checker(`${url}/prom`, template))).toEqual({ is: 'measured', value: 1, threshold: 5 });
  expect(asked).toEqual(['/prom/api/v1/query?query=x{ns="shop",app="web-2",other="{{+other+}}"}']);
});

test('names what is missing for a measurement', async () => {
  expect(await measure(checker(undefined))).toEqual(refused('SHIPLOG_PROMETHEUS_URL'));
  expect(await measure(checker('http://127.0.0.1:1'), {})).toEqual(refused('has no ConfigMap'));
  expect(await measure(checker('http://127.0.0.1:1', {}))).toEqual(refused('has no query'));
});
