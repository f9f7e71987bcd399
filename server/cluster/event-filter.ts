import 'server-only';
import type { IngestedEvent } from '@/server/cluster/ingest-event';
import type { EventSummary } from '@/server/cluster/cache';
import type { StoreChange } from '@/server/cluster/store-change';
import type { ResourceType } from '@/lib/kube/resource';

interface EventSink {
  addEvent(event: EventSummary): void;
  removeEvent(event: EventSummary): void;
}

/** Events may arrive before their object is known to have a history; this many of them wait. */
const PENDING_MAX = 2_000;

/**
 * Passes on events about objects that pages show; which kinds those are depends on the followed resources.
 */
export class EventFilter {
  readonly #sink: EventSink;
  /** Kinds of owners that are followed now: `Fleet.example.com`. */
  readonly #followed = new Set<string>();
  /** By uid, oldest first. */
  readonly #pending = new Map<string, NonNullable<IngestedEvent>>();

  constructor(sink: EventSink) {
    this.#sink = sink;
  }

  change(change: StoreChange<IngestedEvent>): void {
    const ingested = change.type === 'deleted' ? change.previous : change.value;
    if (ingested === null) return;
    const { event } = ingested;
    this.#pending.delete(event.uid);
    if (change.type === 'deleted') this.#sink.removeEvent(event);
    else if (ingested.isShown || this.#followed.has(ingested.kind)) this.#sink.addEvent(event);
    else this.#enqueue(ingested);
  }

  /** Pages show objects of another resource from now on, with their events so far. */
  follow(type: Pick<ResourceType, 'kind' | 'group'>): void {
    const kind = keyOf(type);
    this.#followed.add(kind);
    for (const [uid, ingested] of [...this.#pending]) {
      if (ingested.kind !== kind) continue;
      this.#pending.delete(uid);
      this.#sink.addEvent(ingested.event);
    }
  }

  /** Removes a passed event when the API server deletes it. */
  unfollow(type: Pick<ResourceType, 'kind' | 'group'>): void {
    this.#followed.delete(keyOf(type));
  }

  #enqueue(ingested: NonNullable<IngestedEvent>): void {
    this.#pending.set(ingested.event.uid, ingested);
    if (this.#pending.size <= PENDING_MAX) return;
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined) this.#pending.delete(oldest);
  }
}

function keyOf({ kind, group }: Pick<ResourceType, 'kind' | 'group'>): string {
  return `${kind}.${group}`;
}
