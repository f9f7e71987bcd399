'use client';

import { useSyncExternalStore } from 'react';

const never = () => () => undefined;
const isApple = () => /mac|iphone|ipad/i.test(navigator.userAgent);

/** How a key with the command key is printed here: ⌘K on Apple's keyboards, Ctrl K elsewhere. */
export function useModKey(): (key: string) => string {
  const apple = useSyncExternalStore(never, isApple, () => false);
  return (key) => withMod(key, apple);
}

function withMod(key: string, apple: boolean): string {
  return apple ? `⌘${key}` : `Ctrl ${key}`;
}
