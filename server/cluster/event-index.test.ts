import { describe, expect, it } from 'vitest';
import type { EventSummary } from '@/server/cluster/cache';
import { EventIndex } from '@/server/cluster/event-index';

function event(uid: string, object: string, count = 1): EventSummary {
  return {
    uid,
    namespace: 'shop',
    type: 'Warning',
    reason: 'BackOff',
    message: 'Back-off restarting failed container',
    count,
    first: null,
    last: null,
    object: { kind: 'Pod', name: object, uid: object },
  };
}

describe('the index of events', () => {
  it('keeps the last 200 of an object', () => {
    const index = new EventIndex();
    for (let number = 0; number < 210; number += 1) index.add(event(`e${number}`, 'pod'));
    const kept = index.of('pod').map(({ uid }) => uid);
    expect(kept).toHaveLength(200);
    expect(kept[0]).toBe('e10');
    expect(index.size).toBe(200);
  });

  it('replaces an event that repeats', () => {
    const index = new EventIndex();
    index.add(event('e', 'pod', 1));
    index.add(event('e', 'pod', 7));
    expect(index.of('pod').map(({ count }) => count)).toEqual([7]);
    expect(index.size).toBe(1);
  });

  it('drops the objects that were quiet longest when there are too many events', () => {
    const index = new EventIndex();
    for (let number = 0; number < 20_100; number += 1) index.add(event('e', `pod-${number}`));
    expect(index.size).toBe(20_000);
    expect(index.of('pod-0')).toEqual([]);
    expect(index.of('pod-20099')).toHaveLength(1);
  });

  it('removes events that the API server deleted', () => {
    const index = new EventIndex();
    index.add(event('e', 'pod'));
    index.remove(event('e', 'pod'));
    index.remove(event('never seen', 'pod'));
    expect(index.of('pod')).toEqual([]);
    expect(index.size).toBe(0);
  });
});
