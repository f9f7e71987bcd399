'use client';

import { useSyncExternalStore } from 'react';
import { createListeners } from '@/components/ui/listeners';

type Theme = 'system' | 'light' | 'dark';

export const themes: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

const YEAR_SECONDS = 31_536_000;
const { subscribe, notify } = createListeners();

/**
 * Sets the theme now and for the next visits. A cookie instead of local storage, so that the server renders the page
 * in the right theme: no flash, and no script before the first paint.
 */
export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  document.cookie =
    theme === 'system'
      ? 'theme=; path=/; max-age=0; samesite=lax'
      : `theme=${theme}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
  notify();
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme, () => 'system');
}

function readTheme(): Theme {
  const theme = document.documentElement.dataset.theme;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}
