import { type Activations } from '@/lib/history/activations';

/** A number set by hand can be anything; a list of all lower numbers would be endless. */
const GAPS_MAX = 1_000;

/**
 * Numbers from 1 up to the highest that no source object has or is known to have had, ascending; of very many
 * only the highest. Numbers increase by one, so each of them was assigned once.
 */
export function findGaps(activations: Activations): number[] {
  const known = new Set([...activations.values()].flat().map((activation) => activation.number));
  const gaps: number[] = [];
  for (let number = Math.max(0, ...known); number > 0 && gaps.length < GAPS_MAX; number -= 1) {
    if (!known.has(number)) gaps.push(number);
  }
  return gaps.reverse();
}
