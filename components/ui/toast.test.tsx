// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { showToast, Toasts } from '@/components/ui/toast';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  pass(20_000);
  cleanup();
  vi.useRealTimers();
});

test('a toast is shown for six seconds, the newest first', () => {
  render(<Toasts />);
  act(() => showToast({ title: 'First' }));
  pass(3_000);
  act(() => showToast({ title: 'Second', body: 'More of it' }));
  expect(screen.getAllByText(/First|Second/).map((each) => each.textContent)).toEqual(['Second', 'First']);
  expect(screen.getByText('More of it')).toBeTruthy();
  pass(3_500);
  expect(screen.queryByText('First')).toBeNull();
  pass(3_000);
  expect(screen.queryByText('Second')).toBeNull();
});

test('none goes while the pointer or the focus is on them', () => {
  render(<Toasts />);
  act(() => showToast({ title: 'Copied' }));
  const close = screen.getByRole('button', { name: 'Close' });
  fireEvent.focus(close);
  pass(30_000);
  expect(screen.getByText('Copied')).toBeTruthy();
  fireEvent.blur(close);
  pass(6_500);
  expect(screen.queryByText('Copied')).toBeNull();
});

test('a toast that the viewer closes goes at once, and the others after their time', () => {
  render(<Toasts />);
  act(() => showToast({ title: 'First' }));
  act(() => showToast({ title: 'Second' }));
  const [close] = screen.getAllByRole('button', { name: 'Close' });
  if (close === undefined) throw new Error('There is no button.');
  fireEvent.focus(close);
  fireEvent.click(close);
  pass(500);
  expect(screen.queryByText('Second')).toBeNull();
  expect(screen.getByText('First')).toBeTruthy();
  pass(6_500);
  expect(screen.queryByText('First')).toBeNull();
});

test('a toast that came before the page had its place is shown', () => {
  showToast({ title: 'Early' });
  render(<Toasts />);
  expect(screen.getByText('Early')).toBeTruthy();
});

function pass(ms: number): void {
  // Each step of a toast starts the next.
  for (let gone = 0; gone < ms; gone += 100) act(() => void vi.advanceTimersByTime(100));
}
