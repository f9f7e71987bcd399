import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvCell, formatCsv } from '@/lib/view/csv';

describe('a cell of CSV', () => {
  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '＝1'])('%j is no formula', (text) => {
    expect(csvCell(text).replace(/^"/, '')).toMatch(/^'/);
  });

  /** As a program splits a file that it takes to have another separator: quotes inside of a cell do not count. */
  const splitBy = (separator: RegExp, text: string) => text.split(separator);

  test.each([
    'fix;=1+1',
    'fix; =1+1',
    'fix;"=1+1"',
    'a;b;@SUM(A1);c',
    'fix\t=1+1',
    'fix\n=1+1',
    'fix\r\n+1',
    'fix|-1',
    'fix;＝1+1',
    'a, b;\t=1',
  ])('%j has no formula behind any separator', (text) => {
    const line = formatCsv(
      [
        ['a', () => 'x'],
        ['b', () => text],
      ],
      [1],
    );
    for (const separator of [/;/, /[\t]/, /\|/, /[\r\n]+/, /[;\t\r\n|]/])
      for (const part of splitBy(separator, line))
        expect(part).not.toMatch(/^[\s\u0000"]*[=+\-@\uff1d\uff0b\uff0d\uff20]/);
  });

  test('can be parsed back as it was written, except for apostrophes against formulas', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[=;|+@",\t\n a-]*$/)), (text) => {
        const cell = csvCell(text);
        const read = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
        expect(read.replaceAll("'", '')).toBe(text.replaceAll("'", ''));
        if (!cell.startsWith('"')) expect(cell).not.toMatch(/[",\r\n]/);
      }),
    );
  });

  test('a number stays one', () => {
    expect(csvCell(-5)).toBe('-5');
    expect(csvCell(null)).toBe('');
  });
});

test('a note of what is missing is a row at the end, as wide as the others', () => {
  const columns = [['time', (at: string) => at] as const, ['action', () => 'pause'] as const];
  expect(formatCsv(columns, ['10:00'], ['Incomplete, choose a shorter period.'])).toBe(
    'time,action\r\n10:00,pause\r\n"Incomplete, choose a shorter period.",\r\n',
  );
});
