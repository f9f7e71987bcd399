import { useMemo, useSyncExternalStore } from 'react';
import { vi } from 'vitest';

/** What a page navigated to. One for all files, because what they load is loaded once: `push.mockReset()` first. */
export const push = vi.fn<(href: string) => void>();

/** In place of Next's: `vi.mock('next/navigation', () => import('@/test/router'))`. */
export function useRouter() {
  return { push };
}

/** Opens the page at an address, such as `?q=cart`. */
export function setSearch(search: string): void {
  window.history.replaceState(null, '', `/${search}`);
}

export function usePathname(): string {
  return window.location.pathname;
}

/** Follows the browser's history, as Next's does. */
export function useSearchParams(): URLSearchParams {
  const search = useSyncExternalStore(subscribe, () => window.location.search);
  return useMemo(() => new URLSearchParams(search), [search]);
}

const listeners = new Set<() => void>();
const followed = new WeakSet<History>();

function subscribe(listener: () => void): () => void {
  follow(window.history);
  listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', listener);
  };
}

/** Each file has a window of its own. */
function follow(history: History): void {
  if (followed.has(history)) return;
  followed.add(history);
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name].bind(history);
    history[name] = (...change) => {
      original(...change);
      for (const listener of [...listeners]) listener();
    };
  }
}
