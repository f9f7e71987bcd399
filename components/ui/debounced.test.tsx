// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DebouncedSearchField } from '@/components/ui/search-field';

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const field = () => screen.getByRole<HTMLInputElement>('searchbox');
const type = (text: string) => fireEvent.change(field(), { target: { value: text } });

function show(value: string) {
  const onChange = vi.fn();
  const search = (shown: string) => (
    <DebouncedSearchField label="Search" placeholder="" value={shown} onChange={onChange} />
  );
  const { rerender } = render(search(value));
  return { onChange, setValue: (next: string) => rerender(search(next)) };
}

test('typed text is shown at once and reported once, after a pause', () => {
  const { onChange } = show('');
  type('c');
  type('ca');
  expect(field().value).toBe('ca');
  expect(onChange).not.toHaveBeenCalled();
  void act(() => vi.advanceTimersByTime(1_000));
  expect(onChange.mock.calls).toEqual([['ca']]);
});

test('a value that is cleared from outside stays cleared, also while text waits to be reported', () => {
  const { onChange, setValue } = show('cart');
  type('carts');
  setValue('');
  expect(field().value).toBe('');
  void act(() => vi.advanceTimersByTime(1_000));
  expect(onChange).not.toHaveBeenCalled();
});
