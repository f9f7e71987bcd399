import { compareTimes } from '@/lib/history/order';
import { type RevisionSource } from '@/lib/workloads/workload';

/**
 * The sources that were used again: they have former numbers, or were created before a source with a lower number.
 * Only numbers that are really written count; a ReplicaSet without one proves nothing.
 */
export function findReactivated(oldestFirst: readonly RevisionSource[]): Set<string> {
  const found = new Set<string>();
  /** Latest creation among those with a lower number, and among those with this number. */
  let below = '';
  let here = '';
  let number = -Infinity;
  for (const source of oldestFirst) {
    // One that holds no template was never rolled out, whatever its number and time.
    if (source.number.kind !== 'number' || source.fault !== undefined) continue;
    if (source.number.value !== number) {
      below = later(below, here);
      here = '';
      number = source.number.value;
    }
    here = later(here, source.createdAt);
    const isOlder = below !== '' && compareTimes(source.createdAt, below) < 0;
    if (isOlder || source.formerNumbers.some((former) => former !== number)) found.add(source.uid);
  }
  return found;
}

function later(a: string, b: string): string {
  return compareTimes(a, b) >= 0 ? a : b;
}
