import { vi } from 'vitest';

/** What a page navigated to. One for all files, because what they load is loaded once: `push.mockReset()` first. */
export const push = vi.fn<(href: string) => void>();

/** In place of Next's: `vi.mock('next/navigation', () => import('@/test/router'))`. */
export function useRouter() {
  return { push };
}
