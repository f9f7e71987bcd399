import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalJson,
  deepEqual,
  isJsonObject,
  isRawNumber,
  type Json,
  parseJson,
  stringifyGo,
} from '@/lib/kube/json';

const ODD_NUMBERS = [
  '9007199254740993',
  '-9007199254740993',
  '1.0',
  '0.10',
  '-0',
  '1e3',
  '1E+2',
  '0.0000001',
];
const numberText = fc.oneof(
  fc.constantFrom(...ODD_NUMBERS),
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.tuple(fc.nat(), fc.stringMatching(/^[0-9]{1,20}$/)).map(([whole, digits]) => `${whole}.${digits}`),
);
const jsonText = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    numberText,
    fc.json({ maxDepth: 0 }),
    fc.array(tie('value')).map((items) => `[${items.join(',')}]`),
    fc
      .dictionary(fc.oneof(fc.string(), fc.constantFrom('rawJSON', '__proto__', '10', '9')), tie('value'))
      .map(
        (members) =>
          `{${Object.entries(members)
            .map(([key, text]) => `${JSON.stringify(key)}:${text}`)
            .join(',')}}`,
      ),
  ),
})).value;

describe('parsing', () => {
  test('every number is printed as it was written', () => {
    fc.assert(fc.property(numberText, (text) => stringifyGo(parseJson(text)) === text));
  });

  test('text in canonical form survives parsing and printing, wherever its numbers are', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const once = canonicalJson(parseJson(text));
        expect(canonicalJson(parseJson(once))).toBe(once);
        expect(deepEqual(parseJson(once), parseJson(text))).toBe(true);
      }),
    );
  });

  test('a number too big for a double is kept as text between numbers that are not', () => {
    const value = parseJson('{"big": 9007199254740993, "list":[1,12345678901234567890 ], "port":8080}');
    expect(JSON.stringify(value)).toBe(
      '{"big":9007199254740993,"list":[1,12345678901234567890],"port":8080}',
    );
    expect((value as { port: Json }).port).toBe(8080);
  });

  test('an object that merely has a member rawJSON is not treated as a number', () => {
    const value = parseJson('{"rawJSON":"1","n":9007199254740993}');
    expect(isRawNumber(value)).toBe(false);
    expect(isJsonObject(value)).toBe(true);
    expect(isJsonObject(parseJson('9007199254740993'))).toBe(false);
  });
});

test('the characters that Go escapes are escaped, also inside keys', () => {
  expect(stringifyGo({ 'a<b': 'x && y > z\u2028\u2029', n: 1 })).toBe(
    '{"a\\u003cb":"x \\u0026\\u0026 y \\u003e z\\u2028\\u2029","n":1}',
  );
});

test('canonical text sorts integer-like keys as text and omits undefined members', () => {
  expect(canonicalJson({ b: undefined, 9: 'x', 10: [{ z: 1, a: null }] })).toBe(
    '{"10":[{"a":null,"z":1}],"9":"x"}',
  );
});

describe('equality', () => {
  test('agrees with canonical text', () => {
    fc.assert(
      fc.property(jsonText, jsonText, (left, right) => {
        const [a, b] = [parseJson(left), parseJson(right)];
        expect(deepEqual(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
      }),
    );
  });

  test.each<[Json, Json, boolean]>([
    [{ a: undefined }, {}, true],
    [{ a: null }, {}, false],
    [{ a: 1 }, { b: 1 }, false],
    [[], {}, false],
    [[1, 2], [2, 1], false],
    [parseJson('9007199254740993'), parseJson('9007199254740992'), false],
    [parseJson('9007199254740993'), { rawJSON: '9007199254740993' }, false],
  ])('%j and %j: %s', (a, b, equal) => {
    expect(deepEqual(a, b)).toBe(equal);
  });
});
