// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { listShortcuts, useShortcuts } from '@/components/ui/shortcuts';

afterEach(cleanup);

type Options = Parameters<typeof useShortcuts>[1];

function Keys({ map, options }: { map: Parameters<typeof useShortcuts>[0]; options?: Options }) {
  useShortcuts(map, options);
  return null;
}

function press(key: string, init: KeyboardEventInit = {}, target: Element = document.body) {
  return fireEvent.keyDown(target, { key, ...init });
}

test('runs the binding of a key and prevents its default', () => {
  const run = vi.fn();
  render(<Keys map={{ j: run }} />);
  expect(press('j')).toBe(false);
  expect(press('x')).toBe(true);
  expect(run).toHaveBeenCalledTimes(1);
});

test.each([
  ['an input', <input key="t" aria-label="t" />],
  ['a text area', <textarea key="t" aria-label="t" />],
  [
    'an editable text',
    <div key="t" aria-label="t" role="textbox" contentEditable suppressContentEditableWarning />,
  ],
  ['a menu', <div key="t" aria-label="t" role="menu" />],
])('ignores plain keys while %s has the focus, but not combinations', (_, element) => {
  const plain = vi.fn();
  const combined = vi.fn();
  render(
    <>
      <Keys map={{ j: plain, 'mod+k': combined }} />
      {element}
    </>,
  );
  const target = screen.getByLabelText('t');
  // jsdom does not derive this from the attribute.
  if (target.getAttribute('contenteditable'))
    Object.defineProperty(target, 'isContentEditable', { value: true });
  press('j', {}, target);
  press('k', { ctrlKey: true }, target);
  press('k', { metaKey: true }, target);
  expect(plain).not.toHaveBeenCalled();
  expect(combined).toHaveBeenCalledTimes(2);
});

test('leaves Enter to the focused link or button', () => {
  const run = vi.fn();
  render(
    <>
      <Keys map={{ enter: run }} />
      <a href="#x">there</a>
    </>,
  );
  press('Enter', {}, screen.getByText('there'));
  expect(run).not.toHaveBeenCalled();
  press('Enter');
  expect(run).toHaveBeenCalledTimes(1);
});

test('ignores keys of the page while a dialog is open, and keys of the dialog without one', () => {
  const page = vi.fn();
  const dialog = vi.fn();
  const keys = (
    <>
      <Keys map={{ r: page }} />
      <Keys map={{ 'mod+enter': dialog }} options={{ layer: 'dialog' }} />
    </>
  );
  const { rerender } = render(keys);
  press('Enter', { ctrlKey: true });
  press('r');
  rerender(
    <>
      {keys}
      <div data-modal="" />
    </>,
  );
  press('r');
  press('Enter', { ctrlKey: true });
  expect(page).toHaveBeenCalledTimes(1);
  expect(dialog).toHaveBeenCalledTimes(1);
});

test('requires the keys of a sequence in order and in time', () => {
  const run = vi.fn();
  const clock = vi.spyOn(Event.prototype, 'timeStamp', 'get');
  render(<Keys map={{ 'g f': run, f: () => undefined }} />);
  const at = (ms: number, key: string) => {
    clock.mockReturnValue(ms);
    press(key);
  };
  at(0, 'f');
  at(10, 'g');
  at(20, 'f');
  expect(run).toHaveBeenCalledTimes(1);
  at(100, 'g');
  at(5_000, 'f');
  at(6_000, 'g');
  at(6_010, 'x');
  at(6_020, 'f');
  expect(run).toHaveBeenCalledTimes(1);
  clock.mockRestore();
});

test('ignores keys that were handled by their element, or that compose a character', () => {
  const run = vi.fn();
  render(
    <>
      <Keys map={{ escape: run }} />
      <input aria-label="t" onKeyDown={(event) => event.preventDefault()} />
    </>,
  );
  press('Escape', {}, screen.getByLabelText('t'));
  press('Escape', { isComposing: true });
  expect(run).not.toHaveBeenCalled();
});

test('uses the newest binding of a key until it unmounts', () => {
  const older = vi.fn();
  const newer = vi.fn();
  const { rerender } = render(<Keys map={{ c: older }} />);
  rerender(
    <>
      <Keys map={{ c: older }} />
      <Keys map={{ c: newer }} />
    </>,
  );
  press('c');
  rerender(<Keys map={{ c: older }} />);
  press('c');
  expect([older, newer].map((fn) => fn.mock.calls.length)).toEqual([1, 1]);
});

test('lists the active keys with their labels, each key once', () => {
  const run = () => undefined;
  const { unmount } = render(
    <>
      <Keys map={{ j: { label: 'next', run }, k: run }} />
      <Keys map={{ 'mod+enter': { label: 'confirm', run } }} options={{ layer: 'dialog' }} />
      <Keys map={{ j: { label: 'next change', run } }} />
    </>,
  );
  expect(listShortcuts()).toEqual([{ combo: 'j', label: 'next change', layer: 'page' }]);
  unmount();
  expect(listShortcuts()).toEqual([]);
});

test('runs keys that were pressed before the page bound them, once, and no combination', () => {
  vi.useFakeTimers();
  // As the script of the document does (`earlyKeysScript`).
  window.earlyKeys = [];
  window.addEventListener('keydown', (event) => window.earlyKeys?.push(event));
  const [next, confirm, help] = [vi.fn(), vi.fn(), vi.fn()];
  press('j');
  press('Enter', { ctrlKey: true });
  render(<Keys map={{ '?': help }} options={{ layer: 'everywhere' }} />);
  press('?');
  press('j');
  render(<Keys map={{ f: confirm }} />);
  vi.runAllTimers();
  // What `j` moves through has loaded.
  render(<Keys map={{ j: next, 'mod+enter': confirm }} />);
  vi.runAllTimers();
  expect(next).toHaveBeenCalledTimes(2);
  press('j');
  expect(next).toHaveBeenCalledTimes(3);
  expect(help).toHaveBeenCalledTimes(1);
  expect(confirm).not.toHaveBeenCalled();
  vi.useRealTimers();
});
