import { Agent, request } from 'undici';

/** Event streams that count the changed keys which arrive. */
export class OpenStreams {
  readonly #agent = new Agent({ bodyTimeout: 0 });
  readonly #stop = new AbortController();
  readonly #received: number[] = [];
  #resyncs = 0;
  #onEvent: (() => void) | undefined;

  /** One stream for each of these headers; resolves when all are open. */
  static async open(url: string, headers: readonly Record<string, string>[]): Promise<OpenStreams> {
    const streams = new OpenStreams();
    await Promise.all(headers.map((own, index) => streams.#open(url, own, index)));
    return streams;
  }

  /** Resolves when each stream has received that many more keys; throws where one is told to refetch instead. */
  async untilEachReceives(keys: number): Promise<void> {
    const before = [...this.#received];
    while (this.#received.some((count, index) => count < (before[index] ?? 0) + keys)) {
      await new Promise<void>((resolve) => (this.#onEvent = resolve));
      if (this.#resyncs > 0) throw new Error('A stream sent no keys, but that everything has changed.');
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#agent.destroy();
  }

  async #open(url: string, headers: Record<string, string>, index: number): Promise<void> {
    const { body, statusCode } = await request(url, {
      ...{ headers, dispatcher: this.#agent, signal: this.#stop.signal },
    });
    if (statusCode !== 200) throw new Error(`A stream answered ${statusCode}.`);
    this.#received[index] = 0;
    void this.#read(body, index).catch(() => undefined);
  }

  async #read(body: AsyncIterable<Uint8Array>, index: number): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of body) {
      const events = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
      text = events.pop() ?? '';
      this.#resyncs += events.filter((event) => /^event: resync$/m.test(event)).length;
      this.#received[index] =
        (this.#received[index] ?? 0) + events.reduce((sum, event) => sum + keysOf(event), 0);
      if (events.length > 0) this.#onEvent?.();
    }
  }
}

function keysOf(event: string): number {
  if (!/^event: change$/m.test(event)) return 0;
  const data = /^data: (.*)$/m.exec(event)?.[1] ?? '{}';
  return (JSON.parse(data) as { keys?: unknown[] }).keys?.length ?? 0;
}
