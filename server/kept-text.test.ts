import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonText, withKeptText } from '@/server/kept-text';

test('an answer is written as JSON.stringify writes it, wherever text is kept', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.array(fc.jsonValue())),
      fc.array(fc.object()),
      (answer, parts) => {
        const plain = { ...answer, parts, first: parts[0], none: undefined, at: new Date(0) };
        const expected = JSON.stringify(plain);
        expect(jsonText(plain)).toBe(expected);
        for (const part of parts) withKeptText(part);
        for (let round = 0; round < 2; round += 1) expect(jsonText(plain)).toBe(expected);
      },
    ),
  );
});

test('a part with kept text is read once', () => {
  let reads = 0;
  const part = withKeptText({
    get name() {
      reads += 1;
      return 'web';
    },
  });
  for (let round = 0; round < 3; round += 1)
    expect(jsonText({ items: [part] })).toBe('{"items":[{"name":"web"}]}');
  expect(reads).toBe(1);
});
