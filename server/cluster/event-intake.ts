import 'server-only';
import { type EventHolder } from '@/server/cluster/event-summary';
import { type EventSummary } from '@/server/cluster/cache';
import { type StoreChange } from '@/server/cluster/cluster-cache';
import { type ResourceType } from '@/lib/workloads/resource';

interface Target {
  addEvent(event: EventSummary): void;
  removeEvent(event: EventSummary): void;
}

/** Events may be read before it is known that somebody keeps a history of such objects; so many of them wait. */
const WAITING_MAX = 2_000;

/** Passes on events about objects that pages show; which kinds those are depends on what is followed. */
export class EventIntake {
  readonly #target: Target;
  /** Kinds of owners that are followed now: `Fleet.example.com`. */
  readonly #followed = new Set<string>();
  /** By uid, oldest first. */
  readonly #waiting = new Map<string, NonNullable<EventHolder>>();

  constructor(target: Target) {
    this.#target = target;
  }

  change(change: StoreChange<EventHolder>): void {
    const holder = change.type === 'deleted' ? change.previous : change.value;
    if (holder === null) return;
    const { event } = holder;
    this.#waiting.delete(event.uid);
    if (change.type === 'deleted') this.#target.removeEvent(event);
    else if (holder.isShown || this.#followed.has(holder.kind)) this.#target.addEvent(event);
    else this.#wait(holder);
  }

  /** Objects of another resource are shown from now on, with what has happened to them so far. */
  follow(type: Pick<ResourceType, 'kind' | 'group'>): void {
    const kind = keyOf(type);
    this.#followed.add(kind);
    for (const [uid, holder] of [...this.#waiting]) {
      if (holder.kind !== kind) continue;
      this.#waiting.delete(uid);
      this.#target.addEvent(holder.event);
    }
  }

  /** What has been passed on goes when the API server forgets it. */
  unfollow(type: Pick<ResourceType, 'kind' | 'group'>): void {
    this.#followed.delete(keyOf(type));
  }

  #wait(holder: NonNullable<EventHolder>): void {
    this.#waiting.set(holder.event.uid, holder);
    if (this.#waiting.size <= WAITING_MAX) return;
    const [oldest] = this.#waiting.keys();
    if (oldest !== undefined) this.#waiting.delete(oldest);
  }
}

function keyOf({ kind, group }: Pick<ResourceType, 'kind' | 'group'>): string {
  return `${kind}.${group}`;
}
