// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TypedField } from '@/components/ui/typed-field';

const onRead = vi.fn();
const read = (typed: string) => (/^\d+$/.test(typed) ? Number(typed) : null);
const field = () => screen.getByLabelText<HTMLInputElement>('Amount');

beforeEach(() => {
  onRead.mockReset();
  render(<TypedField label="Amount" text="7" read={read} example="12" onRead={onRead} />);
});
afterEach(cleanup);

test('is parsed on Enter or on blur, and only when it was edited', async () => {
  await userEvent.click(field());
  await userEvent.tab();
  expect(onRead).not.toHaveBeenCalled();
  await userEvent.type(field(), '5{Enter}');
  expect(onRead).toHaveBeenCalledExactlyOnceWith(75);
  await userEvent.type(field(), '1');
  await userEvent.tab();
  expect(onRead).toHaveBeenLastCalledWith(71);
});

test('leaves an invalid text and shows the expected format', async () => {
  await userEvent.type(field(), 'x{Enter}');
  expect(onRead).not.toHaveBeenCalled();
  expect(field().value).toBe('7x');
  expect(field().getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByRole('alert').textContent).toBe('Use the format 12');
  await userEvent.type(field(), '{Backspace}2{Enter}');
  expect(onRead).toHaveBeenCalledExactlyOnceWith(72);
  expect(screen.queryByRole('alert')).toBeNull();
});

test('reverts the text on Escape, and stops the key there', async () => {
  const seen: boolean[] = [];
  const listen = (event: KeyboardEvent) => event.key === 'Escape' && seen.push(event.defaultPrevented);
  document.addEventListener('keydown', listen);
  await userEvent.type(field(), 'x{Enter}{Escape}');
  expect(field().value).toBe('7');
  expect(screen.queryByRole('alert')).toBeNull();
  await userEvent.keyboard('{Escape}');
  document.removeEventListener('keydown', listen);
  expect(seen).toEqual([true, false]);
});
