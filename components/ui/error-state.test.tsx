// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { ErrorState } from '@/components/ui/error-state';
import { AppError } from '@/lib/errors';

afterEach(cleanup);

test('what is not there leads to the search for its name, and is not asked for again', () => {
  const error = new AppError('not_found', 'There is no Deployment cart in namespace shop.', { name: 'cart' });
  render(<ErrorState error={error} onRetry={vi.fn()} />);
  expect(screen.getByRole('link', { name: 'Search workloads' }).getAttribute('href')).toBe('/?q=cart');
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
});

test('what failed can be tried again', () => {
  render(<ErrorState error={new AppError('timeout', 'It took too long.')} onRetry={vi.fn()} />);
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
  expect(screen.queryByRole('link')).toBeNull();
});
