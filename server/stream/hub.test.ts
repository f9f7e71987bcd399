import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { StreamKey } from '@/lib/api/cluster';
import { AppError } from '@/lib/errors';
import { personAs } from '@/server/identity/testing/fixed-identity';
import { StreamHub } from '@/server/stream/hub';
import { processViewer, viewerNamed } from '@/server/shared/testing/viewers';

const key = (name: string): StreamKey => ({
  cluster: 'c',
  resource: 'deployments.apps',
  namespace: 'shop',
  name,
});
const everything = (keys: readonly StreamKey[]) => Promise.resolve(keys);
const self = processViewer('admin');
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

function open(hub: StreamHub, lastEventId: string | null = null, sees = everything, viewer = self) {
  const abort = new AbortController();
  return { abort, ...read(hub.open(personAs(viewer), sees, lastEventId, hello, abort.signal)) };
}

/** The ids of the received events, in the order of arrival. */
const idsIn = (text: string) => [...text.matchAll(/^id: e-(\d+)$/gm)].map(([, id]) => Number(id));

describe('the stream of keys', () => {
  it('sends the changed keys, and only those that the viewer is allowed to read', async () => {
    const hub = new StreamHub('e');
    const client = open(hub, null, (keys) => Promise.resolve(keys.filter(({ name }) => name !== 'hidden')));
    hub.publish([key('hidden')]);
    hub.publish([key('cart'), key('hidden')]);
    const text = await client.until('cart');
    expect(text).not.toContain('hidden');
    hub.close();
  });

  it('sends a request to refetch without names while the viewer’s rights are unknown', async () => {
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

  it('asks for a resync when the gap is longer than the ring', async () => {
    const hub = new StreamHub('e');
    for (let count = 0; count < 600; count += 1) hub.publish([key(`w${count}`)]);
    await open(hub, 'e-1').until('event: resync');
    hub.close();
  });

  it('sends changes in their order, though a review of an earlier one takes longer', async () => {
    const hub = new StreamHub('e');
    const first = Promise.withResolvers<readonly StreamKey[]>();
    const client = open(hub, null, (keys) => (keys[0]?.name === 'one' ? first.promise : everything(keys)));
    hub.publish([key('one')]);
    hub.publish([key('two')]);
    await nextTurn();
    first.resolve([key('one')]);
    const text = await client.until('two');
    expect(text.indexOf('"one"')).toBeGreaterThan(-1);
    expect(idsIn(text)).toEqual([0, 1, 2]);
    hub.close();
  });

  it('replays a change whose review was still pending when the connection broke', async () => {
    const hub = new StreamHub('e');
    const never = new Promise<never>(() => undefined);
    const client = open(hub, null, (keys) => (keys[0]?.name === 'slow' ? never : everything(keys)));
    hub.publish([key('known')]);
    const seen = idsIn(await client.until('known')).at(-1);
    hub.publish([key('slow')]);
    hub.publish([key('later')]);
    await nextTurn();
    client.abort.abort();
    const text = await open(hub, `e-${seen}`, everything, viewerNamed('back')).until('later');
    expect(text).toContain('"slow"');
    hub.close();
  });

  it('gives a browser that is cut off before the first change an id to reconnect with', async () => {
    const hub = new StreamHub('e');
    hub.publish([key('before')]);
    const client = open(hub);
    const [id] = idsIn(await client.until('event: state'));
    client.abort.abort();
    hub.publish([key('meanwhile')]);
    const text = await open(hub, `e-${id}`).until('meanwhile');
    expect(text).not.toContain('resync');
    expect(text).not.toContain('"before"');
    hub.close();
  });

  it('gives no new id to a browser that has not received its resync yet', async () => {
    const hub = new StreamHub('e');
    hub.publish([key('one')]);
    const text = await open(hub, 'old-7').until('event: resync');
    expect(text.slice(0, text.indexOf('event: state'))).not.toContain('id:');
    hub.close();
  });

  it('gives a lagging reader what it missed, and a resync where the ring no longer has it', async () => {
    const hub = new StreamHub('e');
    const many = Array.from({ length: 100 }, (_, index) => key(`workload-with-a-long-name-${index}`));
    const slow = open(hub);
    const slower = open(hub);
    for (let count = 0; count < 100; count += 1) hub.publish(many);
    for (let count = 0; count < 20; count += 1) await nextTurn();
    hub.publish([key('later')]);
    const text = await slow.until('later');
    expect(text).not.toContain('resync');
    expect(idsIn(text)).toEqual(Array.from({ length: 102 }, (_, index) => index));
    for (let count = 0; count < 600; count += 1) hub.publish([key('storm')]);
    expect(await slower.until('event: resync')).not.toContain('storm');
    hub.close();
  });

  it('sends a lagging reader the latest state once it reads again', async () => {
    const hub = new StreamHub('e');
    const many = Array.from({ length: 100 }, (_, index) => key(`workload-with-a-long-name-${index}`));
    const client = open(hub);
    for (let count = 0; count < 100; count += 1) hub.publish(many);
    for (let count = 0; count < 20; count += 1) await nextTurn();
    hub.announce('state', () => ({ state: 'unreachable' }));
    hub.announce('state', () => ({ state: 'connected' }));
    expect(await client.until('"state":"connected"')).not.toContain('unreachable');
    hub.close();
  });

  it('sends each viewer the state that it is allowed to know', async () => {
    const hub = new StreamHub('e');
    const own = open(hub);
    const other = open(hub, null, everything, viewerNamed('ana'));
    hub.announce('state', ({ isProcess }) => ({ why: isProcess ? 'plugin' : 'no' }));
    expect(await own.until('"why"')).toContain('plugin');
    expect(await other.until('"why"')).not.toContain('plugin');
    hub.close();
  });

  it('tells those viewers to refetch whose rights have changed, and no one else', async () => {
    const hub = new StreamHub('e');
    const [own, other] = [viewerNamed('ana'), viewerNamed('ben')].map((viewer) =>
      open(hub, null, everything, viewer),
    );
    hub.resync(({ name }) => name === 'ana');
    hub.publish([key('cart')]);
    expect(await own?.until('event: resync')).not.toContain('cart');
    expect(await other?.until('cart')).not.toContain('resync');
    hub.close();
  });

  it('reaches 600 readers in slices, with one review per viewer and change', async () => {
    const hub = new StreamHub('e');
    let asked = 0;
    const sees = (keys: readonly StreamKey[]) => {
      asked += 1;
      return everything(keys);
    };
    const clients = Array.from({ length: 600 }, () => open(hub, null, sees));
    await Promise.all(clients.map((client) => client.until('event: state')));
    let heard = 0;
    const all = Promise.all(clients.map((client) => client.until('cart').then(() => (heard += 1))));
    hub.publish([key('cart')]);
    const perTurn: number[] = [];
    while (heard < 600) {
      const before = heard;
      await nextTurn();
      perTurn.push(heard - before);
    }
    await all;
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(100);
    expect(asked).toBe(1);
    hub.close();
  });

  it('sends viewers who see all of a change the same bytes, and others only what they see', async () => {
    const hub = new StreamHub('e');
    const [ana, bob, eve] = ['ana', 'bob', 'eve'].map((name) => viewerNamed(name));
    const some = (keys: readonly StreamKey[]) => Promise.resolve(keys.filter(({ name }) => name === 'cart'));
    const clients = [open(hub, null, everything, ana), open(hub, null, everything, bob)];
    const limited = open(hub, null, some, eve);
    for (const change of ['first', 'second']) {
      hub.publish([key('cart'), key(`pay-${change}`)]);
      for (const client of clients) expect(await client.until(`pay-${change}`)).toContain('cart');
    }
    expect(await limited.until('id: e-2\n')).not.toContain('pay');
    hub.close();
  });

  it('names no more than 200 keys at once, and stores no more for a replay', async () => {
    const hub = new StreamHub('e');
    const storm = Array.from({ length: 201 }, (_, index) => key(`w${index}`));
    const client = open(hub);
    hub.publish(storm);
    expect(await client.until('event: resync')).not.toContain('"w0"');
    expect(await open(hub, 'e-0').until('event: resync')).not.toContain('"w0"');
    hub.close();
  });

  it('one viewer cannot take the streams of others', () => {
    const hub = new StreamHub('e');
    const ana = viewerNamed('ana');
    for (let count = 0; count < 20; count += 1) open(hub, null, everything, ana);
    expect(() => open(hub, null, everything, ana)).toThrow(AppError);
    expect(() => open(hub, null, everything, viewerNamed('ben'))).not.toThrow();
    for (let count = 0; count < 800; count += 1) open(hub);
    expect(() => open(hub)).toThrow(/800 event streams/);
    expect(() => open(hub, null, everything, viewerNamed('eve'))).not.toThrow();
    hub.close();
  });

  it('holds nothing for a browser that left before it was answered', () => {
    const hub = new StreamHub('e');
    hub.open(personAs(self), everything, null, hello, AbortSignal.abort());
    expect(hub.size).toBe(0);
  });

  it('removes readers that left, and ends the others when it closes', async () => {
    const hub = new StreamHub('e');
    const gone = open(hub);
    const stays = open(hub);
    gone.abort.abort();
    expect(hub.size).toBe(1);
    hub.close();
    expect(await stays.end()).toContain('event: bye');
    expect(hub.size).toBe(0);
    expect(() => open(hub)).toThrow(/shutting down/);
  });
});
