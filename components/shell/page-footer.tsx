'use client';

import { Kbd } from '@/components/ui/kbd';
import { ZoneNote } from '@/components/ui/zone-note';
import { usePageKeys } from '@/components/ui/key-hints';
import { showOverlay } from '@/components/shell/overlay';

/** The keys of the page, always visible on a desktop. */
export function PageFooter() {
  const page = usePageKeys();
  return (
    <footer
      aria-label="Keys of this page"
      className="sticky bottom-0 z-20 flex h-8 flex-none items-center gap-4 overflow-hidden border-t border-line bg-surface px-gutter text-small whitespace-nowrap text-ink-3 low:static max-desk:hidden"
    >
      {page?.items.map(({ keys, label }) => (
        <span key={label} className="inline-flex items-center gap-[5px]">
          <span className="sr-only">{keys.join(' or ')}</span>
          {keys.map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
          {label}
        </span>
      ))}
      <button
        type="button"
        onClick={() => showOverlay('shortcuts')}
        className="inline-flex h-6 items-center gap-[5px] rounded-2 hover:text-ink"
      >
        <Kbd>?</Kbd> all keys
      </button>
      <span className="ml-auto flex min-w-0 gap-4">
        {page?.note && <span className="truncate">{page.note}</span>}
        <ZoneNote />
      </span>
    </footer>
  );
}
