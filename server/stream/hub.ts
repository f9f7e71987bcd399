import 'server-only';
import { type StreamKey } from '@/lib/api/cluster';
import { AppError } from '@/lib/errors';
import { TurnBudget } from '@/server/turn-budget';
import { type Viewer } from '@/server/viewer';

/** Proxies drop silent connections after 30 to 60 s. */
const PING_MS = 15_000;
/** A browser that is away for longer than this many changes refetches everything instead. */
const REPLAY_MAX = 500;
/** Bytes that a slow reader may have waiting; the changes that it has not taken stay in the ring. */
const QUEUE_BYTES_MAX = 64 * 1024;
/** One per browser profile; each costs a socket and its buffers. */
const STREAMS_MAX = 1_000;
/** One person has some browsers; who shares an identity with everybody that reaches Shiplog has many. */
const PERSON_STREAMS_MAX = 20;
const SHARED_STREAMS_MAX = 800;
/** Keys in one event; a storm beyond it is a resync. */
const KEYS_MAX = 200;
/** Events handed to readers in one turn of the event loop: a millisecond or two. */
const EVENTS_PER_TURN = 50;

interface Change {
  id: number;
  /** `all`: too many to name. */
  keys: readonly StreamKey[] | 'all';
}

interface Reader {
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  readonly viewer: Viewer;
  readonly sees: Sees;
  /** Every change up to this one has been sent, or is none of the viewer's. */
  sentId: number;
  /** The latest of each other event that is still to be sent, as text. */
  readonly waiting: Map<string, string>;
  isServed: boolean;
}

type Sees = (keys: readonly StreamKey[]) => Promise<readonly StreamKey[]>;

const encoder = new TextEncoder();

/**
 * Sends changed keys, never objects, to every browser. The ring of changes is the queue of each reader, which goes
 * through it in order and at its own pace: an id that was sent stands for everything before it. What a viewer may not
 * read is filtered before it is sent; who falls behind the ring is told to `resync`.
 */
export class StreamHub {
  readonly #readers = new Set<Reader>();
  readonly #ring: Change[] = [];
  /** The latest change as each viewer gets it, so that a hundred readers of one viewer cost one filter. */
  readonly #frames = new Map<string, { id: number; bytes: Promise<Uint8Array | undefined> }>();
  readonly #turns = new TurnBudget(EVENTS_PER_TURN);
  readonly #epoch: string;
  #lastId = 0;
  #closed = false;
  #ping: NodeJS.Timeout | undefined;

  /** `epoch` tells this process from the one before a restart: ids of another epoch can't be replayed. */
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
    for (const reader of this.#readers) void this.#serve(reader);
  }

  /** Data of another event type, such as the connection's state, as each viewer may know it. */
  announce(event: string, dataFor: (viewer: Viewer) => unknown): void {
    for (const reader of this.#readers) this.#tell(reader, event, frame(event, dataFor(reader.viewer)));
  }

  /** Every reader is to fetch again what it shows. */
  resync(): void {
    for (const reader of this.#readers) {
      reader.sentId = this.#lastId;
      this.#tell(reader, 'resync', this.#resyncFrame(reader.sentId));
    }
  }

  /**
   * A new reader. `lastEventId` is what it saw last; a gap that can't be replayed becomes a resync. Throws
   * AppError `rate_limited` when there are too many readers.
   */
  open(
    viewer: Viewer,
    sees: Sees,
    lastEventId: string | null,
    first: { event: string; data: unknown },
    signal: AbortSignal,
  ): ReadableStream<Uint8Array> {
    this.#assertRoom(viewer);
    let reader: Reader | undefined;
    const leave = () => {
      if (reader !== undefined) this.#leave(reader);
    };
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const seenId = this.#seenId(lastEventId);
          const sentId = seenId ?? this.#lastId;
          reader = { controller, viewer, sees, sentId, waiting: new Map(), isServed: false };
          this.#readers.add(reader);
          this.#startPing();
          const isGap = seenId === undefined && lastEventId !== null;
          // The id lets a browser that is cut off before the first change come back to where it began.
          const id = isGap ? undefined : this.#id(sentId);
          this.#enqueue(reader, `retry: 1000\n\n${frame(first.event, first.data, id)}`);
          if (isGap) this.#enqueue(reader, this.#resyncFrame(sentId));
        },
        pull: () => {
          if (reader !== undefined) void this.#serve(reader);
        },
        cancel: leave,
      },
      new ByteLengthQueuingStrategy({ highWaterMark: QUEUE_BYTES_MAX }),
    );
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    return stream;
  }

  /** Ends every stream, so that the server can stop. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#ping);
    for (const reader of [...this.#readers]) {
      this.#enqueue(reader, frame('bye', {}));
      this.#leave(reader);
    }
  }

  #assertRoom(viewer: Viewer): void {
    if (this.#closed) throw new AppError('rate_limited', 'Shiplog is stopping. Try again soon.');
    // Without an identity of its own a viewer is everybody who reaches Shiplog.
    const isPerson = viewer.impersonate !== undefined;
    const max = isPerson ? PERSON_STREAMS_MAX : SHARED_STREAMS_MAX;
    const own = [...this.#readers].filter((reader) => reader.viewer.id === viewer.id).length;
    if (own >= max) {
      throw new AppError(
        'rate_limited',
        `${viewer.name} has ${max} event streams open, and more are not allowed. Close Shiplog in another browser.`,
      );
    }
    if (this.#readers.size >= STREAMS_MAX) {
      throw new AppError(
        'rate_limited',
        `${STREAMS_MAX} event streams are open, and Shiplog serves no more. Try again later.`,
      );
    }
  }

  /** The change up to which a browser was told, where those after it are still known. */
  #seenId(lastEventId: string | null): number | undefined {
    if (lastEventId === null) return undefined;
    const [epoch, text = ''] = lastEventId.split('-');
    if (epoch !== this.#epoch || !/^\d{1,15}$/.test(text)) return undefined;
    const id = Number(text);
    return id <= this.#lastId && id >= this.#oldestId - 1 ? id : undefined;
  }

  get #oldestId(): number {
    return this.#ring[0]?.id ?? this.#lastId + 1;
  }

  #tell(reader: Reader, event: string, text: string): void {
    reader.waiting.set(event, text);
    void this.#serve(reader);
  }

  /** Sends what waits for one reader, in order, as long as it takes it. */
  async #serve(reader: Reader): Promise<void> {
    if (reader.isServed) return;
    reader.isServed = true;
    while (this.#hasNews(reader)) {
      await this.#turns.take();
      const next = await this.#next(reader);
      if (next !== undefined) this.#enqueue(reader, next);
    }
    reader.isServed = false;
  }

  #hasNews(reader: Reader): boolean {
    if (!this.#readers.has(reader) || (reader.controller.desiredSize ?? 0) <= 0) return false;
    return reader.waiting.size > 0 || reader.sentId < this.#lastId;
  }

  async #next(reader: Reader): Promise<Uint8Array | string | undefined> {
    const [waiting] = reader.waiting;
    if (waiting !== undefined) {
      reader.waiting.delete(waiting[0]);
      return waiting[1];
    }
    const change = this.#ring[reader.sentId + 1 - this.#oldestId];
    if (change === undefined) {
      reader.sentId = this.#lastId;
      return this.#resyncFrame(reader.sentId);
    }
    const bytes = await this.#bytesFor(reader, change);
    // A resync meanwhile stands for this change, and for those after it.
    if (reader.sentId >= change.id) return undefined;
    reader.sentId = change.id;
    return bytes;
  }

  #bytesFor({ viewer, sees }: Reader, change: Change): Promise<Uint8Array | undefined> {
    const known = this.#frames.get(viewer.id);
    if (known?.id === change.id) return known.bytes;
    const bytes = this.#changeFrame(sees, change).then((text) =>
      text === undefined ? undefined : encoder.encode(text),
    );
    // A reader that catches up must not take away what the others are about to get.
    if (known === undefined || known.id < change.id) this.#frames.set(viewer.id, { id: change.id, bytes });
    return bytes;
  }

  async #changeFrame(sees: Sees, { id, keys }: Change): Promise<string | undefined> {
    if (keys === 'all') return this.#resyncFrame(id);
    // Where nobody can say what the viewer may see, it is told to ask: the answers have gates of their own.
    const visible = await sees(keys).catch(() => undefined);
    if (visible === undefined) return this.#resyncFrame(id);
    return visible.length === 0 ? undefined : frame('change', { keys: visible }, this.#id(id));
  }

  #enqueue(reader: Reader, data: Uint8Array | string): void {
    if (!this.#readers.has(reader)) return;
    try {
      reader.controller.enqueue(typeof data === 'string' ? encoder.encode(data) : data);
    } catch {
      this.#leave(reader);
    }
  }

  #leave(reader: Reader): void {
    if (!this.#readers.delete(reader)) return;
    try {
      reader.controller.close();
    } catch {
      // Already closed by its reader.
    }
    if (![...this.#readers].some(({ viewer }) => viewer.id === reader.viewer.id))
      this.#frames.delete(reader.viewer.id);
    if (this.#readers.size === 0) {
      clearInterval(this.#ping);
      this.#ping = undefined;
    }
  }

  #startPing(): void {
    this.#ping ??= setInterval(() => {
      for (const reader of this.#readers) this.#tell(reader, 'ping', ': ping\n\n');
    }, PING_MS);
    this.#ping.unref();
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
