'use client';

import { showOverlay } from '@/components/shell/overlay';
import { Glyph } from '@/components/ui/glyph';
import { Kbd } from '@/components/ui/kbd';
import { loadAhead } from '@/components/ui/lazy-part';

/** Opens the palette; preloads it when the pointer comes near. */
export function FindButton() {
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-keyshortcuts="Meta+K Control+K"
      onPointerEnter={() => void loadAhead(() => import('@/components/shell/command-palette'))}
      onClick={() => showOverlay('palette')}
      className="inline-flex h-7 w-[150px] items-center gap-2 rounded-3 border border-line-2 bg-surface pr-1.5 pl-[9px] text-small text-ink-3 transition-colors hover:border-control max-desk:size-8 max-desk:justify-center max-desk:px-0 wide:w-[208px]"
    >
      <Glyph name="search" />
      <span className="truncate max-desk:sr-only">Search or jump to</span>
      <Kbd className="ml-auto max-desk:hidden">mod+k</Kbd>
    </button>
  );
}
