import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import type { KubeObject } from '@/lib/kube/object';
import { Reflector, type ReflectorOptions, type ReflectorState } from '@/server/cluster/reflector';
import type { ReflectorChange } from '@/server/cluster/reflector-store';
import {
  statusError,
  FakeCollection,
  expiredError,
  resetError,
  valuesOf,
} from '@/server/cluster/testing/fake-collection';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';

interface StoredValue {
  readonly value: number;
}

function setUp(options: Partial<ReflectorOptions<StoredValue>> = {}) {
  const api = new FakeCollection();
  const clock = new VirtualClock();
  const changes: ReflectorChange<StoredValue>[] = [];
  const states: ReflectorState[] = [];
  const reflector = new Reflector<StoredValue>({
    transport: api,
    path: '/apis/example/v1/things',
    pageSize: 3,
    ingest: (object) => ({ value: valueOf(object) }),
    onChange: (change) => changes.push(change),
    onState: (state) => states.push(state),
    clock,
    random: () => 0.5,
    ...options,
  });
  const watching = () => clock.until(() => reflector.state.phase === 'watching' && api.openWatches === 1);
  return { api, clock, changes, states, reflector, watching };
}

function valueOf(object: KubeObject): number {
  const value = object.spec?.value;
  if (typeof value !== 'number') throw new Error('no number');
  return value;
}

function storeOf(reflector: Reflector<StoredValue>): Record<string, number> {
  return Object.fromEntries([...reflector.store].map(([key, held]) => [key, held.value]));
}

function listsOf(api: FakeCollection): number {
  return api.requests.filter(({ query }) => query?.watch === undefined && query?.continue === undefined)
    .length;
}

function fill(api: FakeCollection, count: number): void {
  for (let index = 0; index < count; index += 1) api.put(`thing-${index}`, index);
}

test('a list in pages and the events after it make the store equal to the collection', async () => {
  const { api, clock, reflector, watching, states } = setUp();
  fill(api, 8);
  reflector.start();
  await watching();
  api.put('thing-1', 100);
  api.put('late', 9);
  api.delete('thing-2');
  await clock.settle();
  expect(storeOf(reflector)).toEqual(valuesOf(api));
  expect(api.requests.map(({ query }) => query?.limit ?? 'watch')).toEqual(['3', '3', '3', 'watch']);
  expect(states.map(({ phase, synced }) => [phase, synced])).toEqual([
    ['listing', false],
    ['listing', true],
    ['watching', true],
  ]);
  await reflector.stop();
  expect(reflector.state.phase).toBe('stopped');
  expect(api.openWatches).toBe(0);
  expect(clock.sleeping).toBe(0);
});

test('items of a list get the kind and version of the list', async () => {
  const kinds: string[] = [];
  const { api, reflector, watching } = setUp({
    ingest: (object) => {
      kinds.push(`${object.apiVersion} ${object.kind}`);
      return { value: 0 };
    },
  });
  fill(api, 1);
  reflector.start();
  await watching();
  expect(kinds).toEqual(['example/v1 Thing']);
  await reflector.stop();
});

test('resumes a watch that ended cleanly from the last version, without another list', async () => {
  const { api, clock, reflector, watching } = setUp();
  fill(api, 2);
  reflector.start();
  await watching();
  api.put('thing-0', 50);
  await clock.advance(60_000);
  api.endWatches();
  api.put('missed-meanwhile', 7);
  await clock.settle();
  expect(storeOf(reflector)).toEqual(valuesOf(api));
  expect(listsOf(api)).toBe(1);
  expect(api.requests.at(-1)?.query?.resourceVersion).toBe('103');
  await reflector.stop();
});

test('a bookmark moves the version from which a watch is resumed', async () => {
  const { api, clock, reflector, watching } = setUp();
  reflector.start();
  await watching();
  api.dropEvents(1);
  api.put('a', 1);
  api.bookmark();
  await clock.advance(5_000);
  api.endWatches();
  await clock.settle();
  expect(api.requests.at(-1)?.query).toMatchObject({ resourceVersion: '101', allowWatchBookmarks: 'true' });
  await reflector.stop();
});

test.each([false, true])(
  'lists again after an expired version, and compares the list with the store (in stream: %s)',
  async (inStream) => {
    const { api, clock, reflector, watching, changes } = setUp();
    api.expireInStream = inStream;
    fill(api, 5);
    reflector.start();
    await watching();
    await clock.advance(80_000);
    changes.length = 0;
    api.muteWatches();
    api.put('thing-1', 11);
    api.delete('thing-2');
    api.put('new', 3);
    api.compact();
    api.cutWatches();
    await clock.until(() => listsOf(api) === 2);
    await watching();
    expect(storeOf(reflector)).toEqual(valuesOf(api));
    expect(changes.map(({ type, key }) => `${type} ${key}`).sort()).toEqual([
      'added shop/new',
      'deleted shop/thing-2',
      'updated shop/thing-1',
    ]);
    await reflector.stop();
  },
);

test('starts again a list that expires between two pages, at last in one piece', async () => {
  const { api, clock, reflector, watching } = setUp();
  fill(api, 7);
  const text = api.text.bind(api);
  let pages = 0;
  api.text = (request) => {
    pages += 1;
    if (request.query?.continue !== undefined) api.compact();
    if (request.query?.continue !== undefined) api.put('moving', pages);
    if (request.query?.continue !== undefined) api.compact();
    return text(request);
  };
  reflector.start();
  await watching();
  expect(api.requests.filter(({ query }) => query?.watch === undefined).at(-1)?.query?.limit).toBeUndefined();
  expect(storeOf(reflector)).toEqual(valuesOf(api));
  await clock.settle();
  await reflector.stop();
});

test('reopens a silent watch from the last version, and compares the store', async () => {
  const { api, clock, reflector, watching } = setUp();
  fill(api, 1);
  reflector.start();
  await watching();
  api.muteWatches();
  api.put('thing-0', 5);
  await clock.advance(89_000);
  expect(storeOf(reflector)).toEqual({ 'shop/thing-0': 0 });
  await clock.advance(2_000);
  expect(storeOf(reflector)).toEqual({ 'shop/thing-0': 5 });
  expect(api.requests.map(({ query }) => query?.resourceVersionMatch ?? query?.watch ?? 'list')).toEqual([
    'list',
    '1',
    '1',
    'Exact',
  ]);
  expect(api.openWatches).toBe(1);
  await reflector.stop();
});

test('resumes a watch on another connection, from the last version', async () => {
  const { api, clock, reflector, watching } = setUp();
  fill(api, 1);
  reflector.start();
  await watching();
  await clock.advance(2_000);
  api.muteWatches();
  api.put('thing-0', 5);
  reflector.reopen();
  await clock.settle();
  expect(storeOf(reflector)).toEqual({ 'shop/thing-0': 5 });
  expect(listsOf(api)).toBe(1);
  expect(api.openWatches).toBe(1);
  await reflector.stop();
});

test('leaves a watch with events alone', async () => {
  const { api, clock, reflector, watching } = setUp();
  reflector.start();
  await watching();
  const before = api.requests.length;
  for (let minute = 0; minute < 5; minute += 1) {
    await clock.advance(60_000);
    api.bookmark();
  }
  await clock.settle();
  expect(api.requests.length).toBe(before);
  expect(reflector.state.lastContactAt).toBe(clock.now());
  await reflector.stop();
});

test('waits between attempts grow from under a second to half a minute, and events missed meanwhile arrive', async () => {
  const { api, clock, reflector, watching } = setUp();
  fill(api, 1);
  reflector.start();
  await watching();
  api.fail(...Array.from({ length: 8 }, resetError));
  const at: number[] = [];
  const stream = api.stream.bind(api);
  api.stream = (request) => {
    at.push(clock.now());
    return stream(request);
  };
  api.cutWatches();
  api.put('thing-0', 1);
  await clock.until(() => reflector.state.phase === 'retrying');
  expect(reflector.state.error?.code).toBe('cluster_unreachable');
  await watching();
  const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  expect(waits).toEqual([1200, 2400, 4800, 9600, 19_200, 22_500, 22_500, 22_500]);
  expect(storeOf(reflector)).toEqual({ 'shop/thing-0': 1 });
  expect(listsOf(api)).toBe(1);
  expect(reflector.state.error).toBeUndefined();
  await reflector.stop();
});

test('replaces a resume that is rejected again and again with a new list', async () => {
  const { api, clock, reflector, watching } = setUp();
  fill(api, 2);
  reflector.start();
  await watching();
  api.fail(...Array.from({ length: 3 }, () => statusError(500, 'InternalError', 'no such version')));
  api.cutWatches();
  await clock.until(() => listsOf(api) === 2);
  await watching();
  expect(api.requests.length).toBe(7);
  await reflector.stop();
});

test('notices an API server that was restored to an older state, though its watches open and are silent', async () => {
  const { api, clock, reflector, watching } = setUp();
  fill(api, 2);
  reflector.start();
  await watching();
  api.restore();
  api.put('after-restore', 4);
  await clock.advance(100_000);
  expect(storeOf(reflector)).toEqual(valuesOf(api));
  expect(reflector.state).toMatchObject({ phase: 'watching', resourceVersion: '53' });
  await reflector.stop();
});

test('an API server known to be back ends the wait for the next attempt', async () => {
  const { api, clock, reflector, watching } = setUp();
  reflector.start();
  await watching();
  api.fail(...Array.from({ length: 6 }, resetError));
  api.cutWatches();
  await clock.until(() => api.requests.length === 8);
  const before = clock.now();
  reflector.retryNow();
  await clock.settle();
  expect(reflector.state.phase).toBe('watching');
  expect(clock.now()).toBe(before);
  await reflector.stop();
});

test('waits as long as the API server requests', async () => {
  const { api, clock, reflector } = setUp();
  api.fail(
    new AppError('rate_limited', 'API server: too many requests', { status: 429, retryAfterMs: 17_000 }),
  );
  reflector.start();
  await clock.advance(16_900);
  expect(reflector.state.phase).toBe('retrying');
  await clock.advance(200);
  expect(reflector.state.phase).toBe('watching');
  await reflector.stop();
});

test.each([
  ['forbidden', statusError(403, 'Forbidden', 'may not list things')],
  ['unserved', statusError(404, 'NotFound', 'the server could not find the requested resource')],
] as const)(
  'reports a collection that is %s, and reads it as soon as that has changed',
  async (phase, error) => {
    const { api, clock, reflector, states } = setUp();
    fill(api, 2);
    api.fail(...Array.from({ length: 40 }, () => error));
    reflector.start();
    await clock.advance(600_000);
    expect(reflector.state).toMatchObject({ phase, synced: false, error });
    expect(states.map((state) => state.phase)).not.toContain('retrying');
    expect(api.requests.length).toBeLessThan(25);
    api.clearFailures();
    await clock.advance(60_000);
    expect(reflector.state).toMatchObject({ phase: 'watching', synced: true, error: undefined });
    expect(storeOf(reflector)).toEqual(valuesOf(api));
    await reflector.stop();
  },
);

test('another object under the same name is a deletion and an addition', async () => {
  const { api, clock, reflector, watching, changes } = setUp();
  api.put('cart', 1);
  reflector.start();
  await watching();
  changes.length = 0;
  api.muteWatches();
  api.delete('cart');
  api.put('cart', 2);
  api.compact();
  api.cutWatches();
  await clock.until(() => changes.length > 0);
  await watching();
  expect(changes.map(({ type, uid, value }) => [type, uid, value.value])).toEqual([
    ['deleted', 'uid-1', 1],
    ['added', 'uid-2', 2],
  ]);
  await reflector.stop();
});

test('a deletion carries the last state, even one that the store never had', async () => {
  const { api, clock, reflector, watching, changes } = setUp();
  api.put('cart', 1);
  reflector.start();
  await watching();
  api.dropEvents(1);
  api.put('cart', 2);
  api.delete('cart');
  await clock.settle();
  expect(changes.at(-1)).toMatchObject({ type: 'deleted', value: { value: 2 }, previous: { value: 1 } });
  expect(reflector.store.size).toBe(0);
  await reflector.stop();
});

test('an event that comes twice changes nothing', async () => {
  const { api, clock, reflector, watching, changes } = setUp();
  reflector.start();
  await watching();
  api.put('cart', 1);
  api.repeat();
  api.delete('cart');
  api.repeat();
  await clock.settle();
  expect(changes.map(({ type }) => type)).toEqual(['added', 'deleted']);
  await reflector.stop();
});

test('counts an object that cannot be ingested and skips it until its next version', async () => {
  const { api, clock, reflector, watching } = setUp({
    ingest: (object) => {
      if (valueOf(object) === 13) throw new Error('thirteen');
      return { value: valueOf(object) };
    },
  });
  fill(api, 2);
  api.put('bad', 13);
  reflector.start();
  await watching();
  expect(reflector.state.ingestFailures).toBe(1);
  api.put('thing-0', 13);
  await clock.settle();
  expect(storeOf(reflector)).toEqual({ 'shop/thing-0': 0, 'shop/thing-1': 1 });
  api.put('bad', 14);
  await clock.settle();
  expect(storeOf(reflector)).toMatchObject({ 'shop/bad': 14 });
  expect(reflector.state).toMatchObject({ phase: 'watching', ingestFailures: 2 });
  await reflector.stop();
});

test('a listener that throws stops nothing', async () => {
  const { api, clock, reflector, watching } = setUp({
    onChange: () => {
      throw new Error('listener');
    },
    onState: () => {
      throw new Error('listener');
    },
  });
  fill(api, 2);
  reflector.start();
  await watching();
  api.put('late', 1);
  await clock.settle();
  expect(storeOf(reflector)).toEqual(valuesOf(api));
  await reflector.stop();
});

test('notices a lost event by comparing versions, and repairs the store with a new list', async () => {
  const { api, clock, reflector, watching } = setUp();
  fill(api, 4);
  reflector.start();
  await watching();
  api.dropEvents(3);
  api.put('thing-0', 99);
  api.delete('thing-1');
  api.put('never-told', 1);
  api.put('told', 1);
  await clock.settle();
  expect(storeOf(reflector)).not.toEqual(valuesOf(api));
  await quietMinutes(api, clock, 13);
  expect(storeOf(reflector)).toEqual(valuesOf(api));
  const lists = api.requests.filter(({ query }) => query?.resourceVersionMatch === 'Exact');
  expect(lists[0]?.accept).toContain('PartialObjectMetadataList');
  expect(listsOf(api)).toBe(3);
  await reflector.stop();
});

test('notices events in the wrong order, and repairs the store with a new list', async () => {
  const { api, clock, reflector, watching } = setUp();
  fill(api, 1);
  reflector.start();
  await watching();
  api.dropEvents(2);
  api.put('thing-0', 50);
  api.put('thing-0', 51);
  for (const [value, resourceVersion] of [
    [51, '103'],
    [50, '102'],
  ] as const) {
    const metadata = { namespace: 'shop', name: 'thing-0', uid: 'uid-1', resourceVersion };
    const object = { apiVersion: 'example/v1', kind: 'Thing', metadata, spec: { value } };
    api.send(JSON.stringify({ type: 'MODIFIED', object }));
  }
  await clock.advance(1_000);
  expect(storeOf(reflector)).toEqual({ 'shop/thing-0': 51 });
  expect(listsOf(api)).toBe(2);
  await reflector.stop();
});

test('notices a lost event while one watch remains open', async () => {
  const { api, clock, reflector, watching } = setUp({ compareEveryMs: 2_000 });
  fill(api, 2);
  reflector.start();
  await watching();
  api.dropEvents(1);
  api.put('thing-0', 99);
  api.put('told', 1);
  await clock.advance(2_500);
  expect(storeOf(reflector)).toEqual(valuesOf(api));
  await reflector.stop();
});

test('reports since when no watch is open', async () => {
  const { api, clock, reflector, watching } = setUp();
  expect(reflector.state.unfollowedSince).toBe(clock.now());
  reflector.start();
  await watching();
  expect(reflector.state.unfollowedSince).toBeUndefined();
  api.fail(resetError(), resetError());
  await clock.advance(5_000);
  const endedAt = clock.now();
  api.endWatches();
  await clock.advance(500);
  expect(reflector.state).toMatchObject({ phase: 'retrying', unfollowedSince: endedAt });
  await clock.advance(5_000);
  expect(reflector.state).toMatchObject({ phase: 'watching', unfollowedSince: undefined });
  await reflector.stop();
});

test('compares a complete store without another list', async () => {
  const { api, clock, reflector, watching } = setUp();
  fill(api, 4);
  reflector.start();
  await watching();
  await quietMinutes(api, clock, 26);
  const lists = api.requests.filter(
    ({ query }) => query?.watch === undefined && query?.continue === undefined,
  );
  expect(lists.map(({ query }) => query?.resourceVersionMatch)).toEqual([undefined, 'Exact', 'Exact']);
  await reflector.stop();
});

test('a stopped reflector resumes when started again', async () => {
  const { api, clock, reflector, watching } = setUp();
  fill(api, 2);
  reflector.start();
  await watching();
  await reflector.stop();
  api.put('meanwhile', 5);
  reflector.start();
  await watching();
  await clock.settle();
  expect(storeOf(reflector)).toEqual(valuesOf(api));
  expect(listsOf(api)).toBe(1);
  await reflector.stop();
});

const names = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const fault = fc.oneof(
  fc.record({ do: fc.constant('put' as const), name: names, value: fc.nat(99) }),
  fc.record({ do: fc.constant('delete' as const), name: names }),
  fc.record({ do: fc.constant('lose' as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 200_000 }) }),
  fc.record({
    do: fc.constant('fail' as const),
    with: fc.array(
      fc.constantFrom(
        resetError,
        expiredError,
        () => statusError(403, 'Forbidden', 'no'),
        () => statusError(404, 'NotFound', 'no'),
        () => statusError(500, 'InternalError', 'etcdserver: leader changed'),
        () => new AppError('timeout', 'slow'),
        () => new AppError('rate_limited', 'busy', { status: 429, retryAfterMs: 3_000 }),
      ),
      { minLength: 1, maxLength: 4 },
    ),
  }),
  fc.record({
    do: fc.constantFrom(
      'settle' as const,
      'end' as const,
      'cut' as const,
      'mute' as const,
      'compact' as const,
      'restore' as const,
      'bookmark' as const,
      'repeat' as const,
      'garbage' as const,
    ),
  }),
);
type Fault = typeof fault extends fc.Arbitrary<infer A> ? A : never;

/** What an API server does by itself: a bookmark every minute, and an end to each watch after a while. */
async function quietMinutes(api: FakeCollection, clock: VirtualClock, minutes: number): Promise<void> {
  for (let minute = 1; minute <= minutes; minute += 1) {
    await clock.advance(60_000);
    api.bookmark();
    if (minute % 6 === 0) api.endWatches();
  }
  await clock.settle();
}

async function injectFault(api: FakeCollection, clock: VirtualClock, event: Fault): Promise<void> {
  switch (event.do) {
    case 'put':
      return api.put(event.name, event.value);
    case 'delete':
      return api.delete(event.name);
    case 'lose':
      return api.dropEvents(event.count);
    case 'wait':
      return clock.advance(event.ms);
    case 'fail':
      return api.fail(...event.with.map((make) => make()));
    case 'settle':
      return clock.settle();
    case 'end':
      return api.endWatches();
    case 'cut':
      return api.cutWatches();
    case 'mute':
      return api.muteWatches();
    case 'compact':
      return api.compact();
    case 'restore':
      return api.restore();
    case 'bookmark':
      return api.bookmark();
    case 'repeat':
      return api.repeat();
    case 'garbage':
      return api.send('{"type":"MODIFIED","object":{"kind":"Thi');
    default: {
      const unknown: never = event;
      throw new Error(JSON.stringify(unknown));
    }
  }
}

test('whatever happens meanwhile, no object is lost and no deleted one is retained', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fault, { maxLength: 40 }), fc.boolean(), async (accidents, inStream) => {
      let held = 0;
      const replayed = new Map<string, number>();
      const { api, clock, reflector } = setUp({
        ingest: (object) => {
          held += 1;
          return { value: valueOf(object) };
        },
        onChange: (change) => {
          if (change.type === 'deleted') {
            held -= change.value === change.previous ? 1 : 2;
            replayed.delete(change.key);
          } else {
            if (change.type === 'updated') held -= 1;
            replayed.set(change.key, change.value.value);
          }
        },
      });
      api.expireInStream = inStream;
      api.put('a', 1);
      api.put('b', 2);
      reflector.start();
      for (const event of accidents) await injectFault(api, clock, event);
      api.clearFailures();
      await quietMinutes(api, clock, 25);
      expect(reflector.state).toMatchObject({ phase: 'watching', synced: true, error: undefined });
      expect(storeOf(reflector)).toEqual(valuesOf(api));
      expect(Object.fromEntries(replayed)).toEqual(valuesOf(api));
      expect(held).toBe(api.objects.size);
      expect(api.openWatches).toBe(1);
      await reflector.stop();
      expect(clock.sleeping).toBe(0);
    }),
    { numRuns: 60 },
  );
});
