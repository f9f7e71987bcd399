'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useDestinations } from '@/components/shell/destinations';
import { showOverlay } from '@/components/shell/overlay';
import { Glyph } from '@/components/ui/glyph';

/** The main places, in the bar at the top. */
export function MainNav() {
  const pathname = usePathname();
  const destinations = useDestinations();
  return (
    <nav aria-label="Main" className="flex h-full gap-0.5 max-desk:hidden">
      {destinations.map((place) => (
        <Link
          key={place.href}
          href={place.href}
          aria-current={currentOf(place.holds(pathname), pathname === place.href)}
          className="relative inline-flex items-center px-[9px] text-ink-2 hover:text-ink aria-[current]:font-medium aria-[current]:text-ink aria-[current]:after:absolute aria-[current]:after:inset-x-[9px] aria-[current]:after:-bottom-px aria-[current]:after:h-0.5 aria-[current]:after:bg-ink"
        >
          {place.label}
        </Link>
      ))}
    </nav>
  );
}

/** The same under the thumb, with the search as the last tab. */
export function TabBar() {
  const pathname = usePathname();
  const destinations = useDestinations();
  return (
    <nav
      aria-label="Main, at the bottom"
      className="fixed inset-x-0 bottom-0 z-30 hidden h-14 grid-flow-col border-t border-line bg-surface [grid-auto-columns:1fr] max-desk:grid"
    >
      {destinations.map((place) => (
        <Link
          key={place.href}
          href={place.href}
          aria-current={currentOf(place.holds(pathname), pathname === place.href)}
          className={`${tabClass} aria-[current]:text-ink`}
        >
          <Glyph name={place.glyph} size={18} />
          {place.label}
        </Link>
      ))}
      <button type="button" onClick={() => showOverlay('palette')} className={tabClass}>
        <Glyph name="search" size={18} />
        Search
      </button>
    </nav>
  );
}

const tabClass =
  'grid place-content-center justify-items-center gap-[3px] text-[11px]/[13px] font-medium text-ink-3';

function currentOf(holds: boolean, isPage: boolean): 'page' | 'true' | undefined {
  if (isPage) return 'page';
  return holds ? 'true' : undefined;
}
