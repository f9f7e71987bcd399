import fc from 'fast-check';
import { expect, test } from 'vitest';
import { truncateMiddle } from '@/lib/format/truncate-middle';

test('keeps the end of a text, and its beginning where there is room', () => {
  expect(truncateMiddle('0.0.0-rc.1-build.123456789abcdef', 20)).toBe('0.0.0-rc.1-…89abcdef');
  expect(truncateMiddle('0.0.0-rc.1-build.123456789abcdef', 8)).toBe('…9abcdef');
  expect(truncateMiddle('2.19.0', 6)).toBe('2.19.0');
});

test('is never longer than the room', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 0, max: 40 }), (text, letters) => {
      expect(truncateMiddle(text, letters).length).toBeLessThanOrEqual(letters);
    }),
  );
});
