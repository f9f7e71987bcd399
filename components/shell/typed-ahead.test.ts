// @vitest-environment jsdom
import { afterEach, expect, it, vi } from 'vitest';
import { collectTyping, takeTyped } from '@/components/shell/typed-ahead';

const press = (key: string, init: KeyboardEventInit = {}) =>
  document.body.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init }),
  );

afterEach(() => void takeTyped());

it('keeps what is typed until its field takes it, without running the keys of the page', () => {
  const onPage = vi.fn();
  document.addEventListener('keydown', onPage);
  collectTyping();
  for (const key of ['r', 'x', 'Backspace', 'j']) press(key);
  expect(onPage).not.toHaveBeenCalled();
  expect(takeTyped()).toBe('rj');
  press('r');
  expect(onPage).toHaveBeenCalledTimes(1);
  expect(takeTyped()).toBe('');
  document.removeEventListener('keydown', onPage);
});

it('leaves combinations and named keys to the page', () => {
  collectTyping();
  expect(press('k', { ctrlKey: true })).toBe(true);
  expect(press('Escape')).toBe(true);
  expect(takeTyped()).toBe('');
});
