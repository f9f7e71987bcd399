'use client';

import { clsx } from 'clsx';
import { resolveValue, toast, useToaster } from 'react-hot-toast/headless';
import { IconButton } from '@/components/ui/button';
import { Glyph } from '@/components/ui/glyph';

interface ToastMessage {
  title: string;
  body?: string;
  tone?: 'info' | 'good' | 'bad';
}

const SHOWN_MS = 6_000;
/** As `--calm`, in which a toast fades. */
const FADE_MS = 180;

/** Shows the result of an action of the viewer for a few seconds. The same must be readable elsewhere. */
export function showToast(message: ToastMessage): void {
  toast(<ToastText {...message} />, { duration: SHOWN_MS, removeDelay: FADE_MS });
}

/**
 * The place of the toasts, once on the page: at the lower edge, on a phone below the bar, where no button is. Screen
 * readers tell what is added to a live region that they know.
 */
export function Toasts() {
  const { toasts, handlers } = useToaster();
  return (
    <div
      aria-live="polite"
      onPointerEnter={handlers.startPause}
      onPointerLeave={handlers.endPause}
      onFocus={handlers.startPause}
      onBlur={handlers.endPause}
      className="fixed right-4 z-50 grid w-[360px] max-w-[calc(100vw-32px)] gap-2 max-desk:top-[calc(var(--top)+8px)] desk:bottom-[calc(var(--foot)+12px)]"
    >
      {toasts.map((each) => (
        <div
          key={each.id}
          className={clsx(
            'flex items-start gap-2.5 rounded-3 bg-raised py-2 pr-1.5 pl-3.5 shadow-menu',
            'transition-[opacity,translate] duration-(--calm) starting:translate-y-1 starting:opacity-0',
            !each.visible && 'opacity-0',
          )}
        >
          {resolveValue(each.message, each)}
          <IconButton glyph="close" label="Close" onClick={() => toast.dismiss(each.id)} />
        </div>
      ))}
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
