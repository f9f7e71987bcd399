// @vitest-environment jsdom
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { MenuButton } from '@/components/ui/menu-button';

afterEach(cleanup);

/** The first menu loads its parts, which takes more than a second on a busy machine. */
const PATIENT = { timeout: 10_000 };

test('opens with the keyboard, chooses, and returns the focus', async () => {
  const user = userEvent.setup();
  const restart = vi.fn();
  render(
    <MenuButton
      items={[
        { label: 'Restart…', onSelect: restart },
        { label: 'Resume', disabledReason: 'It is not paused' },
      ]}
    >
      More
    </MenuButton>,
  );
  const button = screen.getByRole('button', { name: 'More' });
  button.focus();
  await user.keyboard('{ArrowDown}');
  const item = await screen.findByRole('menuitem', { name: 'Restart…' }, PATIENT);
  expect(button.getAttribute('aria-expanded')).toBe('true');
  await user.click(item);
  expect(restart).toHaveBeenCalledTimes(1);
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(button));
});

test('gives the reason of a disabled entry, which does nothing', async () => {
  const user = userEvent.setup();
  const resume = vi.fn();
  render(
    <MenuButton items={[{ label: 'Resume', disabledReason: 'It is not paused', onSelect: resume }]}>
      More
    </MenuButton>,
  );
  await user.click(screen.getByRole('button', { name: 'More' }));
  const item = await screen.findByRole('menuitem', { name: /It is not paused/ }, PATIENT);
  await user.click(item);
  expect(resume).not.toHaveBeenCalled();
});
