import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalQuantity,
  compareQuantities,
  parseQuantity,
  percentLowered,
  prettyQuantity,
  type Quantity,
  roundUpToMilli,
} from '@/lib/kube/quantity';

const quantityText = fc
  .tuple(
    fc.constantFrom('', '+', '-'),
    fc.oneof(
      fc.nat().map(String),
      fc.tuple(fc.nat(4096), fc.nat(999)).map(([whole, part]) => `${whole}.${part}`),
    ),
    fc.constantFrom(
      'n',
      'u',
      'm',
      '',
      'k',
      'M',
      'G',
      'T',
      'P',
      'E',
      'Ki',
      'Mi',
      'Gi',
      'Ti',
      'e3',
      'E-2',
      'e+4',
    ),
  )
  .map((parts) => parts.join(''));

function parsed(text: string | number): Quantity {
  const quantity = parseQuantity(text);
  if (quantity === undefined) throw new Error(`${text} is no quantity`);
  return quantity;
}

describe('amounts', () => {
  test.each([
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1Gi', '1024Mi'],
    ['1.5Gi', '1536Mi'],
    ['1024', '1Ki'],
    ['1e3', '1k'],
    ['1E3', '1000'],
    ['2E', '2000P'],
    ['.5', '5.e-1'],
    ['0', '-0'],
    ['0.9n', '1n'],
    ['-0.9n', '-1n'],
    ['8Ei', '9223372036854775807'],
  ])('%s and %s are equal', (a, b) => {
    expect(compareQuantities(parsed(a), parsed(b))).toBe(0);
    expect(prettyQuantity(a)).toBe(prettyQuantity(b));
  });

  test.each([
    ['1G', '1Gi'],
    ['9007199254740992', '9007199254740993'],
    ['-1', '0'],
    ['100n', '1u'],
  ])('%s is less than %s', (a, b) => {
    expect(compareQuantities(parsed(a), parsed(b))).toBe(-1);
    expect(compareQuantities(parsed(b), parsed(a))).toBe(1);
  });

  test('a JSON number is an amount', () => {
    expect(compareQuantities(parsed(0.5), parsed('500m'))).toBe(0);
    expect(compareQuantities(parsed(1e21), parsed('1000E'))).toBe(0);
  });

  test.each([
    '',
    ' ',
    '1 Gi',
    '1ki',
    '1K',
    '1e',
    '1.2.3',
    '.',
    'Gi',
    '1Gib',
    '1e999999999',
    '[masked:0a1b2c3d]',
  ])('"%s" is no amount', (text) => {
    expect(parseQuantity(text)).toBeUndefined();
    expect(canonicalQuantity(text)).toBeUndefined();
  });
});

describe('text', () => {
  test.each([
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['1000Ki', '1000Ki'],
    ['512Ki', '512Ki'],
    ['0.5Ki', '512'],
    ['1.1Ki', '1126400m'],
    ['1024', '1024'],
    ['1000', '1k'],
    ['1500', '1500'],
    ['1e3', '1e3'],
    ['1E4', '10e3'],
    ['1000E', '1e21'],
    ['0Gi', '0'],
    ['-2048Mi', '-2Gi'],
  ])('%s is stored as %s, as by the server', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  test('the short form means the same amount, and one amount has one short form', () => {
    fc.assert(
      fc.property(quantityText, quantityText, (a, b) => {
        for (const text of [canonicalQuantity(a), prettyQuantity(a)]) {
          expect(compareQuantities(parsed(text ?? ''), parsed(a))).toBe(0);
        }
        expect(prettyQuantity(a) === prettyQuantity(b)).toBe(compareQuantities(parsed(a), parsed(b)) === 0);
        expect(canonicalQuantity(canonicalQuantity(a) ?? '')).toBe(canonicalQuantity(a));
      }),
    );
  });

  test('bytes have the usual form', () => {
    expect(['1073741824', '1536Mi', '1000000000', '1T', '128974848'].map(prettyQuantity)).toEqual([
      '1Gi',
      '1536Mi',
      '1G',
      '1T',
      '123Mi',
    ]);
  });
});

test('limits and requests are rounded up to thousandths, never down', () => {
  const amounts = ['0.0001', '100u', '1.0001', '2', '-0.0001'].map((text) => roundUpToMilli(parsed(text)));
  expect(amounts.map(({ digits, exponent }) => `${digits}e${exponent}`)).toEqual([
    '1e-3',
    '1e-3',
    '1001e-3',
    '2e0',
    '-1e-3',
  ]);
});

test('a lowered amount shows by how many percent', () => {
  expect(percentLowered(parsed('1Gi'), parsed('768Mi'))).toBe(25);
  expect(percentLowered(parsed('1'), parsed('999m'))).toBe(1);
  expect(percentLowered(parsed('1'), parsed('1'))).toBe(0);
  expect(percentLowered(parsed('1'), parsed('2'))).toBe(0);
});
