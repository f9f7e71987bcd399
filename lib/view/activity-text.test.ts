import { expect, test } from 'vitest';
import { formatActivityCsv } from '@/lib/view/activity-text';

test('the CSV of a bounded or partial list says so', () => {
  const notesOf = (nextCursor: string | null, reasons: readonly string[]) =>
    formatActivityCsv({
      items: [],
      nextCursor,
      partial: reasons.map((reason) => ({ resource: 'archive', reason })),
    })
      .trimEnd()
      .split('\r\n')
      .slice(1);
  expect(notesOf(null, [])).toEqual([]);
  expect(notesOf('c', ['The archive is unavailable.']).map((line) => line.replace(/,+$/, ''))).toEqual([
    'Older actions are missing. The archive is unavailable.',
    'Incomplete: more actions match. Choose a shorter period.',
  ]);
});
