import { expect, onTestFinished, test } from 'vitest';
import { parsePlan } from '@/lib/oam/plan';
import { parseControlledRollout } from '@/lib/oam/rollout';
import { type Answer } from '@/lib/oam/reconcile-pass';
import { type JsonObject } from '@/lib/kube/json';
import { Checker } from '@/server/controllers/oam-rollout/checker';
import { listen } from '@/server/controllers/oam-rollout/testing/listen';

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
) {
  const made = new Checker({ prometheusUrl, configMap: () => Promise.resolve(template), timeoutMs });
  onTestFinished(() => made.close());
  return made;
}

async function call(url: string, more: JsonObject = {}, timeoutMs?: number): Promise<Answer> {
  const given = { type: 'pre-batch-rollout', name: 'gate', url, ...more };
  const [webhook] = parsePlan({ rolloutWebhooks: [given] }).webhooks;
  if (webhook === undefined) throw new Error('That is no webhook.');
  const check = { is: 'webhook', id: 'a', webhook, phase: 'batchInitializing' } as const;
  return checker(undefined, undefined, timeoutMs).evaluate(rollout, check);
}

async function measure(
  made: Checker,
  more: JsonObject = { templateRef: { name: 'errors' } },
): Promise<Answer> {
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
  expect(await call(`${url}/s3cret`, {}, 50)).toEqual(refused('timed out'));
  const gone = await call('http://127.0.0.1:1/s3cret');
  expect(gone).toEqual(refused('could not be reached'));
  expect(JSON.stringify(gone)).not.toContain('s3cret');
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
