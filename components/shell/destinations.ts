import { type GlyphName } from '@/components/ui/glyph';

export interface Destination {
  href: string;
  label: string;
  glyph: GlyphName;
  /** Sequence of keys that goes there. */
  keys: string;
  /** Whether a page belongs to it. */
  holds: (pathname: string) => boolean;
}

/** The main places, in the order of the navigation. */
export const destinations: readonly Destination[] = [
  {
    href: '/',
    label: 'Fleet',
    glyph: 'list',
    keys: 'g f',
    holds: (pathname) => pathname === '/' || pathname.startsWith('/workloads/'),
  },
];
