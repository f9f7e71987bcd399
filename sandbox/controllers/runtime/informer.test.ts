import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { FakeCollection, expiredError } from '@/server/cluster/testing/fake-collection';
import { silentLogger } from '@/server/shared/log';
import { Informer } from '@/sandbox/controllers/runtime/informer';
import { NODES } from '@/sandbox/controllers/runtime/resource-type';

const KEY = 'shop/a';
const never = new AbortController().signal;

let collection: FakeCollection;
let store: Informer<KubeObject>;
let told: string[];

beforeEach(async () => {
  collection = new FakeCollection();
  collection.put('a', 1);
  store = new Informer({ type: NODES, transport: collection, random: () => 0, log: silentLogger });
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

/** Waits until the watch has delivered everything. */
async function heard(): Promise<void> {
  for (let version = String(versionNow()); !(await store.hasCaughtUp(version, never));) collection.bookmark();
}

function versionNow(): number {
  return Math.max(
    100,
    ...[...collection.objects.values()].map(({ metadata }) => Number(metadata.resourceVersion)),
  );
}

/** The response of the API server to a write. */
function answer(name: string): KubeObject {
  const object = collection.objects.get(`shop/${name}`);
  if (object === undefined) throw new Error(`There is no ${name}.`);
  return store.ingest(object as object as KubeObject);
}

describe('a local write', () => {
  test('is visible at once and delivered once, although the watch repeats it', async () => {
    collection.put('a', 2);
    store.addWritten(answer('a'));
    expect(valueOf(store.get(KEY) as KubeObject)).toBe(2);
    await heard();
    expect(told).toEqual(['a 2']);
  });

  test('yields to later writes of others', async () => {
    collection.put('a', 2);
    const late = answer('a');
    collection.put('a', 3);
    await heard();
    store.addWritten(late);
    expect(valueOf(store.get(KEY) as KubeObject)).toBe(3);
    expect(told).toEqual(['a 2', 'a 3']);
  });

  test('stays deleted when the watch delivers the deletion before the response', async () => {
    collection.put('b', 1);
    const late = answer('b');
    collection.delete('b');
    collection.put('c', 1);
    await heard();
    store.addWritten(late);
    expect(store.get('shop/b')).toBeUndefined();
  });

  test('is removed at once when it is deleted locally, and delivered once', async () => {
    const removed = answer('a');
    collection.delete('a');
    store.removeDeleted(removed);
    expect(store.all()).toEqual([]);
    collection.put('b', 1);
    await heard();
    expect(told).toEqual(['a gone', 'b 1']);
  });
});

test('reports as deleted what a new list lacks, even when the watch never delivered it', async () => {
  collection.dropEvents(2);
  collection.put('b', 1);
  store.addWritten(answer('b'));
  collection.delete('b');
  collection.fail(expiredError());
  collection.compact();
  collection.endWatches();
  await expect.poll(() => store.get('shop/b'), { timeout: 5000 }).toBeUndefined();
  expect(told).toEqual(['b 1', 'b gone']);
});

test('returns objects in the order of their names, whatever was added and removed', async () => {
  const names = () =>
    [store.inNamespace('shop'), store.all()].map((objects) => objects.map(({ metadata }) => metadata.name));
  collection.put('c', 1);
  collection.put('b', 1);
  await heard();
  expect(names()).toEqual([
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
  ]);
  store.removeDeleted(answer('b'));
  collection.put('aa', 1);
  store.addWritten(answer('aa'));
  expect(names()).toEqual([
    ['a', 'aa', 'c'],
    ['a', 'aa', 'c'],
  ]);
  expect(store.inNamespace('elsewhere')).toEqual([]);
});
