'use client';

import { lazy, Suspense, useId, useRef, useState } from 'react';
import { clsx } from 'clsx';
import { Button, type ButtonAppearance } from '@/components/ui/button';
import { chipClass } from '@/components/ui/chip';
import { Glyph } from '@/components/ui/glyph';
import { loadAhead, loadPart } from '@/components/ui/lazy-part';
import type { MenuEntry } from '@/components/ui/menu-entry';

const MenuPopup = lazy(() => loadPart(loadMenu().then((part) => part.MenuPopup)));

/**
 * A button that opens a menu. The menu itself is loaded when the pointer or the focus comes near.
 * `<MenuButton label="More actions" items={[{ label: 'Restart…', onSelect }]}>More</MenuButton>`
 * `variant="chip"` for filters; `pressed` then means that one is active. `variant="bare"` leaves the style to
 * `className`.
 */
export function MenuButton({
  label,
  items,
  variant = 'button',
  pressed = false,
  align = 'start',
  className,
  children,
  ...face
}: Omit<ButtonAppearance, 'glyphAfter'> & {
  /** Name for assistive technology where the children are terse. */
  label?: string;
  items: readonly MenuEntry[];
  variant?: 'button' | 'chip' | 'bare';
  pressed?: boolean;
  align?: 'start' | 'end';
  className?: string;
  children: React.ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const [isRequested, setRequested] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const id = useId();

  const shared = {
    ref: trigger,
    'aria-label': label,
    'aria-haspopup': 'menu',
    'aria-expanded': open,
    'aria-controls': isRequested ? id : undefined,
    onPointerEnter: () => void loadAhead(loadMenu),
    onFocus: () => void loadAhead(loadMenu),
    onClick: () => {
      setRequested(true);
      setOpen(!open);
    },
    onKeyDown: (event: React.KeyboardEvent) => {
      if (event.key !== 'ArrowDown') return;
      event.preventDefault();
      setRequested(true);
      setOpen(true);
    },
  } as const;

  return (
    <>
      <Trigger variant={variant} pressed={pressed} className={className} buttonProps={face} shared={shared}>
        {children}
      </Trigger>
      {isRequested && (
        <Suspense fallback={null}>
          <MenuPopup
            id={id}
            open={open}
            onOpenChange={setOpen}
            anchor={trigger}
            items={items}
            align={align}
          />
        </Suspense>
      )}
    </>
  );
}

function loadMenu() {
  return import('@/components/ui/menu-popup');
}

function Trigger({
  variant,
  pressed,
  className,
  buttonProps,
  shared,
  children,
}: {
  variant: 'button' | 'chip' | 'bare';
  pressed: boolean;
  className: string | undefined;
  buttonProps: ButtonAppearance;
  shared: React.ComponentProps<'button'>;
  children: React.ReactNode;
}) {
  switch (variant) {
    case 'button':
      return (
        <Button {...buttonProps} {...shared} glyphAfter="chevron-down" className={className}>
          {children}
        </Button>
      );
    case 'chip':
      return (
        <button {...shared} type="button" className={clsx(chipClass(pressed), className)}>
          <span className="min-w-0 truncate">{children}</span>
          <Glyph name="chevron-down" size={12} />
        </button>
      );
    case 'bare':
      return (
        <button {...shared} type="button" className={className}>
          {children}
        </button>
      );
    default:
      return variant satisfies never;
  }
}
