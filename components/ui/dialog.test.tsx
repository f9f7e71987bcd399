// @vitest-environment jsdom
import { useState } from 'react';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { DialogSequence } from '@/components/ui/final-focus';
import { MenuButton } from '@/components/ui/menu-button';
import { useShortcuts } from '@/components/ui/shortcuts';

afterEach(cleanup);

function Page({
  onPageKey = () => undefined,
  dismissible = true,
}: {
  onPageKey?: () => void;
  dismissible?: boolean;
}) {
  const [open, setOpen] = useState(false);
  useShortcuts({ p: onPageKey });
  return (
    <>
      <button onClick={() => setOpen(true)}>Roll back…</button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Roll back cart"
        subtitle="shop"
        dismissible={dismissible}
      >
        <button>First</button>
      </Dialog>
    </>
  );
}

async function openDialog() {
  const user = userEvent.setup();
  await user.click(screen.getByText('Roll back…'));
  const dialog = await screen.findByRole('dialog', { name: 'Roll back cart' });
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
  return { user, dialog };
}

test('takes the focus, and returns it to the previous element', async () => {
  render(<Page />);
  const { user } = await openDialog();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(screen.getByText('Roll back…')));
});

test('opened by a key, returns the focus to the page', async () => {
  function Keyed() {
    const [open, setOpen] = useState(false);
    useShortcuts({ r: () => setOpen(true) });
    return (
      <main id="main" tabIndex={-1}>
        <Dialog open={open} onOpenChange={setOpen} title="Roll back cart">
          <button>First</button>
        </Dialog>
      </main>
    );
  }
  render(<Keyed />);
  const user = userEvent.setup();
  await user.keyboard('r');
  await screen.findByRole('dialog', { name: 'Roll back cart' });
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('main')));
});

test('traps the focus while it is open', async () => {
  render(<Page />);
  const { user, dialog } = await openDialog();
  for (let step = 0; step < 6; step += 1) {
    await user.tab();
    // A guard at either end moves the focus in its own task.
    await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
  }
});

test('disables the keys of the page behind it', async () => {
  const onPageKey = vi.fn();
  render(<Page onPageKey={onPageKey} />);
  const { user } = await openDialog();
  await user.keyboard('p');
  expect(onPageKey).not.toHaveBeenCalled();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await user.keyboard('p');
  expect(onPageKey).toHaveBeenCalledTimes(1);
});

test('gives the reason of a disabled button, which is focusable and does nothing', async () => {
  const onClick = vi.fn();
  render(
    <Button disabledReason="You may not patch deployments in shop" onClick={onClick}>
      Pause
    </Button>,
  );
  const button = screen.getByRole('button', { name: 'Pause' });
  await userEvent.setup().click(button);
  expect(onClick).not.toHaveBeenCalled();
  expect(button.getAttribute('aria-disabled')).toBe('true');
  expect(button.hasAttribute('disabled')).toBe(false);
  expect(button.title).toBe('You may not patch deployments in shop');
});

test('returns the focus to the button of the menu whose entry opened it', async () => {
  function FromMenu() {
    const [open, setOpen] = useState(false);
    return (
      <>
        <MenuButton items={[{ label: 'Restart…', onSelect: () => setOpen(true) }]}>More</MenuButton>
        <Dialog open={open} onOpenChange={setOpen} title="Restart cart">
          text
        </Dialog>
      </>
    );
  }
  const user = userEvent.setup();
  render(<FromMenu />);
  await user.click(screen.getByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Restart…' }));
  await screen.findByRole('dialog', { name: 'Restart cart' });
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'More' })));
});

test('gives the focus to the page where a key opened it, also after a dialog that replaced another', async () => {
  function Steps() {
    const [step, setStep] = useState(0);
    useShortcuts({ r: () => setStep(1) });
    return (
      <main id="main" tabIndex={-1}>
        <button>Workloads</button>
        <DialogSequence open={step > 0}>
          <Dialog key={step} open={step > 0} onOpenChange={() => setStep(0)} title={`Step ${step}`}>
            <button onClick={() => setStep(2)}>Confirm</button>
          </Dialog>
        </DialogSequence>
      </main>
    );
  }
  const user = userEvent.setup();
  render(<Steps />);
  await user.keyboard('r');
  await user.click(await screen.findByRole('button', { name: 'Confirm' }));
  await screen.findByRole('dialog', { name: 'Step 2' });
  await user.keyboard('{Escape}');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('main')));
});
