import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutMiddle } from '@/lib/view/cut-middle';

test('keeps the end of a text, and its beginning where there is room', () => {
  expect(cutMiddle('0.0.0-rc.1-build.123456789abcdef', 20)).toBe('0.0.0-rc.1-…89abcdef');
  expect(cutMiddle('0.0.0-rc.1-build.123456789abcdef', 8)).toBe('…9abcdef');
  expect(cutMiddle('2.19.0', 6)).toBe('2.19.0');
});

test('is never longer than the room', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 0, max: 40 }), (text, letters) => {
      expect(cutMiddle(text, letters).length).toBeLessThanOrEqual(letters);
    }),
  );
});
