'use client';

import { useRef } from 'react';
import { Dialog as Base } from '@base-ui/react/dialog';
import { clsx } from 'clsx';
import { IconButton } from '@/components/ui/button';
import { DialogContent, useFinalFocus } from '@/components/ui/final-focus';

const widths = { small: 'desk:w-[480px]', medium: 'desk:w-[780px]', large: 'desk:w-[940px]' } as const;

/**
 * A modal dialog; the whole screen at 720 px and below, with `footer` under the thumb. Focus is trapped, returns to
 * what had it or to the page where a key opened it, Escape closes. Load the file that uses it with
 * `lazily`: it brings Base UI.
 *
 * - `title` names it; `subtitle` follows the title.
 * - `footer` stays in view; give it `<DialogActions>`.
 * - `dismissible={false}` while closing would lose input: a press outside is then ignored, Escape still works.
 * - `closable={false}` where the page has no use without an answer: there is no button to close it.
 * - `initialFocus` is the element to start in; without it the body, so that the title is read out and the arrow keys
 *   scroll.
 */
export function Dialog({
  open,
  onOpenChange,
  title,
  subtitle,
  size = 'medium',
  footer,
  dismissible = true,
  closable = true,
  initialFocus,
  children,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: React.ReactNode;
  subtitle?: React.ReactNode;
  size?: keyof typeof widths;
  footer?: React.ReactNode;
  dismissible?: boolean;
  closable?: boolean;
  initialFocus?: React.RefObject<HTMLElement | null>;
  children: React.ReactNode;
}) {
  const body = useRef<HTMLDivElement>(null);
  const finalFocus = useFinalFocus(open);
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)} disablePointerDismissal={!dismissible}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-scrim transition-opacity duration-(--calm) data-[ending-style]:opacity-0 data-[starting-style]:opacity-0" />
        <Base.Popup
          data-modal=""
          initialFocus={initialFocus ?? body}
          finalFocus={finalFocus}
          className={clsx(
            'fixed inset-0 z-41 m-auto flex h-dvh w-full flex-col overflow-hidden bg-raised text-ink outline-none',
            'desk:h-fit desk:max-h-[calc(100dvh-48px)] desk:max-w-[calc(100vw-32px)] desk:rounded-4 desk:shadow-dialog low:max-h-dvh!',
            'transition-[opacity,translate] duration-(--calm) data-[ending-style]:opacity-0 data-[starting-style]:translate-y-1 data-[starting-style]:opacity-0',
            widths[size],
          )}
        >
          <header className="flex flex-none items-start gap-x-2.5 px-6 pt-4 pb-3 max-desk:px-4 max-desk:pt-2.5 max-desk:pb-2 low:py-1!">
            <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2.5 [overflow-wrap:anywhere]">
              <Base.Title className="text-title">{title}</Base.Title>
              {subtitle && <div className="text-small text-ink-3 max-desk:w-full low:hidden">{subtitle}</div>}
            </div>
            {closable && (
              <Base.Close
                render={<IconButton glyph="close" label="Close" className="-my-1 -mr-2 max-desk:-my-2" />}
              />
            )}
          </header>
          <div
            ref={body}
            tabIndex={0}
            className="min-h-0 flex-1 overflow-y-auto overscroll-contain -outline-offset-2"
          >
            <DialogContent>{children}</DialogContent>
          </div>
          {footer && (
            <footer className="flex-none border-t border-line bg-raised px-6 py-3 max-desk:px-4 max-desk:pb-[max(12px,env(safe-area-inset-bottom))] low:pt-1.5 low:pb-[max(6px,env(safe-area-inset-bottom))]!">
              {footer}
            </footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** A padded section of a dialog's body. */
export function DialogSection({ className, children }: { className?: string; children: React.ReactNode }) {
  return <div className={clsx('px-6 py-4 max-desk:px-4', className)}>{children}</div>;
}

/**
 * The line of buttons at the end of a dialog: a note at the start, the confirming button last. At 360 px the note is
 * above, the buttons are 46 px high and the last one takes the remaining width.
 */
export function DialogActions({ note, children }: { note?: React.ReactNode; children: React.ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-end gap-2 max-desk:[&>a]:h-[46px] max-desk:[&>button]:h-auto max-desk:[&>button]:min-h-[46px] max-desk:[&>button:last-child]:min-w-0 max-desk:[&>button:last-child]:flex-1 max-desk:[&>button:last-child]:py-1.5 max-desk:[&>button:last-child]:whitespace-normal max-desk:[&>button:last-child]:[overflow-wrap:anywhere] max-desk:[&>button:last-child]:text-[15px] low:flex-nowrap low:[&>a]:h-9! low:[&>button]:h-9! low:[&>button]:min-h-9! low:[&>button:last-child]:flex-none!">
      <div className="mr-auto inline-flex items-center gap-[7px] text-small text-ink-3 empty:hidden max-desk:w-full low:w-auto!">
        {note}
      </div>
      {children}
    </div>
  );
}
