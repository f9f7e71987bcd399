import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasUnseenCharacters, showUnseenCharacters } from '@/lib/format/unseen-characters';

test.each<[string, string]>([
  ['a control character', 'ana\u0007'],
  ['an order from right to left', 'nimda\u202e'],
  ['an isolate', 'ana\u2067'],
  ['a zero width space', 'ad\u200bmin'],
  ['a joiner', 'ad\u200dmin'],
  ['a byte order mark', '\ufeffadmin'],
  ['a soft hyphen', 'ad\u00admin'],
  ['a separator of lines', 'ana\u2028'],
  ['a filler', 'admin\u3164'],
  ['a tag', 'admin\u{e0041}'],
  ['a variation selector after a letter', 'admin\ufe0f'],
])('%s in a name is found, and shown by its number', (_, name) => {
  expect(hasUnseenCharacters(name)).toBe(true);
  expect(showUnseenCharacters(name)).toMatch(/\\u\{[\da-f]+\}/);
});

test.each(['ana@shop.example', 'Müller', 'Ana María', 'Андрей', '山田', 'עברית', 'cloud ☁️', 'a\u00a0b'])(
  'the name %s has none',
  (name) => {
    expect(hasUnseenCharacters(name)).toBe(false);
    expect(showUnseenCharacters(name)).toBe(name);
  },
);

test('what is shown has none of them', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
      expect(hasUnseenCharacters(showUnseenCharacters(text))).toBe(false);
    }),
  );
});
