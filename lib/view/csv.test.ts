import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvCell, formatCsv } from '@/lib/view/csv';

describe('a cell of CSV', () => {
  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '＝1'])('%j is no formula', (text) => {
    expect(csvCell(text).replace(/^"/, '')).toMatch(/^'/);
  });

  test('can be parsed back as it was written, except for the apostrophe against formulas', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const cell = csvCell(text);
        const read = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
        expect([text, `'${text}`]).toContain(read);
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
