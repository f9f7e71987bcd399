'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { clsx } from 'clsx';
import { type Destination, useDestinations } from '@/components/shell/destinations';
import { Glyph } from '@/components/ui/glyph';
import { MenuButton } from '@/components/ui/menu-button';

/** The main pages, in the bar at the top. */
export function MainNav() {
  const pathname = usePathname();
  const destinations = useDestinations();
  return (
    <nav aria-label="Main" className="flex h-full gap-0.5 max-desk:hidden">
      {destinations.map((place) => (
        <Link
          key={place.href}
          href={place.href}
          aria-current={currentOf(place, pathname)}
          className="relative inline-flex items-center px-[9px] text-ink-2 hover:text-ink aria-[current]:font-medium aria-[current]:text-ink aria-[current]:after:absolute aria-[current]:after:inset-x-[9px] aria-[current]:after:-bottom-px aria-[current]:after:h-0.5 aria-[current]:after:bg-ink"
        >
          {place.label}
        </Link>
      ))}
    </nav>
  );
}

/** The main pages on a phone: as many tabs as fit, and a menu of the others. */
export function TabBar() {
  const pathname = usePathname();
  const destinations = useDestinations();
  const isFew = destinations.length <= TABS_MAX;
  const tabs = isFew ? destinations : destinations.filter(({ hasTab }) => hasTab);
  const others = destinations.filter((place) => !tabs.includes(place));
  return (
    <nav
      aria-label="Main, at the bottom"
      className="fixed inset-x-0 bottom-0 z-30 hidden h-(--tabs) grid-flow-col border-t border-line bg-surface [grid-auto-columns:1fr] max-desk:grid"
    >
      {tabs.map((place) => (
        <Link
          key={place.href}
          href={place.href}
          aria-current={currentOf(place, pathname)}
          className={`${tabClass} text-ink-3 aria-[current]:text-ink`}
        >
          <Glyph name={place.glyph} size={18} />
          {place.label}
        </Link>
      ))}
      {others.length > 0 && (
        <MenuButton
          variant="bare"
          align="end"
          items={others.map((place) => ({
            ...{ href: place.href, label: place.label, glyph: place.glyph },
            checked: currentOf(place, pathname) !== undefined,
          }))}
          className={clsx(
            tabClass,
            others.some((place) => currentOf(place, pathname)) ? 'text-ink' : 'text-ink-3',
          )}
        >
          <Glyph name="more" size={18} />
          More
        </MenuButton>
      )}
    </nav>
  );
}

const TABS_MAX = 4;

const tabClass =
  'grid place-content-center place-items-center gap-[3px] text-[12px]/[14px] font-medium low:grid-flow-col low:gap-2';

/** Whether the page is the destination, or one of those below it. */
function currentOf({ href, also }: Destination, pathname: string): 'page' | 'true' | undefined {
  if (pathname === href) return 'page';
  return [href, also].some((root) => pathname.startsWith(`${root}/`)) ? 'true' : undefined;
}
