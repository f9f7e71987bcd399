// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { RelatedChangeLine, RevertedRolloutLine } from '@/components/shared/related-change-line';
import type { RelatedChangeItem, RevertedRolloutsItem } from '@/lib/api/diff';

afterEach(cleanup);

const oom = { id: 'r 41', number: 41, cause: 'OOM kills <b>now</b>', actor: null, at: null };
const savings = { ...oom, id: 'r43', number: 43, cause: 'Save money' };
const echo: RelatedChangeItem = {
  kind: 'reverts',
  rollout: savings,
  deed: 'lowered',
  repeats: oom,
  sentence: '',
};
const whole: RevertedRolloutsItem = { rollout: savings, others: 0, sentence: '' };

function textOf(given: RelatedChangeItem | null, taken: RevertedRolloutsItem | null): string {
  return render(<RelatedChangeLine change={given} reverted={taken} />).container.textContent;
}

test('links every rollout that a line names to its record, and shows what people wrote as plain text', () => {
  expect(textOf(echo, null)).toBe(
    'Reverts revision 43, which lowered it for “Save money”; revision 41 made the same change for “OOM kills <b>now</b>”',
  );
  expect(screen.getByRole('link', { name: 'revision 41' }).getAttribute('href')).toBe('/records/r%2041');
});

test('does not repeat for each change what the line of the whole diff says', () => {
  expect(render(<RevertedRolloutLine reverted={whole} />).container.textContent).toBe(
    'Reverts revision 43 (“Save money”)',
  );
  expect(textOf(echo, whole)).toBe('Revision 41 made the same change for “OOM kills <b>now</b>”');
  expect(textOf({ ...echo, repeats: null }, whole)).toBe('');
  expect(textOf(echo, { ...whole, others: 1 })).toContain('Reverts revision 43');
  expect(textOf(null, whole)).toBe('');
});

test('opens its links in a new tab next to an action in progress', () => {
  render(<RelatedChangeLine change={echo} reverted={null} opensNewTab />);
  for (const link of screen.getAllByRole('link')) {
    expect(link.getAttribute('target')).toBe('_blank');
    expect(link.getAttribute('rel')).toContain('noopener');
  }
});
