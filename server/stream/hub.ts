import 'server-only';
import { type StreamKey } from '@/lib/api/cluster';

/** Proxies drop silent connections after 30 to 60 s. */
const PING_MS = 15_000;
/** A browser that is away for longer than this many changes refetches everything instead. */
const REPLAY_MAX = 500;
/** Bytes that a slow reader may have waiting before it is told to resync. */
const QUEUE_BYTES_MAX = 64 * 1024;
/** One per browser profile; more is a leak or an attack. */
const CLIENTS_MAX = 500;
/** Keys in one event; a storm beyond it is a resync. */
const KEYS_MAX = 200;

interface Client {
  controller: ReadableStreamDefaultController<Uint8Array>;
  sees: (keys: readonly StreamKey[]) => Promise<readonly StreamKey[]>;
  /** Set while the reader lags: everything is dropped until it caught up, then one resync is sent. */
  lagging: boolean;
}

const encoder = new TextEncoder();

/**
 * Sends changed keys, never objects, to every browser. What a viewer may not read is filtered before it is sent;
 * what a slow reader missed becomes one `resync`.
 */
export class StreamHub {
  readonly #clients = new Set<Client>();
  readonly #ring: { id: number; keys: readonly StreamKey[] }[] = [];
  readonly #epoch: string;
  #nextId = 1;
  #closed = false;
  #ping: NodeJS.Timeout | undefined;

  /** `epoch` tells this process from the one before a restart: ids of another epoch can't be replayed. */
  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  get size(): number {
    return this.#clients.size;
  }

  publish(keys: readonly StreamKey[]): void {
    if (keys.length === 0) return;
    const id = this.#nextId++;
    this.#ring.push({ id, keys });
    if (this.#ring.length > REPLAY_MAX) this.#ring.shift();
    for (const client of this.#clients) void this.#deliver(client, id, keys);
  }

  /** Data of another event type for everyone, such as the connection's state. */
  announce(event: string, data: unknown): void {
    for (const client of this.#clients) this.#send(client, frame(event, data));
  }

  /**
   * A new reader. `lastEventId` is what it saw last; a gap that can't be replayed becomes a resync.
   * Returns undefined when there are too many readers.
   */
  open(
    sees: Client['sees'],
    lastEventId: string | null,
    first: { event: string; data: unknown },
    signal: AbortSignal,
  ): ReadableStream<Uint8Array> | undefined {
    if (this.#closed || this.#clients.size >= CLIENTS_MAX) return undefined;
    let client: Client | undefined;
    const leave = () => {
      if (client !== undefined) this.#leave(client);
    };
    signal.addEventListener('abort', leave, { once: true });
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          client = { controller, sees, lagging: false };
          this.#clients.add(client);
          this.#startPing();
          this.#send(client, `retry: 1000\n\n${frame(first.event, first.data)}`);
          this.#replay(client, lastEventId);
        },
        cancel: leave,
      },
      new ByteLengthQueuingStrategy({ highWaterMark: QUEUE_BYTES_MAX }),
    );
  }

  /** Ends every stream, so that the server can stop. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#ping);
    this.announce('bye', {});
    for (const client of [...this.#clients]) this.#leave(client);
  }

  #replay(client: Client, lastEventId: string | null): void {
    if (lastEventId === null) return;
    const [epoch, text] = lastEventId.split('-');
    const seen = Number(text);
    const oldest = this.#ring[0]?.id ?? this.#nextId;
    if (epoch !== this.#epoch || !Number.isSafeInteger(seen) || seen < oldest - 1) {
      this.#send(client, frame('resync', {}, this.#id(this.#nextId - 1)));
      return;
    }
    for (const { id, keys } of this.#ring) if (id > seen) void this.#deliver(client, id, keys);
  }

  async #deliver(client: Client, id: number, keys: readonly StreamKey[]): Promise<void> {
    // Where nobody can say what the viewer may see, it is told to ask: the answers have gates of their own.
    const visible = await client.sees(keys).catch(() => undefined);
    if (visible?.length === 0 || !this.#clients.has(client)) return;
    const text =
      visible === undefined || visible.length > KEYS_MAX
        ? frame('resync', {}, this.#id(id))
        : frame('change', { keys: visible }, this.#id(id));
    this.#send(client, text);
  }

  #send(client: Client, text: string): void {
    const room = client.controller.desiredSize;
    if (room === null) return;
    if (room <= 0) {
      client.lagging = true;
      return;
    }
    try {
      if (client.lagging) {
        client.lagging = false;
        client.controller.enqueue(encoder.encode(frame('resync', {}, this.#id(this.#nextId - 1))));
      }
      client.controller.enqueue(encoder.encode(text));
    } catch {
      this.#leave(client);
    }
  }

  #leave(client: Client): void {
    if (!this.#clients.delete(client)) return;
    try {
      client.controller.close();
    } catch {
      // Already closed by its reader.
    }
    if (this.#clients.size === 0) {
      clearInterval(this.#ping);
      this.#ping = undefined;
    }
  }

  #startPing(): void {
    this.#ping ??= setInterval(() => {
      for (const client of this.#clients) this.#send(client, ': ping\n\n');
    }, PING_MS);
    this.#ping.unref();
  }

  #id(id: number): string {
    return `${this.#epoch}-${id}`;
  }
}

function frame(event: string, data: unknown, id?: string): string {
  const head = id === undefined ? '' : `id: ${id}\n`;
  return `${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
