'use client';

import { useSyncExternalStore } from 'react';
import { collectTyping, takeTyped } from '@/components/shell/typed-ahead';
import { createListeners } from '@/components/ui/listeners';

/** Overlays that the shell can open on any page. */
export type Overlay = 'palette' | 'shortcuts' | 'connect';

let shown: Overlay | null = null;
const { subscribe, notify } = createListeners();

export function showOverlay(overlay: Overlay | null): void {
  if (overlay === 'palette' && shown !== 'palette') collectTyping();
  if (overlay === null) takeTyped();
  shown = overlay;
  notify();
}

export function useOverlay(): Overlay | null {
  return useSyncExternalStore(
    subscribe,
    () => shown,
    () => null,
  );
}
