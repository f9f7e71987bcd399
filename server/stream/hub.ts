import 'server-only';
import type { StreamKey } from '@/lib/api/cluster';
import { AppError } from '@/lib/errors';
import { TurnBudget } from '@/server/shared/turn-budget';
import { accessKeyOf, type Person } from '@/server/shared/viewer';

/** Proxies drop silent connections after 30 to 60 s. */
const PING_MS = 15_000;
/** A browser that missed more changes than this refetches everything instead. */
const REPLAY_MAX = 500;
/** Bytes that a slow reader may have waiting; its remaining changes stay in the ring. */
const QUEUE_BYTES_MAX = 64 * 1024;
/** One per browser profile; each costs a socket and its buffers. */
const STREAMS_MAX = 1_000;
/** One person has some browsers; an identity that all viewers of Shiplog share has many. */
const PERSON_STREAMS_MAX = 20;
const SHARED_STREAMS_MAX = 800;
/** Keys in one event; more of them become a resync. */
const KEYS_MAX = 200;
/** Events delivered to readers in one turn of the event loop: a millisecond or two. */
const EVENTS_PER_TURN = 50;

interface KeyChange {
  id: number;
  /** `all`: too many to name. */
  keys: readonly StreamKey[] | 'all';
}

interface StreamReader {
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  readonly viewer: Person;
  readonly filterVisible: VisibleFilter;
  /** Whether the session that opened it is not over. */
  readonly isSignedIn: () => Promise<boolean>;
  /** Every change up to this one has been sent, or is hidden from the viewer. */
  sentId: number;
  /** The latest of each other event that is still to be sent, as text. */
  readonly pending: Map<string, string>;
  isSending: boolean;
}

type VisibleFilter = (keys: readonly StreamKey[]) => Promise<readonly StreamKey[]>;

const encoder = new TextEncoder();

/**
 * Sends changed keys, never objects, to every browser. The ring of changes is the queue of each reader, which
 * reads it in order and at its own pace: a sent id confirms everything before it. Keys that a viewer is not
 * allowed to read are filtered before they are sent; a reader that falls behind the ring gets a `resync`.
 */
export class StreamHub {
  readonly #readers = new Set<StreamReader>();
  readonly #ring: KeyChange[] = [];
  /** The latest change as each viewer gets it, so that a hundred readers of one viewer cost one filter. */
  readonly #frames = new Map<string, { id: number; bytes: Promise<Uint8Array | undefined> }>();
  /** The latest change as everyone gets it who can see all of its keys. */
  #wholeFrame: { id: number; bytes: Uint8Array } | undefined;
  readonly #turns = new TurnBudget(EVENTS_PER_TURN);
  readonly #epoch: string;
  #lastId = 0;
  #closed = false;
  #ping: NodeJS.Timeout | undefined;

  /** `epoch` tells this process from the previous one: ids of another epoch can't be replayed. */
  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  get size(): number {
    return this.#readers.size;
  }

  publish(keys: readonly StreamKey[]): void {
    if (keys.length === 0) return;
    this.#lastId += 1;
    this.#ring.push({ id: this.#lastId, keys: keys.length > KEYS_MAX ? 'all' : keys });
    if (this.#ring.length > REPLAY_MAX) this.#ring.shift();
    for (const reader of this.#readers) void this.#drain(reader);
  }

  /** Data of another event type, such as the connection's state, as each viewer is allowed to know it. */
  announce(event: string, dataFor: (viewer: Person) => unknown): void {
    for (const reader of this.#readers) this.#queue(reader, event, frame(event, dataFor(reader.viewer)));
  }

  /** Tells every reader, or those of some viewers, to refetch what they show. */
  resync(isConcerned: (viewer: Person) => boolean = () => true): void {
    for (const reader of this.#readers) {
      if (!isConcerned(reader.viewer)) continue;
      reader.sentId = this.#lastId;
      this.#queue(reader, 'resync', this.#resyncFrame(reader.sentId));
    }
  }

  /**
   * A new reader, which ends soon after its session has. `lastEventId` is the last one that it received; a gap that can't be replayed becomes a
   * resync. Throws AppError `rate_limited` when there are too many readers.
   */
  open(
    viewer: Person,
    filterVisible: VisibleFilter,
    lastEventId: string | null,
    first: { event: string; data: unknown },
    signal: AbortSignal,
    isSignedIn: () => Promise<boolean> = () => Promise.resolve(true),
  ): ReadableStream<Uint8Array> {
    this.#assertRoom(viewer);
    let reader: StreamReader | undefined;
    const remove = () => {
      if (reader !== undefined) this.#removeReader(reader);
    };
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const resumeId = this.#resumeId(lastEventId);
          const sentId = resumeId ?? this.#lastId;
          reader = {
            controller,
            viewer,
            filterVisible,
            isSignedIn,
            sentId,
            pending: new Map(),
            isSending: false,
          };
          this.#readers.add(reader);
          this.#startPing();
          const isGap = resumeId === undefined && lastEventId !== null;
          // With the id, a browser that is cut off before the first change can reconnect where it began.
          const id = isGap ? undefined : this.#id(sentId);
          this.#enqueue(reader, `retry: 1000\n\n${frame(first.event, first.data, id)}`);
          if (isGap) this.#enqueue(reader, this.#resyncFrame(sentId));
        },
        pull: () => {
          if (reader !== undefined) void this.#drain(reader);
        },
        cancel: remove,
      },
      new ByteLengthQueuingStrategy({ highWaterMark: QUEUE_BYTES_MAX }),
    );
    if (signal.aborted) remove();
    else signal.addEventListener('abort', remove, { once: true });
    return stream;
  }

  /** Ends every stream, so that the server can stop. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#ping);
    for (const reader of [...this.#readers]) {
      this.#enqueue(reader, frame('bye', {}));
      this.#removeReader(reader);
    }
  }

  #assertRoom(viewer: Person): void {
    if (this.#closed) throw new AppError('rate_limited', 'Shiplog is shutting down. Try again soon.');
    // A viewer without an identity of its own is everyone who reaches Shiplog.
    const max = viewer.isShared ? SHARED_STREAMS_MAX : PERSON_STREAMS_MAX;
    const own = [...this.#readers].filter(
      (reader) => accessKeyOf(reader.viewer) === accessKeyOf(viewer),
    ).length;
    if (own >= max) {
      throw new AppError(
        'rate_limited',
        `${viewer.name} has ${max} event streams open, which is the limit. Close Shiplog in another browser.`,
      );
    }
    if (this.#readers.size >= STREAMS_MAX) {
      throw new AppError(
        'rate_limited',
        `${STREAMS_MAX} event streams are open, which is the limit. Try again later.`,
      );
    }
  }

  /** The change up to which a browser is informed, where the ring still has all later ones. */
  #resumeId(lastEventId: string | null): number | undefined {
    if (lastEventId === null) return undefined;
    const [epoch, text = ''] = lastEventId.split('-');
    if (epoch !== this.#epoch || !/^\d{1,15}$/.test(text)) return undefined;
    const id = Number(text);
    return id <= this.#lastId && id >= this.#oldestId - 1 ? id : undefined;
  }

  get #oldestId(): number {
    return this.#ring[0]?.id ?? this.#lastId + 1;
  }

  #queue(reader: StreamReader, event: string, text: string): void {
    reader.pending.set(event, text);
    void this.#drain(reader);
  }

  /** Sends what waits for one reader, in order, as long as the reader takes it. */
  async #drain(reader: StreamReader): Promise<void> {
    if (reader.isSending) return;
    reader.isSending = true;
    while (this.#hasPending(reader)) {
      await this.#turns.acquire();
      const next = await this.#next(reader);
      if (next !== undefined) this.#enqueue(reader, next);
    }
    reader.isSending = false;
  }

  #hasPending(reader: StreamReader): boolean {
    if (!this.#readers.has(reader) || (reader.controller.desiredSize ?? 0) <= 0) return false;
    return reader.pending.size > 0 || reader.sentId < this.#lastId;
  }

  async #next(reader: StreamReader): Promise<Uint8Array | string | undefined> {
    const [pending] = reader.pending;
    if (pending !== undefined) {
      reader.pending.delete(pending[0]);
      return pending[1];
    }
    const change = this.#ring[reader.sentId + 1 - this.#oldestId];
    if (change === undefined) {
      reader.sentId = this.#lastId;
      return this.#resyncFrame(reader.sentId);
    }
    const bytes = await this.#bytesFor(reader, change);
    // A resync meanwhile covers this change, and all later ones.
    if (reader.sentId >= change.id) return undefined;
    reader.sentId = change.id;
    return bytes;
  }

  #bytesFor({ viewer, filterVisible }: StreamReader, change: KeyChange): Promise<Uint8Array | undefined> {
    const known = this.#frames.get(accessKeyOf(viewer));
    if (known?.id === change.id) return known.bytes;
    const bytes = this.#changeFrame(filterVisible, change);
    // A reader that catches up must not remove the frames that the others are about to get.
    if (known === undefined || known.id < change.id)
      this.#frames.set(accessKeyOf(viewer), { id: change.id, bytes });
    return bytes;
  }

  async #changeFrame(filterVisible: VisibleFilter, { id, keys }: KeyChange): Promise<Uint8Array | undefined> {
    if (keys === 'all') return encoder.encode(this.#resyncFrame(id));
    // While the viewer's rights are unknown, it is told to refetch: the answers check them again.
    const visible = await filterVisible(keys).catch(() => undefined);
    if (visible === undefined) return encoder.encode(this.#resyncFrame(id));
    if (visible.length === 0) return undefined;
    if (visible.length === keys.length && this.#wholeFrame?.id === id) return this.#wholeFrame.bytes;
    const bytes = encoder.encode(frame('change', { keys: visible }, this.#id(id)));
    if (visible.length === keys.length) this.#wholeFrame = { id, bytes };
    return bytes;
  }

  #enqueue(reader: StreamReader, data: Uint8Array | string): void {
    if (!this.#readers.has(reader)) return;
    try {
      reader.controller.enqueue(typeof data === 'string' ? encoder.encode(data) : data);
    } catch {
      this.#removeReader(reader);
    }
  }

  #removeReader(reader: StreamReader): void {
    if (!this.#readers.delete(reader)) return;
    try {
      reader.controller.close();
    } catch {
      // Already closed by its reader.
    }
    const key = accessKeyOf(reader.viewer);
    if (![...this.#readers].some(({ viewer }) => accessKeyOf(viewer) === key)) this.#frames.delete(key);
    if (this.#readers.size === 0) {
      clearInterval(this.#ping);
      this.#ping = undefined;
    }
  }

  #startPing(): void {
    this.#ping ??= setInterval(() => {
      for (const reader of this.#readers) {
        this.#queue(reader, 'ping', ': ping\n\n');
        void this.#endIfSignedOut(reader);
      }
    }, PING_MS);
    this.#ping.unref();
  }

  async #endIfSignedOut(reader: StreamReader): Promise<void> {
    // What can't be checked now is checked with the next ping.
    if (await reader.isSignedIn().catch(() => true)) return;
    this.#enqueue(reader, frame('bye', {}));
    this.#removeReader(reader);
  }

  #resyncFrame(id: number): string {
    return frame('resync', {}, this.#id(id));
  }

  #id(id: number): string {
    return `${this.#epoch}-${id}`;
  }
}

function frame(event: string, data: unknown, id?: string): string {
  const head = id === undefined ? '' : `id: ${id}\n`;
  return `${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
