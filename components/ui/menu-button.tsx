'use client';

import { lazy, Suspense, useId, useRef, useState } from 'react';
import { clsx } from 'clsx';
import { Button, type ButtonLook } from '@/components/ui/button';
import { chipClass } from '@/components/ui/chip';
import { Glyph, type GlyphName } from '@/components/ui/glyph';

export interface MenuAction {
  label: string;
  /** Beside the label, quieter. */
  hint?: React.ReactNode;
  glyph?: GlyphName;
  /** Present for what is chosen or not: a check mark stands before it. */
  checked?: boolean;
  /** Says why it can't be done now; it stays in the list. */
  disabledReason?: string;
  tone?: 'danger';
  kbd?: string;
  /** An address instead of `onSelect`. */
  href?: string;
  onSelect?: () => void;
}

export type MenuEntry = MenuAction | { heading: string } | 'separator';

const loadPopup = () => import('@/components/ui/menu-popup');
const MenuPopup = lazy(async () => ({ default: (await loadPopup()).MenuPopup }));

/**
 * A button that opens a menu. The menu itself is loaded when the pointer or the focus comes near.
 * `<MenuButton label="More actions" items={[{ label: 'Restart…', onSelect }]}>More</MenuButton>`
 * `look="chip"` for filters; `pressed` then says that one is in force. `look="bare"` leaves the looks to `className`.
 */
export function MenuButton({
  label,
  items,
  look = 'button',
  pressed = false,
  align = 'start',
  className,
  children,
  ...face
}: Omit<ButtonLook, 'glyphAfter'> & {
  /** Name for assistive technology where the children are terse. */
  label?: string;
  items: readonly MenuEntry[];
  look?: 'button' | 'chip' | 'bare';
  pressed?: boolean;
  align?: 'start' | 'end';
  className?: string;
  children: React.ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const [wanted, setWanted] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const id = useId();

  const shared = {
    ref: trigger,
    'aria-label': label,
    'aria-haspopup': 'menu',
    'aria-expanded': open,
    'aria-controls': open ? id : undefined,
    onPointerEnter: () => void loadPopup(),
    onFocus: () => void loadPopup(),
    onClick: () => {
      setWanted(true);
      setOpen(!open);
    },
    onKeyDown: (event: React.KeyboardEvent) => {
      if (event.key !== 'ArrowDown') return;
      event.preventDefault();
      setWanted(true);
      setOpen(true);
    },
  } as const;

  return (
    <>
      <Trigger look={look} pressed={pressed} className={className} face={face} shared={shared}>
        {children}
      </Trigger>
      {wanted && (
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

function Trigger({
  look,
  pressed,
  className,
  face,
  shared,
  children,
}: {
  look: 'button' | 'chip' | 'bare';
  pressed: boolean;
  className: string | undefined;
  face: ButtonLook;
  shared: React.ComponentProps<'button'>;
  children: React.ReactNode;
}) {
  switch (look) {
    case 'button':
      return (
        <Button {...face} {...shared} glyphAfter="chevron-down" className={className}>
          {children}
        </Button>
      );
    case 'chip':
      return (
        <button {...shared} type="button" className={clsx(chipClass(pressed), className)}>
          {children}
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
      return look satisfies never;
  }
}
