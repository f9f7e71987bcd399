import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BodyStore } from '@/server/cluster/body-store';

describe('the store of template bodies', () => {
  it('keeps one copy for all holders, until the last one releases it', () => {
    const store = new BodyStore();
    store.acquire('a', () => '{"spec":{}}');
    store.acquire('a', () => {
      throw new Error('asked for a text that it has');
    });
    store.release('a');
    expect(store.read('a')).toEqual({ spec: {} });
    store.release('a');
    expect(store.read('a')).toBeUndefined();
    expect(store.size).toBe(0);
  });

  it('gives every reader a copy of its own', () => {
    const store = new BodyStore();
    store.acquire('a', () => '{"spec":{"containers":[]}}');
    const first = store.read('a');
    delete first?.['spec'];
    expect(store.read('a')).toEqual({ spec: { containers: [] } });
  });

  it('ignores the release of a body without holders', () => {
    const store = new BodyStore();
    store.release('never held');
    expect(store.size).toBe(0);
  });

  it('holds the right bodies after any order of holds and releases, across its blocks', () => {
    const step = fc.record({ id: fc.nat(40), release: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
        const store = new BodyStore({ pendingCharsMax: 50_000 });
        const holders = new Map<number, number>();
        for (const { id, release } of steps) {
          const now = holders.get(id) ?? 0;
          holders.set(id, release ? Math.max(0, now - 1) : now + 1);
          if (release) store.release(String(id));
          else store.acquire(String(id), () => JSON.stringify(longBody(id)));
        }
        for (const [id, count] of holders) {
          expect(store.read(String(id))).toEqual(count > 0 ? longBody(id) : undefined);
        }
        expect(store.size).toBe([...holders.values()].filter((count) => count > 0).length);
      }),
      { numRuns: 30 },
    );
  });

  it('deflates in a pause the bodies that arrived in a rush', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const store = new BodyStore();
    for (let id = 0; id < 100; id += 1)
      store.acquire(String(id), () => JSON.stringify({ text: ' '.repeat(4_000) }));
    const inText = store.bytes;
    vi.advanceTimersByTime(10_000);
    expect(store.bytes).toBeLessThan(inText / 10);
    expect(store.read('7')).toEqual({ text: ' '.repeat(4_000) });
  });

  it('does not grow while bodies come and go', () => {
    const store = new BodyStore({ pendingCharsMax: 50_000 });
    const hold = (id: number) => store.acquire(String(id), () => JSON.stringify(longBody(id)));
    for (let id = 0; id < 100; id += 1) hold(id);
    const before = store.bytes;
    for (let id = 100; id < 2_000; id += 1) {
      hold(id);
      store.release(String(id - (id % 7 === 0 ? 100 : 1)));
    }
    for (let id = 0; id < 2_000; id += 1) if (id % 20 !== 0) store.release(String(id));
    expect(store.bytes).toBeLessThan(before * 2);
  });
});

/** Four thousand characters that deflate can do little about; with others in one block. */
function longBody(id: number) {
  const noise = Array.from({ length: 62 }, (_, part) =>
    createHash('sha256').update(`${id} ${part}`).digest('hex'),
  );
  return { id, ümlaut: '\ud83d\ude00', noise };
}
