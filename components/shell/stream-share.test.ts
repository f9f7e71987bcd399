// @vitest-environment jsdom
import { afterEach, expect, test } from 'vitest';
import type { StreamEvent } from '@/components/shell/stream-event';
import { type ShareEnvironment, shareStream } from '@/components/shell/stream-share';

/** Locks as in browsers: one holder of a name, the others queue. */
function fakeLocks() {
  const waiting = new Map<string, (() => void)[]>();

  return {
    request: (name: string, { signal }: { signal: AbortSignal }, hold: () => Promise<void>) =>
      new Promise<void>((resolve, reject) => {
        const queue = waiting.get(name);
        const next = () => {
          const first = waiting.get(name)?.shift();
          if (first) first();
          else waiting.delete(name);
        };
        const take = () => {
          if (signal.aborted) return next();
          void hold().then(() => {
            resolve();
            next();
          });
        };
        signal.addEventListener('abort', () => reject(new DOMException('left', 'AbortError')));
        if (queue) return queue.push(take);
        waiting.set(name, []);
        take();
      }),
  } as unknown as LockManager;
}

/** Channels that deliver at once to all others of their name. */
function fakeChannels() {
  const open = new Set<BroadcastChannel>();
  return (name: string) => {
    const channel = {
      name,
      onmessage: null,
      postMessage: (data: unknown) => {
        for (const other of open) {
          if (other !== channel && other.name === name)
            other.onmessage?.(new MessageEvent('message', { data }));
        }
      },
      close: () => open.delete(channel),
    } as unknown as BroadcastChannel;
    open.add(channel);
    return channel;
  };
}

const live: StreamEvent = { type: 'link', link: 'live', sinceMs: 1 };
const change: StreamEvent = { type: 'change', keys: [] };
const leaves: (() => void)[] = [];
let emits: ((event: StreamEvent) => void)[] = [];
let openCount = 0;

function browser(hasLocks: boolean) {
  const locks = hasLocks ? fakeLocks() : undefined;
  const createChannel = hasLocks ? fakeChannels() : undefined;
  const environment = (document: ShareEnvironment['document']): ShareEnvironment => ({
    locks,
    createChannel,
    document,
    open: (emit) => {
      openCount += 1;
      emits.push(emit);
      return () => {
        openCount -= 1;
        emits = emits.filter((known) => known !== emit);
      };
    },
  });
  return function openTab(document: ShareEnvironment['document'] = globalThis.document) {
    const heard: StreamEvent['type'][] = [];
    const leave = shareStream((event) => heard.push(event.type), environment(document));
    leaves.push(leave);
    return { heard, leave };
  };
}

afterEach(() => {
  for (const leave of leaves.splice(0)) leave();
  emits = [];
  openCount = 0;
  delete document.documentElement.dataset.viewer;
});

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('shares one connection between many tabs, and every tab gets every event', () => {
  const openTab = browser(true);
  const tabs = [openTab(), openTab(), openTab()];
  expect(openCount).toBe(1);
  emits[0]?.(live);
  emits[0]?.(change);
  expect(tabs[0]?.heard).toEqual(['link', 'change']);
  expect(tabs[1]?.heard).toEqual(['opened', 'link', 'change']);
  expect(tabs[2]?.heard).toEqual(['opened', 'link', 'change']);
});

test('never forwards the events of one viewer to a tab of another in the same browser', async () => {
  const openTab = browser(true);
  document.documentElement.dataset.viewer = 'maja';
  const majas = [openTab(), openTab()];
  emits[0]?.(live);
  document.documentElement.dataset.viewer = 'tom';
  const toms = [openTab(), openTab()];
  expect(openCount).toBe(2);
  emits[0]?.(change);
  expect(majas.map(({ heard }) => heard)).toEqual([
    ['link', 'change'],
    ['opened', 'link', 'change'],
  ]);
  expect(toms.map(({ heard }) => heard)).toEqual([[], []]);

  for (const { leave } of majas) leave();
  await settle();
  expect(openCount).toBe(1);
  emits[0]?.(live);
  expect(toms.map(({ heard }) => heard)).toEqual([['link'], ['opened', 'link']]);
});

test('sends the current state to a later tab, and that it may have missed events', () => {
  const openTab = browser(true);
  openTab();
  emits[0]?.(live);
  expect(openTab().heard).toEqual(['opened', 'link']);
});

test('passes the lead to another tab with its own connection when the leading tab closes', async () => {
  const openTab = browser(true);
  const first = openTab();
  const second = openTab();
  first.leave();
  await settle();
  expect(openCount).toBe(1);
  emits[0]?.(live);
  expect(second.heard).toContain('link');
});

test('opens a connection per tab without locks, while the tab is visible', () => {
  const openTab = browser(false);
  let hidden = false;
  const listeners: (() => void)[] = [];
  const document = {
    get hidden() {
      return hidden;
    },
    addEventListener: (_type: string, listener: () => void) => listeners.push(listener),
    removeEventListener: () => undefined,
  } as unknown as ShareEnvironment['document'];
  const tab = openTab(document);
  const turn = (to: boolean) => {
    hidden = to;
    for (const listener of listeners) listener();
  };
  expect(openCount).toBe(1);
  turn(true);
  expect(openCount).toBe(0);
  turn(false);
  expect(openCount).toBe(1);
  tab.leave();
  expect(openCount).toBe(0);
});
