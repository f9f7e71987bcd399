import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonBody, withCachedJson } from '@/server/shared/response-cache';

const textOf = (value: unknown): Promise<string> => new Response(jsonBody(value)).text();

test('an answer equals the text of JSON.stringify, whichever parts are cached', () => {
  const part = fc.tuple(fc.object(), fc.boolean());
  return fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string(), fc.array(fc.jsonValue())),
      fc.array(part),
      async (rest, parts) => {
        const items = parts.map(([item, isKept]) => (isKept ? withCachedJson(item) : item));
        const answers = [items, items.slice(1), items.toReversed()].map((page) => ({
          ...rest,
          items: page,
          first: page[0],
          none: undefined,
          at: new Date(0),
        }));
        for (const answer of [...answers, ...answers])
          expect(await textOf(answer)).toBe(JSON.stringify(answer));
      },
    ),
  );
});

test('reads a cached part once', async () => {
  let reads = 0;
  const part = withCachedJson({
    get name() {
      reads += 1;
      return 'web';
    },
  });
  const other = withCachedJson({ name: 'db' });
  for (let round = 0; round < 3; round += 1) {
    expect(await textOf({ items: [part] })).toBe('{"items":[{"name":"web"}]}');
    expect(await textOf({ items: [part, other] })).toBe('{"items":[{"name":"web"},{"name":"db"}]}');
  }
  expect(reads).toBe(1);
});
