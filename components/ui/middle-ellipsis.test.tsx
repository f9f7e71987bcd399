// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';

afterEach(cleanup);

test('is read as one string, and its end is never cut', () => {
  const name = 'an-exceedingly-long-deployment-name-76895bf955-knvjd';
  render(
    <a href="#x">
      <MiddleEllipsis text={name} />
    </a>,
  );
  expect(screen.getByRole('link', { name })).toBeTruthy();
  expect(screen.getByText('55-knvjd', { ignore: '.sr-only' }).className).not.toContain('truncate');
});

test('shows a short name in full', () => {
  const { container } = render(<MiddleEllipsis text="checkout" />);
  expect(container.textContent).toBe('checkout');
});
