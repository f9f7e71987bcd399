'use client';

const YEAR_SECONDS = 31_536_000;

/**
 * Hides the strip now and on the next visits. A cookie, as for the theme: the server renders the page without it, so
 * nothing moves after the first paint.
 */
export function closeSandboxStrip(): void {
  document.documentElement.dataset.sandboxStrip = 'closed';
  document.cookie = `sandbox-strip=closed; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
}
