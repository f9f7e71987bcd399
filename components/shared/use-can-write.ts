'use client';

import { useClusters } from '@/components/queries/clusters';

/**
 * Whether this viewer can write anything about a cluster: a verdict, a comment, a pin. Without its id: about any of
 * them.
 */
export function useCanWrite(cluster?: string): boolean {
  const { items, find } = useClusters();
  const own = find(cluster);
  return own === undefined ? items.length === 0 || items.some(({ readOnly }) => !readOnly) : !own.readOnly;
}
