'use client';

import { useEffect, useState } from 'react';
import { Toast } from '@base-ui/react/toast';
import { clsx } from 'clsx';
import { Button, IconButton } from '@/components/ui/button';
import { Glyph } from '@/components/ui/glyph';
import { subscribeToasts, drainToasts, type ToastMessage } from '@/components/ui/toast-queue';

const SHOWN_MS = 6_000;

/**
 * The stack of toasts at the lower edge, on a phone below the bar, where no button is. It imports Base UI, so only
 * `Toasts` loads it.
 */
export function ToastViewport() {
  const [manager] = useState(() => Toast.createToastManager<{ message: ToastMessage }>());

  useEffect(() => {
    function showAll() {
      for (const message of drainToasts()) {
        manager.add({
          title: message.title,
          description: message.body,
          type: message.tone ?? 'info',
          priority: message.tone === 'bad' ? 'high' : 'low',
          timeout: message.timeoutMs ?? SHOWN_MS,
          data: { message },
        });
      }
    }
    showAll();
    return subscribeToasts(showAll);
  }, [manager]);

  return (
    <Toast.Provider toastManager={manager}>
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 z-50 grid w-[360px] max-w-[calc(100vw-32px)] gap-2 outline-none max-desk:top-[calc(var(--top)+8px)] desk:bottom-[calc(var(--foot)+12px)]">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts, close } = Toast.useToastManager<{ message: ToastMessage }>();
  return toasts.map((toast) => {
    const action = toast.data?.message.action;
    return (
      <Toast.Root
        key={toast.id}
        toast={toast}
        className={clsx(
          'rounded-3 bg-raised py-2 pr-1.5 pl-3.5 shadow-menu transition-[opacity,translate] duration-(--calm)',
          'data-[ending-style]:opacity-0 data-[limited]:hidden data-[starting-style]:translate-y-1 data-[starting-style]:opacity-0',
        )}
      >
        <Toast.Content className="flex items-start gap-2.5">
          <ToastGlyph type={toast.type} />
          <div className="min-w-0 flex-1 py-1">
            <Toast.Title className="font-medium [overflow-wrap:anywhere]" />
            <Toast.Description className="text-[12.5px]/[18px] text-ink-2 [overflow-wrap:anywhere]" />
            {action && (
              <Button
                size="small"
                className="mt-1.5"
                onClick={() => {
                  action.onSelect();
                  close(toast.id);
                }}
              >
                {action.label}
              </Button>
            )}
          </div>
          <Toast.Close render={<IconButton glyph="close" label="Close" />} />
        </Toast.Content>
      </Toast.Root>
    );
  });
}

function ToastGlyph({ type }: { type: string | undefined }) {
  if (type === 'good') return <Glyph name="complete" className="mt-2 text-complete" />;
  if (type === 'bad') return <Glyph name="stuck" className="mt-2 text-stuck" />;
  return <Glyph name="info" className="mt-2 text-ink-3" />;
}
