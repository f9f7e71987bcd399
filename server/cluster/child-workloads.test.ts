import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import type { WorkloadKey } from '@/server/cluster/cache';
import { leaderWorkerSet } from '@/lib/workloads/kinds/leader-worker-set';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { groupRevision, objectsOf } from '@/lib/workloads/testing/leader-worker-set';
import { NAMESPACE, object, pod } from '@/lib/workloads/testing/objects';
import { BodyStore } from '@/server/cluster/body-store';
import { IndexedCache } from '@/server/cluster/indexed-cache';
import { ingestSource, ingestWorkload, SemanticIds } from '@/server/cluster/ingest';
import { ingestPod } from '@/server/cluster/ingest-pod';

const bodies = new BodyStore();
const context = { bodies, semantic: new SemanticIds(bodies) };

function open() {
  const told: string[] = [];
  const cache = new IndexedCache({
    kinds: workloadKinds,
    ...context,
    states: () => [],
    onChange: (keys: readonly WorkloadKey[]) => told.push(...keys.map(({ name }) => name)),
  });
  const add = (one: KubeObject) => {
    if (one.kind === 'Pod') cache.changePod({ type: 'added', value: ingestPod(one) });
    else if (one.kind === 'ControllerRevision')
      cache.changeSource({
        type: 'added',
        value: ingestSource(leaderWorkerSet.source, one, context),
      });
    else {
      const kind = one.kind === 'StatefulSet' ? statefulSet : leaderWorkerSet;
      cache.changeWorkload({ type: 'added', value: ingestWorkload(kind, one, context) });
    }
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const whole = () => {
    const found = cache.workload('leaderworkersets.leaderworkerset.x-k8s.io', NAMESPACE, 'llama');
    if (found === undefined) throw new Error('it is not there');
    return found;
  };
  return { cache, add, told, settled, whole };
}

const objects = objectsOf({ revisions: [groupRevision(1, '1'), groupRevision(2, '2')] });
const unrelatedSet = object('StatefulSet', { name: 'llama-9', uid: 'uid-db', owner: null });
const unrelatedPod = pod('llama-9-0', { owner: 'uid-db', labels: { app: 'db' } });
/** A StatefulSet of its own, with revisions of its own. */
const native = object(
  'ControllerRevision',
  { name: 'llama-9-x', owner: 'uid-db' },
  { revision: 1, data: { spec: { template: { spec: {} } } } },
);
/** The revisions that the StatefulSet of the leaders keeps for itself. */
const nested = object(
  'ControllerRevision',
  { name: 'llama-x', owner: 'uid-sts-Leader-llama' },
  { revision: 1, data: { spec: { template: { spec: {} } } } },
);

describe('the children of a LeaderWorkerSet', () => {
  test('are never workloads, and contribute their pods in whatever order they arrive', () => {
    const all = [...objects, unrelatedSet, unrelatedPod, native, nested];
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (order) => {
        const { cache, add, whole } = open();
        for (const one of order) add(one);
        expect([...cache.workloads()].map(({ name }) => name).sort()).toEqual(['llama', 'llama-9']);
        expect(
          cache
            .childrenOf(whole())
            .map(({ name }) => name)
            .sort(),
        ).toEqual(['llama', 'llama-0', 'llama-1']);
        expect(
          cache
            .podsOf(whole())
            .map(({ name }) => name)
            .sort(),
        ).toEqual(['llama-0', 'llama-0-1', 'llama-1', 'llama-1-1']);
        const sources = cache.sourcesOf(whole()).map(({ name }) => name);
        expect(sources.sort()).toEqual(['llama-k1-1', 'llama-k2-2']);
        const other = cache.workload('statefulsets.apps', NAMESPACE, 'llama-9');
        expect(other && cache.podsOf(other).map(({ name }) => name)).toEqual(['llama-9-0']);
        expect(other && cache.sourcesOf(other).map(({ name }) => name)).toEqual(['llama-9-x']);
      }),
      { numRuns: 30 },
    );
  });

  test('report their changes and those of their pods to the parent alone', async () => {
    const { add, told, settled, cache, whole } = open();
    for (const one of objects) add(one);
    await settled();
    told.length = 0;
    const worker = objects.find(({ metadata }) => metadata.name === 'llama-1-1');
    if (worker === undefined) throw new Error('no worker');
    const version = cache.versionOf(whole());
    cache.changePod({ type: 'updated', value: ingestPod(worker), previous: ingestPod(worker) });
    await settled();
    expect(told).toEqual(['llama']);
    expect(cache.versionOf(whole())).toBeGreaterThan(version);
    const [set] = cache.childrenOf(whole());
    if (set === undefined) throw new Error('no part');
    cache.changeWorkload({ type: 'deleted', value: set, previous: set });
    await settled();
    expect(told).toEqual(['llama', 'llama']);
  });

  test('leave their pods to the parent when they are deleted first, until the pods are deleted too', async () => {
    const { add, cache, whole, settled, told } = open();
    for (const one of objects) add(one);
    const sets = cache.childrenOf(whole()).filter(({ name }) => name === 'llama-1');
    for (const set of sets) cache.changeWorkload({ type: 'deleted', value: set, previous: set });
    expect(cache.podsOf(whole())).toHaveLength(4);
    await settled();
    told.length = 0;
    const worker = objects.find(({ metadata }) => metadata.name === 'llama-1-1');
    if (worker === undefined) throw new Error('no worker');
    cache.changePod({ type: 'deleted', value: ingestPod(worker), previous: ingestPod(worker) });
    await settled();
    expect(told).toEqual(['llama']);
    expect(cache.podsOf(whole())).toHaveLength(3);
  });

  test('of an earlier parent of the same name contribute nothing to the current one', () => {
    const { add, cache, whole } = open();
    for (const one of objects) {
      const { metadata } = one;
      const isSet = one.kind === 'LeaderWorkerSet';
      add(
        isSet
          ? {
              ...one,
              metadata: { ...metadata, uid: 'uid-of-the-next', creationTimestamp: '2026-09-01T00:00:00Z' },
            }
          : one,
      );
    }
    expect(cache.podsOf(whole())).toEqual([]);
    expect(cache.sourcesOf(whole())).toEqual([]);
    expect([...cache.workloads()]).toHaveLength(1);
  });
});
