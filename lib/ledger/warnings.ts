import { isSince, ms } from '@/lib/ledger/moments';
import { type RolloutEvent } from '@/lib/ledger/record';

/** The first of them tell why; what repeats is counted, not listed. */
const WARNINGS_MAX = 50;

/** The events of a rollout with those that are seen now, in the order of their first mention. */
export function addWarnings(
  known: readonly RolloutEvent[],
  seen: readonly RolloutEvent[],
  start: string | null,
): readonly RolloutEvent[] {
  const events = new Map(known.map((event) => [keyOf(event), event]));
  for (const event of seen.toSorted((a, b) => ms(a.at) - ms(b.at))) {
    if (start !== null && !isSince(event.at, start)) continue;
    const before = events.get(keyOf(event));
    if (before === undefined && events.size >= WARNINGS_MAX) continue;
    if (before === undefined || event.count > before.count) events.set(keyOf(event), event);
  }
  return [...events.values()];
}

function keyOf({ object, reason, message }: RolloutEvent): string {
  return JSON.stringify([object, reason, message]);
}
