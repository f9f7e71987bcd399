import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { formatField, takenFields } from '@/lib/owners/taken-fields';

const WEB = 'k:{"name":"web"}';
const inContainer = (fields: JsonObject): JsonObject => ({
  'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { [WEB]: fields } } } },
});
const entry = (manager: string, operation: string, fieldsV1: JsonObject) => ({
  manager,
  operation,
  fieldsV1,
});
const helm = (fields: JsonObject) =>
  entry('helm', 'Apply', inContainer({ '.': {}, 'f:name': {}, ...fields }));
const shiplog = (fields: JsonObject) => entry('shiplog', 'Update', inContainer(fields));
const told = (taken: ReturnType<typeof takenFields>) =>
  taken.map(({ manager, fields }) => [manager, ...fields.map(formatField)]);

const image = { 'f:image': {} };
const env = { 'f:env': { 'k:{"name":"LOG_LEVEL"}': { '.': {}, 'f:name': {}, 'f:value': {} } } };
const value = { 'f:env': { 'k:{"name":"LOG_LEVEL"}': { 'f:value': {} } } };

describe('the fields that a write takes', () => {
  test('are those that a manager applied without force before, and Shiplog owns after', () => {
    const taken = takenFields([helm({ ...image, ...env })], [helm({}), shiplog({ ...image, ...value })]);
    expect(told(taken)).toEqual([['helm', 'image of container web', 'env LOG_LEVEL of container web']]);
  });

  test('include those that an earlier rollback took, and not what Shiplog alone added', () => {
    const restart = {
      'f:spec': { 'f:template': { 'f:metadata': { 'f:annotations': { 'f:restartedAt': {} } } } },
    };
    const before = [helm({}), shiplog(image), entry('shiplog', 'Update', restart)];
    expect(told(takenFields(before, before))).toEqual([['helm', 'image of container web']]);
    expect(takenFields([helm({})], [shiplog(image)])).toEqual([]);
  });

  test.each(['argocd-controller', 'kustomize-controller', 'helm-controller', 'kruise-rollout'])(
    'are none of %s, which forces or rolls out only',
    (manager) => {
      const before = [entry(manager, 'Apply', inContainer(image))];
      expect(takenFields(before, [shiplog(image)])).toEqual([]);
    },
  );

  test('are none of a manager that does not apply: Helm 3', () => {
    expect(takenFields([entry('helm', 'Update', inContainer(image))], [shiplog(image)])).toEqual([]);
  });

  test('are none of a status that another entry of Shiplog has', () => {
    const status = { ...shiplog(image), subresource: 'status' };
    expect(takenFields([helm(image)], [status])).toEqual([]);
  });
});

test.each([
  [['f:metadata', 'f:annotations', 'f:example.com/a'], 'metadata.annotations.example.com/a'],
  [['f:spec', 'f:template', 'f:metadata', 'f:labels', 'f:tier'], 'metadata.labels.tier'],
  [['f:spec', 'f:template', 'f:spec', 'f:initContainers', WEB, '.'], 'container web'],
  [
    [
      'f:spec',
      'f:template',
      'f:spec',
      'f:containers',
      WEB,
      'f:ports',
      'k:{"containerPort":80,"protocol":"TCP"}',
    ],
    'ports.80/TCP of container web',
  ],
])('a field is named as people know it: %j', (path, name) => {
  expect(formatField(path)).toBe(name);
});

const names = fc.subarray(['f:a', 'f:b', 'f:c', 'f:d', 'f:e']);
/** Without a field there is no entry. */
const entryOf = (manager: string, operation: string, fields: readonly string[]) =>
  fields.length === 0
    ? []
    : [entry(manager, operation, inContainer(Object.fromEntries(fields.map((name) => [name, {}]))))];

test('after any write as the API server records it, each applied field that Shiplog owns is named, and no other', () => {
  fc.assert(
    fc.property(names, names, names, (applied, owned, written) => {
      const own = [...new Set([...owned, ...written])];
      const left = applied.filter((name) => !written.includes(name));
      const before = [...entryOf('kubectl', 'Apply', applied), ...entryOf('shiplog', 'Update', owned)];
      const after = [...entryOf('kubectl', 'Apply', left), ...entryOf('shiplog', 'Update', own)];
      const taken = takenFields(before, after).flatMap(({ fields }) => fields.map((path) => path.at(-1)));
      expect(taken.sort()).toEqual(applied.filter((name) => own.includes(name)).sort());
    }),
  );
});
