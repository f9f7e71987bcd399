// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { StreamEvent } from '@/components/shell/stream-event';
import { openSource } from '@/components/shell/stream-source';

/** A fake of the browser's EventSource, driven by the test. */
class FakeSource extends EventTarget {
  static readonly all: FakeSource[] = [];
  readyState = 0;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;

  constructor() {
    super();
    FakeSource.all.push(this);
  }

  say(type: string, data: string) {
    this.dispatchEvent(new MessageEvent(type, { data }));
  }

  open() {
    this.readyState = 1;
    this.onopen?.();
  }

  fail(readyState: 0 | 2) {
    this.readyState = readyState;
    this.onerror?.();
  }

  close() {
    this.readyState = 2;
  }
}

const key = { cluster: 'c', resource: 'deployments.apps', namespace: 'shop', name: 'cart' };
let events: StreamEvent[] = [];
let end: () => void;
let network: (isOnline: boolean) => void;

const sources = () => FakeSource.all;
const last = () => {
  const source = FakeSource.all.at(-1);
  if (!source) throw new Error('none opened');
  return source;
};
const types = () => events.map((event) => (event.type === 'link' ? event.link : event.type));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', { CLOSED: 2 });
  FakeSource.all.length = 0;
  events = [];
  end = openSource('/api/stream', (event) => events.push(event), {
    createSource: () => new FakeSource() as unknown as EventSource,
    nowMs: () => Date.now(),
    random: () => 1,
    watchNetwork: (onChange) => {
      network = onChange;
      return () => undefined;
    },
  });
});

afterEach(() => {
  end();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('reports opening and keys, and requests a resync for an event that it cannot parse', () => {
  last().open();
  last().say('change', JSON.stringify({ keys: [key] }));
  last().say('change', '{"keys":[{"nonsense":1}]}');
  last().say('change', 'no json');
  last().say('resync', '{}');
  expect(types()).toEqual(['live', 'opened', 'change', 'resync', 'resync', 'resync']);
  expect(events[2]).toEqual({ type: 'change', keys: [key] });
});

test('lets the browser resume a short interruption without reporting it', () => {
  last().open();
  last().fail(0);
  vi.advanceTimersByTime(1_000);
  last().open();
  vi.advanceTimersByTime(60_000);
  expect(types()).toEqual(['live', 'opened', 'connecting', 'live']);
  expect(sources()).toHaveLength(1);
});

test('reports a longer interruption as lost, with its start', () => {
  last().open();
  const cutMs = Date.now();
  last().fail(0);
  vi.advanceTimersByTime(1_500);
  expect(events.at(-1)).toEqual({ type: 'link', link: 'lost', sinceMs: cutMs });
});

test('opens a new connection with growing pauses after a refusal', () => {
  const pausesMs = [];
  for (let round = 0; round < 6; round += 1) {
    const before = sources().length;
    last().fail(2);
    let waitedMs = 0;
    while (sources().length === before) {
      vi.advanceTimersByTime(500);
      waitedMs += 500;
    }
    pausesMs.push(waitedMs);
  }
  expect(pausesMs).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  last().open();
  expect(types().slice(-2)).toEqual(['live', 'opened']);
});

test('holds no connection and no timer once closed', () => {
  last().fail(2);
  end();
  vi.advanceTimersByTime(60_000);
  expect(sources()).toHaveLength(1);
  expect(last().readyState).toBe(2);
  expect(vi.getTimerCount()).toBe(0);
});

test('reports a browser without a network as lost at once, and reconnects when it is back', () => {
  last().open();
  const cutMs = Date.now();
  network(false);
  expect(events.at(-1)).toEqual({ type: 'link', link: 'lost', sinceMs: cutMs });
  expect(last().readyState).toBe(2);
  network(true);
  expect(sources()).toHaveLength(2);
  last().open();
  expect(types()).toEqual(['live', 'opened', 'lost', 'connecting', 'live', 'opened']);
});
