// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Segmented } from '@/components/ui/segmented';

afterEach(cleanup);

test('names a terse option by its label and its meaning', () => {
  const options = [
    { value: 'week', label: '7 d', name: 'last 7 days' },
    { value: 'all', label: 'All' },
  ] as const;
  render(<Segmented label="Period" value="week" options={options} onChange={() => undefined} />);
  expect(screen.getAllByRole('button').map((button) => button.getAttribute('aria-label'))).toEqual([
    '7 d, last 7 days',
    null,
  ]);
  expect(screen.getByRole('button', { name: '7 d, last 7 days', pressed: true })).toBeTruthy();
});
