import { type Adoption, nothingAdopted, numbersHere } from '@/lib/history/adoption';
import { compareTimes } from '@/lib/history/revision-order';
import type { RevisionSource } from '@/lib/history/workload';

/**
 * The sources that were reused: they have former numbers, or were created before a source with a lower
 * number. Only numbers that are actually written count; a ReplicaSet without one proves nothing. An adopted one was
 * reused where its number is of this incarnation, and its creation proves nothing.
 */
export function findReactivated(
  oldestFirst: readonly RevisionSource[],
  adoption: Adoption = nothingAdopted,
): Set<string> {
  const found = new Set<string>();
  /** Latest creation among those with a lower number, and among those with this number. */
  let latestBelow = '';
  let latestHere = '';
  let number = -Infinity;
  for (const source of oldestFirst) {
    // A source without a template was never rolled out, whatever its number and time.
    if (source.number.kind !== 'number' || source.fault !== undefined) continue;
    const numbers = numbersHere(source, adoption);
    if (adoption.before.has(source.uid)) {
      if (numbers.includes(source.number.value)) found.add(source.uid);
      continue;
    }
    if (source.number.value !== number) {
      latestBelow = later(latestBelow, latestHere);
      latestHere = '';
      number = source.number.value;
    }
    latestHere = later(latestHere, source.createdAt);
    const isOlder = latestBelow !== '' && compareTimes(source.createdAt, latestBelow) < 0;
    if (isOlder || numbers.length > 1) found.add(source.uid);
  }
  return found;
}

function later(a: string, b: string): string {
  return compareTimes(a, b) >= 0 ? a : b;
}
