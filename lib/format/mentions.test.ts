import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { findMentions, possibleNames, typedMention } from '@/lib/format/mentions';

const namesIn = (text: string, ...names: string[]) => findMentions(text, names).map(({ name }) => name);

describe('a mention', () => {
  test('ends with the whole name, whichever signs the name has', () => {
    const names = [
      'maja.lind@shop.example',
      'Maja Lind',
      'system:serviceaccount:ci:deployer',
      'o’neil',
      '李雷',
    ];
    for (const name of names) {
      expect(namesIn(`cc @${name}, please`, name)).toEqual([name]);
      expect(namesIn(`@${name}.`, name)).toEqual([name]);
      expect(possibleNames(`(@${name})`)).toContain(name.toLowerCase());
    }
  });

  test('is of the longest name that fits, and of none where a longer one begins', () => {
    expect(namesIn('@maja lind', 'maja', 'maja lind')).toEqual(['maja lind']);
    expect(namesIn('@maja.lind @maja-x @maja_x @majas @maja@shop.example', 'maja')).toEqual([]);
    expect(namesIn('@maja. And @maja: @maja’s', 'maja')).toEqual(['maja', 'maja', 'maja']);
  });

  test('does not depend on case', () => {
    expect(namesIn('@MAJA.lind', 'Maja.Lind')).toEqual(['Maja.Lind']);
  });

  test('is not the domain of an address, nor a part of a link', () => {
    expect(
      namesIn(
        'to ann@shop.example, https://git.example/@shop.example, image@sha256',
        'shop.example',
        'sha256',
      ),
    ).toEqual([]);
  });

  test('is not on two lines', () => {
    expect(possibleNames('@maja\nlind')).toEqual(['maja']);
  });
});

const name = fc.oneof(
  fc.constantFrom(
    'ann',
    'Ann Lee',
    'ann.lee@shop.example',
    'kubernetes-admin',
    'a',
    '@',
    '**',
    '__proto__',
    '<b>',
  ),
  fc.string({ minLength: 1, maxLength: 30, unit: 'binary' }),
);
const written = fc.array(
  fc.oneof(
    fc.string({ maxLength: 12 }),
    name.map((each) => `@${each}`),
    fc.constant(' '),
  ),
);

test('ranges are in order, do not overlap, and are an @ with a name each', () => {
  fc.assert(
    fc.property(written, fc.array(name, { maxLength: 5 }), (parts, names) => {
      const text = parts.join('');
      let end = 0;
      for (const range of findMentions(text, names)) {
        expect(range.start).toBeGreaterThanOrEqual(end);
        expect(text.slice(range.start, range.end).toLowerCase()).toBe(`@${range.name}`.toLowerCase());
        expect(names).toContain(range.name);
        end = range.end;
      }
    }),
  );
});

test('every mention that is found is among the possible names', () => {
  fc.assert(
    fc.property(written, fc.array(name, { maxLength: 5 }), (parts, names) => {
      const text = parts.join('');
      const possible = possibleNames(text);
      for (const range of findMentions(
        text,
        names.filter((each) => !each.includes('\n')),
      ))
        expect(possible).toContain(text.slice(range.start + 1, range.end).toLowerCase());
    }),
  );
});

test('a name that is written between spaces is found', () => {
  const visible = name.filter((each) => !/[\s@]/u.test(each));
  fc.assert(
    fc.property(visible, (each) => {
      expect(findMentions(`see @${each} , thanks`, [each])).toEqual([
        { start: 4, end: 5 + each.length, name: each },
      ]);
    }),
  );
});

test('what is typed at the caret is a mention from its @ on, until the line or the name ends', () => {
  const typed = (text: string) => typedMention(text, text.length);
  expect(typed('see @')).toEqual({ start: 4, query: '' });
  expect(typed('see @maja.lind@sh')).toEqual({ start: 4, query: 'maja.lind@sh' });
  expect(typed('@Maja Li')).toEqual({ start: 0, query: 'Maja Li' });
  expect(typed('@ben, @an')).toEqual({ start: 6, query: 'an' });
  expect(typedMention('@maja and', 3)).toEqual({ start: 0, query: 'ma' });
  for (const text of [
    '',
    'maja',
    'maja@shop',
    '@ maja',
    '@maja\n',
    '@one two three four five',
    `@${'x'.repeat(80)}`,
  ])
    expect(typed(text)).toBeNull();
  expect(typedMention('@maja', 0)).toBeNull();
});

test('a text of signs alone is read in a moment', () => {
  expect(possibleNames(' @'.repeat(5_000)).length).toBeLessThan(50 * 200);
});
