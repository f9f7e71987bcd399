'use client';

import { showOverlay } from '@/components/shell/overlay';
import { IconButton } from '@/components/ui/button';
import { Glyph } from '@/components/ui/glyph';
import { useClusters } from '@/components/queries/cluster';

/** Says that the cluster is simulated, until it is closed; the chip next to the cluster's name remains. */
export function SandboxStrip() {
  const { list, isSeveral } = useClusters();
  if (list?.sandbox !== true) return null;
  return (
    <aside
      aria-label="About the demo data"
      className="flex items-center gap-2.5 border-b border-line bg-accent-soft px-gutter py-1 text-small text-ink-2 in-[[data-sandbox-strip=closed]]:hidden low:hidden max-desk:items-start max-desk:py-2"
    >
      <Glyph name="info" className="flex-none text-accent max-desk:mt-0.5" />
      <p className="min-w-0 flex-1">
        <b className="font-medium text-ink">Demo data:</b>{' '}
        {isSeveral ? 'simulated clusters' : 'a simulated cluster'} inside Shiplog. Try anything; nothing
        outside this process changes.{' '}
        <button
          type="button"
          className="rounded-2 font-medium text-accent underline-offset-2 hover:underline"
          onClick={() => showOverlay('connect')}
        >
          Connect your cluster
        </button>
      </p>
      <IconButton
        glyph="close"
        label="Dismiss"
        className="-mr-1.5 max-desk:-my-2"
        onClick={closeSandboxStrip}
      />
    </aside>
  );
}

const YEAR_SECONDS = 31_536_000;

/**
 * Hides the strip now and on the next visits. A cookie, as for the theme: the server renders the page without it, so
 * nothing moves after the first paint.
 */
function closeSandboxStrip(): void {
  document.documentElement.dataset.sandboxStrip = 'closed';
  document.cookie = `sandbox-strip=closed; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
}
