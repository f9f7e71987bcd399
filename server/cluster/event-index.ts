import type { EventSummary } from '@/server/cluster/cache';

/**
 * A pod in a crash loop has a handful of events that repeat. A LeaderWorkerSet that recreates a group again
 * and again has two new ones each time; they are counted.
 */
const PER_OBJECT_MAX = 200;
/** About 10 MB at most; the API server itself deletes events after an hour. */
const TOTAL_MAX = 20_000;

/** Events by the uid of their object, newest kept, bounded per object and in total (oldest object removed first). */
export class EventIndex {
  readonly #byObject = new Map<string, Map<string, EventSummary>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Newest last. */
  of(uid: string): readonly EventSummary[] {
    const events = this.#byObject.get(uid);
    return events === undefined ? [] : [...events.values()];
  }

  add(event: EventSummary): void {
    const uid = event.object.uid;
    const events = this.#byObject.get(uid) ?? new Map<string, EventSummary>();
    // Re-inserting moves both the event and its object to the end, so that the front is the oldest.
    if (events.delete(event.uid)) this.#size -= 1;
    events.set(event.uid, event);
    this.#size += 1;
    this.#byObject.delete(uid);
    this.#byObject.set(uid, events);
    if (events.size > PER_OBJECT_MAX) this.#dropOldest(events);
    while (this.#size > TOTAL_MAX) this.#dropOldestObject();
  }

  remove(event: EventSummary): void {
    const events = this.#byObject.get(event.object.uid);
    if (events?.delete(event.uid) !== true) return;
    this.#size -= 1;
    if (events.size === 0) this.#byObject.delete(event.object.uid);
  }

  #dropOldest(events: Map<string, EventSummary>): void {
    const [oldest] = events.keys();
    if (oldest !== undefined && events.delete(oldest)) this.#size -= 1;
  }

  #dropOldestObject(): void {
    const [entry] = this.#byObject;
    if (entry === undefined) return;
    this.#size -= entry[1].size;
    this.#byObject.delete(entry[0]);
  }
}
