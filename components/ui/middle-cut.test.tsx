// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { MiddleCut } from '@/components/ui/middle-cut';

afterEach(cleanup);

test('a long name is read in one piece, and its end is never cut', () => {
  const name = 'an-exceedingly-long-deployment-name-76895bf955-knvjd';
  render(
    <a href="#x">
      <MiddleCut text={name} />
    </a>,
  );
  expect(screen.getByRole('link', { name })).toBeTruthy();
  expect(screen.getByText('55-knvjd', { ignore: '.sr-only' }).className).not.toContain('truncate');
});

test('a short name stays as it is', () => {
  const { container } = render(<MiddleCut text="checkout" />);
  expect(container.textContent).toBe('checkout');
});
