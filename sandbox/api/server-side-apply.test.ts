import { beforeEach, expect, it } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { type ManagedFieldsEntry } from '@/lib/kube/object';
import { objectOrEmptyAt } from '@/sandbox/api/objects/stored-object';
import { JSON_PATCH, TestApi } from '@/sandbox/api/testing/api-client';

const WEB = '/apis/apps/v1/namespaces/default/deployments/web';

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.start();
});

type Container = JsonObject & { name: string };

const configuration = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', ...metadata },
  spec,
});
const template = (...containers: Container[]): JsonObject => ({ template: { spec: { containers } } });
/** What a chart applies. */
const whole = (more: JsonObject = {}): JsonObject =>
  configuration({
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1', ports: [{ containerPort: 80 }], ...more }] },
    },
  });

const apply = (manager: string, body: JsonObject | string, query = '') =>
  api.patch(`${WEB}?fieldManager=${manager}${query}`, body, 'application/apply-patch+yaml');
const update = (manager: string, body: JsonObject) => api.patch(`${WEB}?fieldManager=${manager}`, body);
const read = async () => (await api.get(WEB)).body;
const containers = async () =>
  objectOrEmptyAt(await read(), 'spec', 'template', 'spec').containers as Container[];
const entries = async () => (await read()).metadata as unknown as { managedFields: ManagedFieldsEntry[] };
async function fieldsOf(manager: string): Promise<string | undefined> {
  const { managedFields } = await entries();
  return JSON.stringify(managedFields.find((entry) => entry.manager === manager)?.fieldsV1);
}

it('creates what is absent, with an entry of exactly the fields that were applied', async () => {
  expect((await apply('helm', whole())).code).toBe(201);
  const { managedFields } = await entries();
  expect(managedFields).toMatchObject([{ manager: 'helm', operation: 'Apply', apiVersion: 'apps/v1' }]);
  expect(managedFields[0]?.fieldsV1).toEqual({
    'f:spec': {
      'f:selector': {},
      'f:template': {
        'f:metadata': { 'f:labels': { 'f:app': {} } },
        'f:spec': {
          'f:containers': {
            'k:{"name":"web"}': {
              '.': {},
              'f:image': {},
              'f:name': {},
              'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
            },
          },
        },
      },
    },
  });
});

it('reads YAML', async () => {
  const yaml = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\nspec: { replicas: 3 }\n';
  await apply('helm', whole());
  await apply('scaler', yaml);
  expect(await fieldsOf('scaler')).toBe('{"f:spec":{"f:replicas":{}}}');
  expect((await apply('scaler', 'a: [')).code).toBe(400);
});

it('requires the name of a manager, and a configuration without managers and unknown fields', async () => {
  const { code, body } = await api.patch(WEB, whole(), 'application/apply-patch+yaml');
  expect([code, body.message]).toEqual([
    422,
    'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
  ]);
  expect((await apply('helm', configuration({}, { managedFields: [] }))).code).toBe(400);
  expect((await apply('helm', configuration({ nosuch: 1 }))).code).toBe(400);
  expect((await api.get(WEB)).code).toBe(404);
});

it('merges lists by their keys: entries of others stay where they were', async () => {
  await apply('helm', whole());
  await update('injector', { spec: template({ name: 'proxy', image: 'proxy:1' }) });
  await apply('helm', {
    ...whole({ image: 'web:2', env: [{ name: 'A', value: 'a' }] }),
  });
  const [first, second] = await containers();
  expect([first, second]).toMatchObject([
    { name: 'proxy', image: 'proxy:1' },
    { name: 'web', image: 'web:2', env: [{ name: 'A', value: 'a' }] },
  ]);
});

it('removes what the manager no longer applies, unless another manager owns it', async () => {
  const env = (...names: string[]) => ({ env: names.map((name) => ({ name, value: 'x' })) });
  await apply('helm', whole({ ...env('A', 'B', 'C'), livenessProbe: { httpGet: { path: '/', port: 80 } } }));
  await apply('other', configuration(template({ name: 'web', ...env('B') })));
  await apply('helm', whole(env('A')));
  const [web] = await containers();
  expect(web?.livenessProbe).toBeUndefined();
  expect(web?.env).toEqual([
    { name: 'A', value: 'x' },
    { name: 'B', value: 'x' },
  ]);
});

it('rejects another value of a field that others own, in the words of the API server', async () => {
  await apply('helm', whole());
  await update('shiplog', { spec: template({ name: 'web', image: 'web:0' }) });
  const one = await apply('helm', whole({ image: 'web:2' }));
  const field = '.spec.template.spec.containers[name="web"].image';
  expect(one.body).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `Apply failed with 1 conflict: conflict with "shiplog" using apps/v1: ${field}`,
    reason: 'Conflict',
    details: {
      causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "shiplog" using apps/v1', field }],
    },
    code: 409,
  });
  await apply('other', configuration({ replicas: 2 }));
  await update('shiplog', { spec: { paused: true } });
  const { code, body } = await apply('helm', {
    ...configuration({ replicas: 3, paused: false, ...template({ name: 'web', image: 'web:2' }) }),
  });
  expect([code, body.message]).toEqual([
    409,
    'Apply failed with 3 conflicts: conflicts with "other":\n- .spec.replicas\n' +
      `conflicts with "shiplog" using apps/v1:\n- .spec.paused\n- ${field}`,
  ]);
  expect((await containers())[0]?.image).toBe('web:0');
});

it('takes the fields of others with force, and shares those with the same value', async () => {
  await apply('helm', whole());
  await update('shiplog', { spec: template({ name: 'web', image: 'web:0' }) });
  expect((await apply('helm', whole({ image: 'web:0' }))).code).toBe(200);
  expect(await fieldsOf('shiplog')).toContain('f:image');
  expect(await fieldsOf('helm')).toContain('f:image');
  expect((await apply('helm', whole({ image: 'web:2' }), '&force=true')).code).toBe(200);
  expect(await fieldsOf('shiplog')).toBeUndefined();
  expect((await containers())[0]?.image).toBe('web:2');
});

it('stores nothing when the same is applied again, or as a dry run', async () => {
  await apply('helm', whole());
  const before = await read();
  await apply('helm', whole());
  await apply('helm', whole({ image: 'web:2' }), '&dryRun=All');
  expect(await read()).toEqual(before);
});

it('stores a patch of managedFields alone as the same generation, so that a removed entry conflicts no more', async () => {
  await apply('helm', whole());
  await update('shiplog', { spec: template({ name: 'web', image: 'web:0' }) });
  const { managedFields } = await entries();
  const index = managedFields.findIndex(({ manager }) => manager === 'shiplog');
  const path = `/metadata/managedFields/${index}`;
  const { metadata: before } = await read();
  const { code, body } = await api.patch(
    `${WEB}?fieldManager=shiplog`,
    [
      { op: 'test', path, value: managedFields[index] as unknown as JsonObject },
      { op: 'remove', path },
    ],
    JSON_PATCH,
  );
  const { generation, resourceVersion } = body.metadata as JsonObject;
  expect(code).toBe(200);
  expect(generation).toBe((before as JsonObject).generation);
  expect(resourceVersion).not.toBe((before as JsonObject).resourceVersion);
  expect((await entries()).managedFields.map(({ manager }) => manager)).toEqual(['helm']);
  expect((await apply('helm', whole({ image: 'web:2' }))).code).toBe(200);
});
