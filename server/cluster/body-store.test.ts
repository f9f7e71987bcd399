import { describe, expect, it } from 'vitest';
import { BodyStore } from '@/server/cluster/body-store';

describe('the store of template bodies', () => {
  it('keeps one copy for all holders, until the last one lets go', () => {
    const store = new BodyStore();
    store.hold('a', () => '{"spec":{}}');
    store.hold('a', () => {
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
    store.hold('a', () => '{"spec":{"containers":[]}}');
    const first = store.read('a');
    delete first?.['spec'];
    expect(store.read('a')).toEqual({ spec: { containers: [] } });
  });

  it('ignores a release of what nobody holds', () => {
    const store = new BodyStore();
    store.release('never held');
    expect(store.size).toBe(0);
  });
});
