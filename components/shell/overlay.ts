'use client';

import { useSyncExternalStore } from 'react';
import { collectTyping, takeTyped } from '@/components/shell/typed-ahead';

/** Overlays that the shell can open on any page. */
export type Overlay = 'palette' | 'shortcuts' | 'connect';

let shown: Overlay | null = null;
const listeners = new Set<() => void>();

export function showOverlay(overlay: Overlay | null): void {
  if (overlay === 'palette' && shown !== 'palette') collectTyping();
  if (overlay === null) takeTyped();
  shown = overlay;
  for (const listener of [...listeners]) listener();
}

export function useOverlay(): Overlay | null {
  return useSyncExternalStore(
    subscribe,
    () => shown,
    () => null,
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
