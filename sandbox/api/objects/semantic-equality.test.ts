import { expect, test } from 'vitest';
import { POD_TEMPLATE } from '@/lib/diff/fields';
import { type JsonObject } from '@/lib/kube/json';
import { semanticallyEqual } from '@/sandbox/api/objects/semantic-equality';

function template(memory: string, image = 'web:1'): JsonObject {
  return { spec: { containers: [{ name: 'app', image, resources: { requests: { memory } } }] } };
}

test.each([
  ['1Ki', '1024', true],
  ['1', '1000m', true],
  ['1Ki', '1025', false],
  ['1Ki', 'none', false],
])('%s and %s are the same amount: %s', (a, b, expected) => {
  expect(semanticallyEqual(POD_TEMPLATE, template(a), template(b))).toBe(expected);
});

test('compares everything but amounts as it is written', () => {
  expect(semanticallyEqual(POD_TEMPLATE, template('1'), template('1', 'web:2'))).toBe(false);
  expect(semanticallyEqual(POD_TEMPLATE, template('1'), { spec: { containers: [] } })).toBe(false);
  expect(semanticallyEqual(undefined, { a: '1' }, { a: '1000m' })).toBe(false);
});
