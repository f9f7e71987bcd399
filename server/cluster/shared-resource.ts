import 'server-only';
import { type KubeObject } from '@/lib/kube/object';
import { type StoreChange } from '@/server/cluster/cluster-cache';

/** What is made of the objects of a resource, and who is told of it. */
export interface Reader<T> {
  ingest(object: KubeObject): T;
  apply(change: StoreChange<T>): void;
}

/** Several readers of one resource as one, so that it is listed and watched once. */
export function joined(readers: readonly Reader<unknown>[]): Reader<unknown> {
  const [first] = readers;
  if (first !== undefined && readers.length === 1) return first;
  const joint: Reader<readonly unknown[]> = {
    ingest: (object) => readers.map((reader) => reader.ingest(object)),
    apply: (change) => readers.forEach((reader, index) => reader.apply(partOf(change, index))),
  };
  return joint;
}

function partOf(change: StoreChange<readonly unknown[]>, index: number): StoreChange<unknown> {
  if (change.type === 'added') return { type: 'added', value: change.value[index] };
  return { type: change.type, value: change.value[index], previous: change.previous[index] };
}
