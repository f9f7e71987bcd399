import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shortenFieldSets } from '@/server/cluster/object-list';

const key = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '\\"', '}}]', 'k:{"name":"a"}', 'fieldsV1'));
const fieldSet = [1, 2, 3, 4, 5].reduce<fc.Arbitrary<object>>(
  (inner) => fc.dictionary(key, inner, { maxKeys: 3 }),
  fc.constant({}),
);

describe('shortening of field sets', () => {
  test('empties everything below the third level and touches nothing else', () => {
    fc.assert(
      fc.property(fc.array(fieldSet), fc.string(), fc.jsonValue(), (sets, text, other) => {
        const list = (fields: object[]) =>
          JSON.stringify(fields.map((fieldsV1) => ({ a: text, fieldsV1, b: text, c: [other] })));
        expect(shortenFieldSets(list(sets))).toBe(list(sets.map((set) => cut(set, 3))));
      }),
    );
  });

  test('the managers of the template and of an annotation remain readable', () => {
    const sets = {
      'f:metadata': { 'f:annotations': { '.': {}, 'f:deployment.kubernetes.io/revision': {} } },
      'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"app"}': { '.': {} } } } } },
    };
    expect(JSON.parse(shortenFieldSets(JSON.stringify({ fieldsV1: sets })))).toEqual({
      fieldsV1: { ...sets, 'f:spec': { 'f:template': { 'f:spec': {} } } },
    });
  });

  test.each(['', '{"fieldsV1":{', '{"fieldsV1":{"a', '{"fieldsV1":{"a\\"', '}"fieldsV1":{}}'])(
    'leaves truncated text or invalid JSON unchanged: %s',
    (text) => {
      expect(shortenFieldSets(text)).toBe(text);
    },
  );
});

function cut(set: object, levels: number): object {
  if (levels === 0) return {};
  return Object.fromEntries(
    Object.entries(set).map(([name, value]) => [name, cut(value as object, levels - 1)]),
  );
}
