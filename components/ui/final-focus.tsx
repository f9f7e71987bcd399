'use client';

import { createContext, use, useLayoutEffect, useRef } from 'react';

type Opener = React.RefObject<Element | null>;

/** Of the first of several dialogs that follow one another: the later ones are opened by buttons that are gone. */
const FirstOpener = createContext<Opener | null>(null);

/** Around dialogs that replace one another: closing the last one returns the focus to what opened the first. */
export function DialogSequence({ open, children }: { open: boolean; children: React.ReactNode }) {
  return <FirstOpener value={useOpener(open)}>{children}</FirstOpener>;
}

/** Around the content of a dialog: what it opens returns the focus to it. */
export function DialogContent({ children }: { children: React.ReactNode }) {
  return <FirstOpener value={null}>{children}</FirstOpener>;
}

/**
 * For `finalFocus` of Base UI: what had the focus before the dialog opened. Where nothing had it, because a key opened
 * the dialog, or where it is gone, the page itself, whose keys then work; Base UI would take its first link.
 */
export function useFinalFocus(open: boolean): () => HTMLElement | false {
  const own = useOpener(open);
  const opener = use(FirstOpener) ?? own;
  return () => {
    const element = opener.current;
    if (element instanceof HTMLElement && element !== document.body && element.isConnected) return element;
    // Once the dialog is gone.
    queueMicrotask(() => document.getElementById('main')?.focus({ preventScroll: true }));
    return false;
  };
}

function useOpener(open: boolean): Opener {
  const opener = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (open) opener.current = buttonOf(document.activeElement);
  }, [open]);
  return opener;
}

/** An entry of a menu is gone once it has opened a dialog; the button of its menu is not. */
function buttonOf(element: Element | null): Element | null {
  const menu = element?.closest('[role=menu]');
  return menu ? document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`) : element;
}
