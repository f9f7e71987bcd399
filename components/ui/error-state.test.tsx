// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { ErrorState } from '@/components/ui/error-state';
import { AppError } from '@/lib/errors';

afterEach(cleanup);

test('offers a search for the name of a missing object, and does not request it again', () => {
  const error = new AppError('not_found', 'There is no Deployment cart in namespace shop.', { name: 'cart' });
  render(<ErrorState error={error} onRetry={vi.fn()} />);
  expect(screen.getByRole('link', { name: 'Search workloads' }).getAttribute('href')).toBe('/?q=cart');
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
});

test('offers to retry a failed request', () => {
  render(<ErrorState error={new AppError('timeout', 'It took too long.')} onRetry={vi.fn()} />);
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
  expect(screen.queryByRole('link')).toBeNull();
});
