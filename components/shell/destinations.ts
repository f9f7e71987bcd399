'use client';

import { type GlyphName } from '@/components/ui/glyph';
import { listPath, useStoredClusters } from '@/components/shared/stored-clusters';
import { useClusters } from '@/components/queries/clusters';

export interface Destination {
  href: string;
  /** Without the clusters that its list starts with. */
  path: string;
  label: string;
  glyph: GlyphName;
  /** Key sequence of the destination. */
  keys: string;
  /** Whether a page belongs to the destination. */
  holds: (pathname: string) => boolean;
  /** On a phone, which has room for few, it has a tab of its own. */
  hasTab: boolean;
  /** Hidden where nothing is recorded. */
  needsArchive: boolean;
}

/** The main pages, in the order of the navigation. */
const destinations: readonly Omit<Destination, 'href'>[] = [
  {
    path: '/',
    label: 'Workloads',
    glyph: 'list',
    keys: 'g w',
    holds: (pathname) => pathname === '/' || pathname.startsWith('/workloads/'),
    hasTab: true,
    needsArchive: false,
  },
  {
    path: '/timeline',
    label: 'Timeline',
    glyph: 'timeline',
    keys: 'g t',
    holds: (pathname) => pathname === '/timeline',
    hasTab: true,
    needsArchive: true,
  },
  {
    path: '/rollouts',
    label: 'Rollouts',
    glyph: 'steps',
    keys: 'g o',
    holds: (pathname) => /^\/rollouts(\/|$)/.test(pathname),
    hasTab: false,
    needsArchive: false,
  },
  {
    path: '/review',
    label: 'Review',
    glyph: 'review',
    keys: 'g r',
    holds: (pathname) => /^\/review(\/|$)/.test(pathname),
    hasTab: true,
    needsArchive: true,
  },
  {
    path: '/records',
    label: 'History',
    glyph: 'archive',
    keys: 'g h',
    holds: (pathname) => /^\/(records|rollout-histories)(\/|$)/.test(pathname),
    hasTab: false,
    needsArchive: true,
  },
  {
    path: '/activity',
    label: 'Activity',
    glyph: 'terminal',
    keys: 'g a',
    holds: (pathname) => pathname === '/activity',
    hasTab: false,
    needsArchive: true,
  },
];

/** The main pages that this Shiplog has. */
export function useDestinations(): readonly Destination[] {
  const isRecording = useClusters().items.some(({ recording }) => recording);
  const clusters = useStoredClusters();
  return destinations
    .filter(({ needsArchive }) => isRecording || !needsArchive)
    .map((place) => ({ ...place, href: listPath(place.path, clusters) }));
}
