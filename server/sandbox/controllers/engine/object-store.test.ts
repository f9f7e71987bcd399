import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type KubeObject } from '@/lib/kube/object';
import { FakeCollection, gone } from '@/server/cluster/testing/fake-collection';
import { silentLogger } from '@/server/log';
import { isAfter, ObjectStore } from '@/server/sandbox/controllers/engine/object-store';
import { NODES } from '@/server/sandbox/controllers/engine/resource-type';

const KEY = 'shop/a';
const never = new AbortController().signal;

let collection: FakeCollection;
let store: ObjectStore<KubeObject>;
let told: string[];

beforeEach(async () => {
  collection = new FakeCollection();
  collection.put('a', 1);
  store = new ObjectStore({ type: NODES, transport: collection, random: () => 0, log: silentLogger });
  told = [];
  store.start();
  await store.synced;
  await heard();
  store.onChange(({ object, before }) =>
    told.push(
      object === undefined
        ? `${before.metadata.name} gone`
        : `${object.metadata.name} ${String(valueOf(object))}`,
    ),
  );
});

afterEach(() => store.stop());

function valueOf({ spec }: KubeObject): unknown {
  return spec?.value;
}

/** Waits until the watch has told everything. */
async function heard(): Promise<void> {
  for (let version = String(versionNow()); !(await store.caughtUp(version, never));) collection.bookmark();
}

function versionNow(): number {
  return Math.max(
    100,
    ...[...collection.objects.values()].map(({ metadata }) => Number(metadata.resourceVersion)),
  );
}

/** The answer to a write, as the API server gives it. */
function answer(name: string): KubeObject {
  const object = collection.objects.get(`shop/${name}`);
  if (object === undefined) throw new Error(`There is no ${name}.`);
  return store.ingest(object as object as KubeObject);
}

describe('what was written from here', () => {
  test('is seen at once and told once, although the watch tells it again', async () => {
    collection.put('a', 2);
    store.learn(answer('a'));
    expect(valueOf(store.get(KEY) as KubeObject)).toBe(2);
    await heard();
    expect(told).toEqual(['a 2']);
  });

  test('gives way to what others wrote after it', async () => {
    collection.put('a', 2);
    const late = answer('a');
    collection.put('a', 3);
    await heard();
    store.learn(late);
    expect(valueOf(store.get(KEY) as KubeObject)).toBe(3);
    expect(told).toEqual(['a 2', 'a 3']);
  });

  test('stays gone when its deletion was told before the answer came', async () => {
    collection.put('b', 1);
    const late = answer('b');
    collection.delete('b');
    collection.put('c', 1);
    await heard();
    store.learn(late);
    expect(store.get('shop/b')).toBeUndefined();
  });

  test('is gone at once when it was deleted from here, and told once', async () => {
    const doomed = answer('a');
    collection.delete('a');
    store.forget(doomed);
    expect(store.all()).toEqual([]);
    collection.put('b', 1);
    await heard();
    expect(told).toEqual(['a gone', 'b 1']);
  });
});

test('what a new list no longer has is told as gone, also when the watch never told that it was there', async () => {
  collection.lose(2);
  collection.put('b', 1);
  store.learn(answer('b'));
  collection.delete('b');
  collection.fail(gone());
  collection.compact();
  collection.endWatches();
  await expect.poll(() => store.get('shop/b'), { timeout: 5000 }).toBeUndefined();
  expect(told).toEqual(['b 1', 'b gone']);
});

test('objects come in the order of their names, whatever has come and gone since the last look', async () => {
  const names = () =>
    [store.in('shop'), store.all()].map((objects) => objects.map(({ metadata }) => metadata.name));
  collection.put('c', 1);
  collection.put('b', 1);
  await heard();
  expect(names()).toEqual([
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
  ]);
  store.forget(answer('b'));
  collection.put('aa', 1);
  store.learn(answer('aa'));
  expect(names()).toEqual([
    ['a', 'aa', 'c'],
    ['a', 'aa', 'c'],
  ]);
  expect(store.in('elsewhere')).toEqual([]);
});

test('a list tells whether the store is current', async () => {
  expect(await store.isCurrent(never)).toBe(true);
  collection.lose(1);
  collection.put('a', 9);
  expect(await store.isCurrent(never)).toBe(false);
});

test('versions compare as numbers', () => {
  expect([isAfter('10', '9'), isAfter('9', '10'), isAfter('9', '9'), isAfter('1', undefined)]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});
