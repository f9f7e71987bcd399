import { describe, expect, it } from 'vitest';
import { type StreamKey } from '@/lib/api/cluster';
import { StreamHub } from '@/server/stream/hub';

const key = (name: string): StreamKey => ({
  cluster: 'c',
  resource: 'deployments.apps',
  namespace: 'shop',
  name,
});
const everything = (keys: readonly StreamKey[]) => Promise.resolve(keys);
const hello = { event: 'state', data: {} };

function read(stream: ReadableStream<Uint8Array>) {
  const reader = stream
    .pipeThrough(new TextDecoderStream() as never)
    .getReader() as ReadableStreamDefaultReader<string>;
  let text = '';
  return {
    async until(part: string): Promise<string> {
      while (!text.includes(part)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`ended without ${part}: ${text}`);
        text += value;
      }
      return text;
    },
    async end(): Promise<string> {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return text;
        text += value;
      }
    },
  };
}

function open(hub: StreamHub, lastEventId: string | null = null, sees = everything) {
  const abort = new AbortController();
  const stream = hub.open(sees, lastEventId, hello, abort.signal);
  if (stream === undefined) throw new Error('refused');
  return { abort, ...read(stream) };
}

describe('the stream of keys', () => {
  it('sends what changed, and only what the viewer may read', async () => {
    const hub = new StreamHub('e');
    const client = open(hub, null, (keys) => Promise.resolve(keys.filter(({ name }) => name !== 'hidden')));
    hub.publish([key('hidden')]);
    hub.publish([key('cart'), key('hidden')]);
    const text = await client.until('cart');
    expect(text).not.toContain('hidden');
    hub.close();
  });

  it('names nothing, but asks to look again, where nobody can say what the viewer may see', async () => {
    const hub = new StreamHub('e');
    const client = open(hub, null, () => Promise.reject(new Error('out of reach')));
    hub.publish([key('cart')]);
    expect(await client.until('event: resync')).not.toContain('cart');
    hub.close();
  });

  it('replays what a reader missed in a short gap', async () => {
    const hub = new StreamHub('e');
    hub.publish([key('one')]);
    hub.publish([key('two')]);
    const client = open(hub, 'e-1');
    const text = await client.until('two');
    expect(text).not.toContain('"one"');
    hub.close();
  });

  it.each(['other-1', 'e-nonsense', 'garbage'])(
    'asks for a resync after %s, which it cannot replay',
    async (id) => {
      const hub = new StreamHub('e');
      hub.publish([key('one')]);
      await open(hub, id).until('event: resync');
      hub.close();
    },
  );

  it('asks for a resync when the gap is longer than what it keeps', async () => {
    const hub = new StreamHub('e');
    for (let count = 0; count < 600; count += 1) hub.publish([key(`w${count}`)]);
    await open(hub, 'e-1').until('event: resync');
    hub.close();
  });

  it('tells a reader that lags to resync instead of queueing without bound', async () => {
    const hub = new StreamHub('e');
    const client = open(hub);
    await client.until('event: state');
    const many = Array.from({ length: 100 }, (_, index) => key(`workload-with-a-long-name-${index}`));
    for (let count = 0; count < 50; count += 1) {
      hub.publish(many);
      await Promise.resolve();
    }
    await client.until('event: change');
    const pump = client.until('event: resync');
    for (let count = 0; count < 20; count += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      hub.publish([key('later')]);
    }
    await pump;
    hub.close();
  });

  it('forgets readers that left, and ends the others when it closes', async () => {
    const hub = new StreamHub('e');
    const gone = open(hub);
    const stays = open(hub);
    gone.abort.abort();
    expect(hub.size).toBe(1);
    hub.close();
    expect(await stays.end()).toContain('event: bye');
    expect(hub.size).toBe(0);
    expect(hub.open(everything, null, hello, new AbortController().signal)).toBeUndefined();
  });
});
