'use client';

import { clsx } from 'clsx';
import { useModKey } from '@/components/ui/mod-key';

/**
 * A key as printed on it, ⌘ as Ctrl where there is none. Hidden from assistive technology by default: its control has
 * its own name.
 */
export function Kbd({ children, className }: { children: string; className?: string }) {
  const print = useModKey();
  return (
    <kbd
      aria-hidden="true"
      className={clsx(
        'inline-block min-w-[18px] rounded-2 border border-line border-b-line-2 bg-surface px-1 text-center font-sans text-micro whitespace-nowrap text-ink-3',
        'group-data-[tone=primary]/btn:border-current/35 group-data-[tone=primary]/btn:bg-transparent group-data-[tone=primary]/btn:text-current group-data-[tone=primary]/btn:opacity-85',
        className,
      )}
    >
      {children.startsWith('⌘') ? print(children.slice(1)) : children}
    </kbd>
  );
}
