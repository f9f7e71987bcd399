import 'server-only';
import type { KubeObject } from '@/lib/kube/object';
import type { StoreChange } from '@/server/cluster/store-change';

/** How the objects of a resource become values, and which listener receives them. */
export interface ObjectReader<T> {
  ingest(object: KubeObject): T;
  apply(change: StoreChange<T>): void;
}

/** Several readers of one resource as one, so that it is listed and watched once. */
export function combineReaders(readers: readonly ObjectReader<unknown>[]): ObjectReader<unknown> {
  const [first] = readers;
  if (first !== undefined && readers.length === 1) return first;
  const combined: ObjectReader<readonly unknown[]> = {
    ingest: (object) => readers.map((reader) => reader.ingest(object)),
    apply: (change) => readers.forEach((reader, index) => reader.apply(changeAt(change, index))),
  };
  return combined;
}

function changeAt(change: StoreChange<readonly unknown[]>, index: number): StoreChange<unknown> {
  if (change.type === 'added') return { type: 'added', value: change.value[index] };
  return { type: change.type, value: change.value[index], previous: change.previous[index] };
}
