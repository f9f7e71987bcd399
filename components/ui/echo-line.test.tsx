// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { EchoLine, TakenBackLine } from '@/components/ui/echo-line';
import { type EchoItem, type TakenBackItem } from '@/lib/api/diff';

afterEach(cleanup);

const oom = { id: 'r 41', number: 41, cause: 'OOM kills <b>now</b>', actor: null, at: null };
const savings = { ...oom, id: 'r43', number: 43, cause: 'Save money' };
const echo: EchoItem = { kind: 'takesBack', rollout: savings, deed: 'lowered', repeats: oom, sentence: '' };
const whole: TakenBackItem = { rollout: savings, others: 0, sentence: '' };

function textOf(given: EchoItem | null, taken: TakenBackItem | null): string {
  return render(<EchoLine echo={given} taken={taken} />).container.textContent;
}

test('every rollout that a line names is a link to its record, and what people wrote stays text', () => {
  expect(textOf(echo, null)).toBe(
    'Takes back revision 43, which had lowered it for “Save money”; revision 41 had done the same for “OOM kills <b>now</b>”',
  );
  expect(screen.getByRole('link', { name: 'revision 41' }).getAttribute('href')).toBe('/records/r%2041');
});

test('what the line of the whole says is not said again of each change', () => {
  expect(render(<TakenBackLine taken={whole} />).container.textContent).toBe(
    'Takes back revision 43 (“Save money”)',
  );
  expect(textOf(echo, whole)).toBe('Revision 41 had done the same for “OOM kills <b>now</b>”');
  expect(textOf({ ...echo, repeats: null }, whole)).toBe('');
  expect(textOf(echo, { ...whole, others: 1 })).toContain('Takes back revision 43');
  expect(textOf(null, whole)).toBe('');
});

test('beside something that is being done, its links open in a tab of their own', () => {
  render(<EchoLine echo={echo} taken={null} beside />);
  for (const link of screen.getAllByRole('link')) {
    expect(link.getAttribute('target')).toBe('_blank');
    expect(link.getAttribute('rel')).toContain('noopener');
  }
});
