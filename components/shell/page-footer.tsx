'use client';

import { Kbd, useKeyText } from '@/components/ui/kbd';
import { ZoneNote } from '@/components/ui/zone-note';
import { useFooterNote } from '@/components/ui/footer-note';
import { keysNotReady, useKeyHints } from '@/components/ui/shortcuts';
import { showOverlay } from '@/components/shell/overlay';

/** The keys of the page on a desktop, as soon as they work. */
export function PageFooter() {
  const hints = useKeyHints();
  const note = useFooterNote();
  const textOf = useKeyText();
  return (
    <footer
      aria-label="Keys of this page"
      className="sticky bottom-0 z-20 flex h-8 flex-none items-center gap-4 overflow-hidden border-t border-line bg-surface px-gutter text-small whitespace-nowrap text-ink-3 low:static max-desk:hidden"
    >
      {/* A key without room wraps out of sight; the button lists all keys. */}
      <span className="flex h-6 min-w-0 flex-wrap gap-x-4 overflow-hidden empty:hidden">
        {hints.map(({ combos, label }) => (
          <span key={label} className="inline-flex h-6 items-center gap-[5px]">
            <span className="sr-only">{combos.map(textOf).join(' or ')}</span>
            {combos.map((combo) => (
              <Kbd key={combo}>{combo}</Kbd>
            ))}
            {label}
          </span>
        ))}
      </span>
      {hints !== keysNotReady && (
        <button
          type="button"
          onClick={() => showOverlay('shortcuts')}
          className="inline-flex h-6 flex-none items-center gap-[5px] rounded-2 hover:text-ink"
        >
          <Kbd>?</Kbd> all keys
        </button>
      )}
      <span className="ml-auto min-w-0 shrink-[999] truncate">{note}</span>
      <span className="flex flex-none">
        <ZoneNote />
      </span>
    </footer>
  );
}
