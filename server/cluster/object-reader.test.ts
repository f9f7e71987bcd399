import { expect, test } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { combineReaders } from '@/server/cluster/object-reader';

function reader(log: unknown[], name: string) {
  return {
    ingest: ({ metadata }: KubeObject) => `${name} ${metadata.resourceVersion}`,
    apply: (change: unknown) => void log.push(change),
  };
}

function object(resourceVersion: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'X',
    metadata: { name: 'x', uid: 'x', resourceVersion, creationTimestamp: '' },
  };
}

test('notifies each reader of a resource of every change, with the reader’s own value of the object', () => {
  const log: unknown[] = [];
  const joint = combineReaders([reader(log, 'kind'), reader(log, 'system')]);
  const [before, after] = [joint.ingest(object('1')), joint.ingest(object('2'))];
  joint.apply({ type: 'added', value: before });
  joint.apply({ type: 'updated', value: after, previous: before });
  expect(log).toEqual([
    { type: 'added', value: 'kind 1' },
    { type: 'added', value: 'system 1' },
    { type: 'updated', value: 'kind 2', previous: 'kind 1' },
    { type: 'updated', value: 'system 2', previous: 'system 1' },
  ]);
});

test('returns a single reader unchanged', () => {
  const only = reader([], 'kind');
  expect(combineReaders([only])).toBe(only);
});
