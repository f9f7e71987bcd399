// @vitest-environment jsdom
import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Avatar, initialsOf, toneOf } from '@/components/ui/avatar';

test.each([
  ['mira.sorensen', 'MS'],
  ['maja.lind@shop.example', 'ML'],
  ['system:serviceaccount:ci:release-bot', 'RB'],
  ['kubernetes-admin', 'KA'],
  ['root', 'RO'],
  ['𐐨𐐩 𐐪', '𐐀𐐂'],
  ['', '?'],
])('%s is shown as %s', (name, letters) => expect(initialsOf(name)).toBe(letters));

test('one name has one color, and names differ in theirs', () => {
  expect(toneOf('ana')).toBe(toneOf('ana'));
  const names = Array.from({ length: 50 }, (_, index) => `person-${index}`);
  expect(new Set(names.map(toneOf)).size).toBe(5);
});

test('screen readers and copied texts have the name beside it, not its letters', () => {
  const { container } = render(
    <p>
      <Avatar name="maja.lind" /> maja.lind
    </p>,
  );
  expect(container.textContent).toBe(' maja.lind');
  expect(container.querySelector('[data-initials=ML]')?.ariaHidden).toBe('true');
});
