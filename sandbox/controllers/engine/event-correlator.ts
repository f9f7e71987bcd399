import { LRUCache } from 'lru-cache';
import { type Clock } from '@/server/shared/clock';
import { type ObjectEvent } from '@/sandbox/controllers/engine/object-event';

/** The result for an event: a new one, or an increased count of a known one. */
interface Correlation {
  message: string;
  known: { name: string; count: number } | undefined;
}

/** The constants of client-go. */
const ENTRIES_MAX = 4096;
const SIMILAR_MAX = 10;
const SIMILAR_WITHIN_MS = 600_000;
const BURST = 25;
const REFILL_MS = 300_000;

/** Remembers events, so that repetitions are counted, similar ones combined and floods cut off. */
export class EventCorrelator {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #known = new LRUCache<string, { name: string; count: number }>({ max: ENTRIES_MAX });
  readonly #similar = new LRUCache<string, { messages: Set<string>; at: number }>({ max: ENTRIES_MAX });
  readonly #budgets = new LRUCache<string, { tokens: number; at: number }>({ max: ENTRIES_MAX });

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Undefined: the event is dropped. */
  correlate(event: ObjectEvent): Correlation | undefined {
    const isCombined = this.#isCombined(event);
    const message = isCombined ? `(combined from similar events): ${event.message}` : event.message;
    const known = this.#known.get(isCombined ? similarKey(event) : equalKey(event));
    if (!this.#isAffordable(event)) return undefined;
    if (known !== undefined) known.count += 1;
    return { message, known };
  }

  /** Records the name of a newly written event. */
  remember(event: ObjectEvent, name: string): void {
    const isCombined = (this.#similar.get(similarKey(event))?.messages.size ?? 0) >= SIMILAR_MAX;
    this.#known.set(isCombined ? similarKey(event) : equalKey(event), { name, count: 1 });
  }

  #isCombined(event: ObjectEvent): boolean {
    const key = similarKey(event);
    const now = this.#clock.now();
    const held = this.#similar.get(key);
    const record =
      held === undefined || now - held.at > SIMILAR_WITHIN_MS
        ? { messages: new Set<string>(), at: now }
        : held;
    record.messages.add(event.message);
    record.at = now;
    this.#similar.set(key, record);
    if (record.messages.size < SIMILAR_MAX) return false;
    const [first] = record.messages;
    if (record.messages.size > SIMILAR_MAX && first !== undefined) record.messages.delete(first);
    return true;
  }

  /** A token bucket for each source and object, which refills slowly. */
  #isAffordable(event: ObjectEvent): boolean {
    const key = `${objectKey(event)}/${event.type}`;
    const now = this.#clock.now();
    const held = this.#budgets.get(key) ?? { tokens: BURST, at: now };
    const tokens = Math.min(BURST, held.tokens + (now - held.at) / REFILL_MS);
    this.#budgets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    return tokens >= 1;
  }
}

function objectKey({ source, about }: ObjectEvent): string {
  return JSON.stringify([source.component, source.host, about.kind, about.metadata.uid]);
}

function similarKey(event: ObjectEvent): string {
  return JSON.stringify([objectKey(event), event.type, event.reason]);
}

function equalKey(event: ObjectEvent): string {
  return JSON.stringify([similarKey(event), event.fieldPath, event.message]);
}
