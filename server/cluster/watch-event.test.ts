import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitLines } from '@/server/cluster/watch-event';

async function split(chunks: Uint8Array[], lineBytesMax?: number): Promise<string[]> {
  async function* source() {
    for (const chunk of chunks) {
      await Promise.resolve();
      yield chunk;
    }
  }
  const lines: string[] = [];
  for await (const line of splitLines(source(), lineBytesMax)) lines.push(line);
  return lines;
}

test('yields the same lines however the bytes are cut, and drops an unfinished one', async () => {
  const line = fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.string(),
      fc.array(fc.nat(), { maxLength: 20 }),
      async (lines, rest, cuts) => {
        const unfinished = rest.replaceAll('\n', '');
        const bytes = Buffer.from(lines.map((each) => `${each}\n`).join('') + unfinished);
        const bounds = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
          (a, b) => a - b,
        );
        const chunks = bounds.slice(1).map((end, index) => bytes.subarray(bounds[index], end));
        expect(await split(chunks)).toEqual(lines);
      },
    ),
  );
});

test('rejects a line without end at its bound', async () => {
  const chunks = Array.from({ length: 5 }, () => Buffer.alloc(30, 'x'));
  await expect(split(chunks, 100)).rejects.toThrow(/more than 100 bytes/);
});
