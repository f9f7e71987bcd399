'use client';

import { useSyncExternalStore } from 'react';
import { clsx } from 'clsx';

const symbols: Record<string, string> = {
  enter: '↵',
  escape: 'esc',
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  '-': '−',
  ' ': 'Space',
};

/** A key, named as in `useShortcuts`, as printed on this keyboard: `mod+k` is ⌘K on Apple's, Ctrl K elsewhere. */
export function useKeyText(): (combo: string) => string {
  const isApple = useSyncExternalStore(subscribeToNothing, isAppleKeyboard, () => false);
  return (combo) => {
    const key = combo.replace(/^mod\+/, '');
    const text = symbols[key] ?? key;
    return key === combo ? text : `${isApple ? '⌘' : 'Ctrl '}${text.toUpperCase()}`;
  };
}

const subscribeToNothing = () => () => undefined;
const isAppleKeyboard = () => /mac|iphone|ipad/i.test(navigator.userAgent);

/** A key as printed on it. Hidden from assistive technology by default: its control has its own name. */
export function Kbd({ children, className }: { children: string; className?: string }) {
  const textOf = useKeyText();
  return (
    <kbd
      aria-hidden="true"
      className={clsx(
        'inline-block min-w-[18px] rounded-2 border border-line border-b-line-2 bg-surface px-1 text-center font-sans text-micro whitespace-nowrap text-ink-3',
        'group-data-[tone=primary]/btn:border-current/35 group-data-[tone=primary]/btn:bg-transparent group-data-[tone=primary]/btn:text-current group-data-[tone=primary]/btn:opacity-85',
        className,
      )}
    >
      {textOf(children)}
    </kbd>
  );
}
