'use client';

import { useEffect, useState, useSyncExternalStore } from 'react';
import { clsx } from 'clsx';
import { IconButton } from '@/components/ui/button';
import { Glyph } from '@/components/ui/glyph';
import { createListeners } from '@/components/ui/listeners';

interface ToastMessage {
  title: string;
  body?: string;
  tone?: 'info' | 'good' | 'bad';
}

interface Toast extends ToastMessage {
  id: number;
}

const SHOWN_MS = 6_000;
/** As `--calm`, in which a toast fades. */
const FADE_MS = 180;

/** The newest first. */
let toasts: readonly Toast[] = [];
const none: readonly Toast[] = [];
let lastId = 0;
const { subscribe, notify } = createListeners();

/** Shows the result of an action of the viewer for a few seconds. The same must be readable elsewhere. */
export function showToast(message: ToastMessage): void {
  lastId += 1;
  change([{ ...message, id: lastId }, ...toasts]);
}

/**
 * The place of the toasts, once on the page: at the lower edge, on a phone below the bar, where no button is. Screen
 * readers tell what is added to a live region that they know.
 */
export function Toasts() {
  const shown = useSyncExternalStore(
    subscribe,
    () => toasts,
    () => none,
  );
  const [isHeld, setHeld] = useState(false);
  const hold = () => setHeld(true);
  const release = () => setHeld(false);
  return (
    <div
      aria-live="polite"
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocus={hold}
      onBlur={release}
      className="fixed right-4 z-50 grid w-[360px] max-w-[calc(100vw-32px)] gap-2 max-desk:top-[calc(var(--top)+8px)] desk:bottom-[calc(var(--foot)+12px)]"
    >
      {shown.map((toast) => (
        // A button that goes with its toast may not tell that it has lost the focus.
        <ToastBox key={toast.id} toast={toast} held={isHeld} onClose={release} />
      ))}
    </div>
  );
}

/** One of them: it fades after its time, which begins again when the viewer has left the toasts. */
function ToastBox({ toast, held, onClose }: { toast: Toast; held: boolean; onClose: () => void }) {
  const [isClosing, setClosing] = useState(false);
  const { id } = toast;
  useEffect(() => {
    if (held && !isClosing) return;
    const timer = isClosing
      ? setTimeout(() => change(toasts.filter((each) => each.id !== id)), FADE_MS)
      : setTimeout(() => setClosing(true), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, held, isClosing]);
  function close() {
    setClosing(true);
    onClose();
  }
  return (
    <div
      className={clsx(
        'flex items-start gap-2.5 rounded-3 bg-raised py-2 pr-1.5 pl-3.5 shadow-menu',
        'transition-[opacity,translate] duration-(--calm) starting:translate-y-1 starting:opacity-0',
        isClosing && 'opacity-0',
      )}
    >
      <ToastText {...toast} />
      <IconButton glyph="close" label="Close" onClick={close} />
    </div>
  );
}

function ToastText({ title, body, tone = 'info' }: ToastMessage) {
  return (
    <>
      <ToastGlyph tone={tone} />
      <div className="min-w-0 flex-1 py-1 [overflow-wrap:anywhere]">
        <p className="font-medium">{title}</p>
        {body !== undefined && <p className="text-[12.5px]/[18px] text-ink-2">{body}</p>}
      </div>
    </>
  );
}

function ToastGlyph({ tone }: Required<Pick<ToastMessage, 'tone'>>) {
  if (tone === 'good') return <Glyph name="complete" className="mt-2 text-complete" />;
  if (tone === 'bad') return <Glyph name="stuck" className="mt-2 text-stuck" />;
  return <Glyph name="info" className="mt-2 text-ink-3" />;
}

function change(next: readonly Toast[]): void {
  toasts = next;
  notify();
}
