import { isAtOrAfter, ms } from '@/lib/records/times';
import type { RolloutEvent } from '@/lib/api/record';

/** The first of them show the reason; repeated ones are counted, not listed. */
const WARNINGS_MAX = 50;

/** The events of a rollout updated from an observation, in the order of their first occurrence. */
export function addWarnings(
  known: readonly RolloutEvent[],
  seen: readonly RolloutEvent[],
  start: string | null,
): readonly RolloutEvent[] {
  const events = new Map(known.map((event) => [keyOf(event), event]));
  for (const event of seen.toSorted((a, b) => ms(a.at) - ms(b.at))) {
    if (start !== null && !isAtOrAfter(event.at, start)) continue;
    const before = events.get(keyOf(event));
    if (before === undefined && events.size >= WARNINGS_MAX) continue;
    if (before === undefined || event.count > before.count) events.set(keyOf(event), event);
  }
  return [...events.values()];
}

function keyOf({ object, reason, message }: RolloutEvent): string {
  return JSON.stringify([object, reason, message]);
}
