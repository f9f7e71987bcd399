'use client';

import type { GlyphName } from '@/components/ui/glyph';
import { useClusters } from '@/components/queries/cluster';

export interface Destination {
  href: string;
  label: string;
  glyph: GlyphName;
  /** Key sequence of the destination. */
  keys: string;
  /** Root of pages that belong to it as well. */
  also?: string;
  /** On a phone, which has room for few, it has a tab of its own. */
  hasTab: boolean;
  /** Hidden where nothing is recorded. */
  needsArchive: boolean;
}

/** The main pages, in the order of the navigation. */
// prettier-ignore
const destinations: readonly Destination[] = [
  { href: '/', label: 'Workloads', glyph: 'list', keys: 'g w', also: '/workloads', hasTab: true, needsArchive: false },
  { href: '/timeline', label: 'Timeline', glyph: 'timeline', keys: 'g t', hasTab: true, needsArchive: true },
  { href: '/rollouts', label: 'Rollouts', glyph: 'steps', keys: 'g o', hasTab: false, needsArchive: false },
  { href: '/review', label: 'Review', glyph: 'review', keys: 'g r', hasTab: true, needsArchive: true },
  { href: '/records', label: 'History', glyph: 'archive', keys: 'g h', also: '/rollout-histories', hasTab: false, needsArchive: true },
  { href: '/activity', label: 'Activity', glyph: 'terminal', keys: 'g a', hasTab: false, needsArchive: true },
];

/** The main pages that this Shiplog has. */
export function useDestinations(): readonly Destination[] {
  const { list } = useClusters();
  return list?.recording ? destinations : destinations.filter(({ needsArchive }) => !needsArchive);
}
