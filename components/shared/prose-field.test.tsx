// @vitest-environment jsdom
import { useState } from 'react';
import { QueryClient } from '@tanstack/react-query';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ProseField } from '@/components/shared/prose-field';
import { renderWith } from '@/test/render';

const people = ['maja.lind@shop.example', 'Maja Lindgren', '<b>ben</b>'];
let requested: string[];

beforeEach(() => {
  requested = [];
  vi.stubGlobal('fetch', (path: string) => {
    const q = new URL(path, 'http://localhost').searchParams.get('q') ?? '';
    requested.push(q);
    const items = people.filter((name) => name.toLowerCase().includes(q.toLowerCase()));
    return Promise.resolve(Response.json({ items: items.map((name) => ({ name })) }));
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show(onSend = vi.fn()) {
  function Form() {
    const [text, setText] = useState('');
    return <ProseField label="Comment" value={text} onChange={setText} onSend={onSend} />;
  }
  renderWith(new QueryClient(), <Form />);
  return { user: userEvent.setup(), onSend, field: screen.getByRole<HTMLTextAreaElement>('textbox') };
}

const names = () => screen.queryAllByRole('option', { hidden: true }).map(({ textContent }) => textContent);
const current = () =>
  document.getElementById(screen.getByRole('textbox').getAttribute('aria-activedescendant') ?? '')
    ?.textContent;

test('a person is mentioned with the keyboard alone, from the middle of a text', async () => {
  const { user, field } = show();
  await user.type(field, 'so, thanks');
  await user.type(field, '@maj', { initialSelectionStart: 4, initialSelectionEnd: 4 });
  await waitFor(() => expect(names()).toEqual(people.slice(0, 2)));
  expect(current()).toBe(people[0]);
  await user.keyboard('{ArrowDown}');
  expect(current()).toBe(people[1]);
  await user.keyboard('{ArrowUp}{ArrowUp}{ArrowDown}{Enter}');
  expect(field.value).toBe(`so, @${people[0]} thanks`);
  expect(field.selectionStart).toBe(`so, @${people[0]} `.length);
  expect(names()).toEqual([]);
  await user.keyboard('and @linDG');
  await waitFor(() => expect(names()).toEqual(people.slice(1, 2)));
  await user.keyboard('{Tab}');
  expect(field.value).toBe(`so, @${people[0]} and @${people[1]} thanks`);
  expect(document.activeElement).toBe(field);
});

test('Escape closes the list, and then leaves the field', async () => {
  const { user, field } = show();
  await user.type(field, 'cc @ma');
  await waitFor(() => expect(names()).toHaveLength(2));
  await user.keyboard('{Escape}');
  expect([names(), document.activeElement]).toEqual([[], field]);
  await user.keyboard('j');
  expect(names()).toEqual([]);
  await user.keyboard('{Escape}');
  expect(document.activeElement).toBe(document.body);
  expect(field.value).toBe('cc @maj');
});

test('Enter is a new line where nothing is suggested, and sends with Ctrl even where something is', async () => {
  const { user, field, onSend } = show();
  await user.type(field, 'mail maja@shop{Enter}');
  expect(field.value).toBe('mail maja@shop\n');
  await user.type(field, '@ma');
  await waitFor(() => expect(names()).toHaveLength(2));
  await user.keyboard('{Control>}{Enter}{/Control}');
  expect(onSend).toHaveBeenCalledOnce();
});

test('a pointer chooses without taking the focus, and a name is shown as text', async () => {
  const { user, field } = show();
  await user.type(field, '@ben');
  await waitFor(() => expect(names()).toEqual(['<b>ben</b>']));
  await user.click(screen.getByRole('option', { hidden: true }));
  expect([field.value, document.activeElement]).toEqual(['@<b>ben</b> ', field]);
});

test('keys that an input method handles choose nothing', async () => {
  const { user, field } = show();
  await user.type(field, '@ma');
  await waitFor(() => expect(names()).toHaveLength(2));
  fireEvent.keyDown(field, { key: 'Enter', isComposing: true });
  expect(field.value).toBe('@ma');
});

test('a request is sent after a pause in typing', async () => {
  const { user, field } = show();
  await user.type(field, '@maja.li');
  await waitFor(() => expect(names()).toHaveLength(1));
  await waitFor(() => expect(requested.at(-1)).toBe('maja.li'));
  expect(requested.length).toBeLessThan(5);
});
