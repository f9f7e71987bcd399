import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { FieldSet } from '@/sandbox/api/field-set';
import { deployment, JSON_PATCH, MERGE_PATCH, TestApi } from '@/sandbox/api/testing/api-client';

const PATH = '/apis/apps/v1/namespaces/default/deployments';

type Entry = {
  manager: string;
  subresource?: string;
  time: string;
  fieldsV1: JsonObject;
};

async function entries(api: TestApi): Promise<Entry[]> {
  const { body } = await api.get(`${PATH}/web`);

  return (body.metadata as { managedFields: Entry[] }).managedFields;
}

function text({ fieldsV1 }: { fieldsV1: JsonObject } = { fieldsV1: {} }): string {
  return JSON.stringify(fieldsV1);
}

const IMAGE = 'k:{"name":"main"}';

it('assigns each field to its last writer', async () => {
  const api = await TestApi.start();
  await api.post(`${PATH}?fieldManager=first`, deployment('web'));
  await api.patch(`${PATH}/web?fieldManager=second`, {
    spec: { template: { spec: { containers: [{ name: 'main', image: 'web:2' }] } } },
  });
  const [first, second] = await entries(api);

  expect([first?.manager, second?.manager]).toEqual(['first', 'second']);
  expect(second?.fieldsV1).toEqual({
    'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { [IMAGE]: { 'f:image': {} } } } } },
  });
  expect(text(first)).not.toContain('"f:image"');
  expect(text(first)).toContain('"f:imagePullPolicy"');
});

it('removes deleted fields, and managers without any field', async () => {
  const api = await TestApi.start();
  await api.post(`${PATH}?fieldManager=first`, deployment('web'));
  const annotate = { metadata: { annotations: { note: 'x' } } };
  await api.patch(`${PATH}/web?fieldManager=second`, annotate, MERGE_PATCH);
  expect(text((await entries(api))[1])).toBe('{"f:metadata":{"f:annotations":{".":{},"f:note":{}}}}');
  await api.patch(`${PATH}/web?fieldManager=third`, { metadata: { annotations: null } }, MERGE_PATCH);

  expect((await entries(api)).map(({ manager }) => manager)).toEqual(['first']);
});

it('dates a manager by the last write that changed something', async () => {
  let now = Date.parse('2026-11-01T10:00:00Z');
  const api = await TestApi.start({ clock: { now: () => now } });
  await api.post(`${PATH}?fieldManager=me`, deployment('web'));
  now += 60_000;
  await api.patch(`${PATH}/web?fieldManager=me`, { spec: { replicas: 2 } }, MERGE_PATCH);
  expect((await entries(api))[0]?.time).toBe('2026-11-01T10:00:00Z');
  await api.patch(`${PATH}/web?fieldManager=me`, { spec: { replicas: 3 } }, MERGE_PATCH);
  expect((await entries(api))[0]?.time).toBe('2026-11-01T10:01:00Z');
});

it('starts over when a client empties the list', async () => {
  const api = await TestApi.start();
  await api.post(`${PATH}?fieldManager=first`, deployment('web'));
  const reset = [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }];
  await api.patch(
    `${PATH}/web?fieldManager=second`,
    [...reset, { op: 'add', path: '/spec/paused', value: true }],
    JSON_PATCH,
  );

  expect((await entries(api)).map(({ manager }) => manager)).toEqual(['second']);
});

it('prints a set of fields as it was read', () => {
  const tree: fc.Arbitrary<JsonObject> = fc.letrec<{ node: JsonObject }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      fc.constant({}),
      fc.dictionary(fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:1'), tie('node'), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    ),
  })).node;

  fc.assert(fc.property(tree, (fields) => void expect(FieldSet.parse(fields).print()).toEqual(fields)));
});
