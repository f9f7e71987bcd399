'use client';

import { useSyncExternalStore } from 'react';

const subscribeToNothing = () => () => undefined;
const isApple = () => /mac|iphone|ipad/i.test(navigator.userAgent);

/** Label of a shortcut with the command key: ⌘K on Apple keyboards, Ctrl K elsewhere. */
export function useModKey(): (key: string) => string {
  const apple = useSyncExternalStore(subscribeToNothing, isApple, () => false);
  return (key) => withMod(key, apple);
}

function withMod(key: string, apple: boolean): string {
  return apple ? `⌘${key}` : `Ctrl ${key}`;
}
