import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IndexedStore } from '@/server/cluster/indexed-store';

interface Entry {
  uid: string;
  owner: string | null;
  labels: readonly string[];
}

const open = () =>
  new IndexedStore<Entry, 'owner' | 'label'>({
    owner: ({ owner }) => (owner === null ? [] : [owner]),
    label: ({ labels }) => labels,
  });

const uid = fc.constantFrom('a', 'b', 'c', 'd');
const entry = fc.record({
  uid,
  owner: fc.option(fc.constantFrom('x', 'y')),
  labels: fc.uniqueArray(fc.constantFrom('one', 'two', 'three')),
});
const steps = fc.array(
  fc.oneof(
    entry.map((made) => ({ put: made })),
    uid.map((gone) => ({ delete: { uid: gone } })),
  ),
);

const uidsOf = (entries: Iterable<Entry>) => [...entries].map((found) => found.uid).toSorted();

test('finds exactly the stored objects by each of their keys, whatever was put and deleted', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const store = open();
      const expected = new Map<string, Entry>();
      for (const step of all) {
        if ('put' in step) {
          store.put(step.put);
          expected.set(step.put.uid, step.put);
        } else {
          store.delete(step.delete);
          expected.delete(step.delete.uid);
        }
      }
      const there = [...expected.values()];
      expect(store.size).toBe(there.length);
      expect(uidsOf(store.values())).toEqual(uidsOf(there));
      for (const { uid: known } of there) expect(store.get(known)).toBe(expected.get(known));
      for (const key of ['x', 'y']) {
        const found = there.filter(({ owner }) => owner === key);
        expect(uidsOf(store.by('owner', key))).toEqual(uidsOf(found));
        expect(store.first('owner', key) === undefined).toBe(found.length === 0);
      }
      expect(store.keyCount('label')).toBe(new Set(there.flatMap(({ labels }) => labels)).size);
      expect(uidsOf(store.indexed('label'))).toEqual(
        uidsOf(there.flatMap((found) => found.labels.map(() => found))),
      );
    }),
  );
});

test('lists the objects of a key in the order in which they got it', () => {
  const store = open();
  const made = (name: string): Entry => ({ uid: name, owner: 'x', labels: [] });
  store.put(made('a'));
  store.put(made('b'));
  store.put(made('a'));
  expect(store.by('owner', 'x').map((found) => found.uid)).toEqual(['a', 'b']);
  store.delete(made('a'));
  store.put(made('a'));
  expect(store.by('owner', 'x').at(-1)?.uid).toBe('a');
});
