import { expect, it } from 'vitest';
import { applyJsonPatch } from '@/sandbox/api/patch';

const document = { a: { list: [1, 2, 3], text: 'a && b < c' }, n: 1 };

it('does not change the document', () => {
  const before = JSON.stringify(document);
  applyJsonPatch(document, '[{"op":"remove","path":"/a/list"},{"op":"add","path":"/a/new","value":{}}]');

  expect(JSON.stringify(document)).toBe(before);
});

it('compares as the API server writes: escaped as Go does, and numbers by their text', () => {
  const test = (text: string) => applyJsonPatch(document, `[{"op":"test","path":${text}}]`);

  expect(test('"/a/text","value":"a \\u0026\\u0026 b \\u003c c"')).toEqual(document);
  expect(() => test('"/a/text","value":"a && b < c"')).toThrow();
  expect(() => test('"/n","value":1.0')).toThrow();
  expect(test('"/missing","value":null')).toEqual(document);
});
