import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Seal } from '@/server/identity/seal';

test('opens what it has sealed, and each time it looks different', () => {
  const seal = new Seal(['a secret']);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const plain = text.toWellFormed();
      expect(seal.open(seal.seal(plain))).toBe(plain);
      expect(seal.seal(plain)).not.toBe(seal.seal(plain));
    }),
  );
});

test('opens nothing that was changed', () => {
  const seal = new Seal(['a secret']);
  const sealed = seal.seal('{"token":"abc"}');
  fc.assert(
    fc.property(fc.nat(sealed.length - 1), fc.constantFrom(...'abcXYZ019-_.'), (at, letter) => {
      const changed = sealed.slice(0, at) + letter + sealed.slice(at + 1);
      // The last letter of base64url has bits that are not read.
      if (Buffer.from(changed, 'base64url').equals(Buffer.from(sealed, 'base64url'))) return;
      expect(seal.open(changed)).toBeUndefined();
    }),
  );
  for (const text of ['', '.', sealed.slice(0, 20), 'x.y']) expect(seal.open(text)).toBeUndefined();
});

test('an earlier secret still opens, and one that is gone does not', () => {
  const sealed = new Seal(['old']).seal('text');
  expect(new Seal(['new', 'old']).open(sealed)).toBe('text');
  expect(new Seal(['new']).open(sealed)).toBeUndefined();
});

test('a signature is of its text and of one of the secrets', () => {
  const signed = new Seal(['old']).sign('text');
  expect(new Seal(['new', 'old']).verify(signed)).toBe('text');
  expect(new Seal(['new']).verify(signed)).toBeUndefined();
  const seal = new Seal(['old']);
  for (const changed of [
    'text',
    'text.',
    `x${signed}`,
    signed.slice(0, -3),
    `${signed}AAAA`,
    '',
    '.',
    'a.b.c',
  ])
    expect(seal.verify(changed)).toBeUndefined();
  expect(seal.verify(seal.sign('with.a.dot'))).toBe('with.a.dot');
});
