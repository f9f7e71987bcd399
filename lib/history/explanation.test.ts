import { expect, test } from 'vitest';
import { withKnownTime } from '@/lib/history/explanation';
import { type Activation } from '@/lib/api/revisions';

const bounded: Activation = {
  ...{ number: 6, from: null, fromNotBefore: null, to: null, open: true },
  fromNotAfter: '2026-11-22T12:03:00Z',
};
const text = 'Formerly revision 3; renumbered to 6 by a rollback at 2026-11-22 12:03:00 UTC or earlier.';

test('a sentence about a rollback has the time from the record, and its own bound where the record has none', () => {
  expect(withKnownTime(text, bounded, { ...bounded, from: '2026-11-22T11:41:00Z' })).toBe(
    'Formerly revision 3; renumbered to 6 by a rollback at 2026-11-22 11:41:00 UTC.',
  );
  expect(withKnownTime(text, bounded, bounded)).toBe(text);
});
