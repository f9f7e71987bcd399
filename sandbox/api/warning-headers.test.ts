import { expect, it } from 'vitest';
import { warningHeaders } from '@/sandbox/api/warning-headers';

it('quotes each text once, and sends none that a header cannot hold', () => {
  expect(warningHeaders(['unknown field "a"', 'unknown field "a"', 'line\nbreak', 'ünlaut'])).toEqual([
    '299 - "unknown field \\"a\\""',
  ]);
});

it('stays below the header limits of clients, however many fields are unknown', () => {
  const texts = Array.from({ length: 5_000 }, (_, index) => `unknown field "field${index}"`);
  const bytes = warningHeaders(texts).join().length;

  expect(bytes).toBeGreaterThan(1_000);
  expect(bytes).toBeLessThan(8_192);
});
