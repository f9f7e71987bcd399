import { expect, test } from 'vitest';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { object } from '@/lib/workloads/testing/objects';
import { BodyStore } from '@/server/cluster/body-store';
import { IndexedCache } from '@/server/cluster/indexed-cache';
import { OwnerHistories } from '@/server/cluster/owner-histories';
import { ingestSource, ingestWorkload, SemanticIds } from '@/server/cluster/ingest';

test('an error between a change and its notification suppresses no notification, then or later', async () => {
  const bodies = new BodyStore();
  const context = { bodies, semantic: new SemanticIds(bodies) };
  const told: string[] = [];
  const errors: unknown[] = [];
  const cache = new IndexedCache({
    kinds: workloadKinds,
    ...context,
    states: () => [],
    onChange: (keys) => told.push(...keys.map(({ name }) => name)),
    onError: (error) => errors.push(error),
  });
  cache.extend(new OwnerHistories(cache));
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const workload = (name: string) =>
    ingestWorkload(statefulSet, object('StatefulSet', { name, uid: `uid-${name}`, owner: null }), context);
  const add = (name: string) => cache.changeWorkload({ type: 'added', value: workload(name) });
  const orphan = object(
    'ControllerRevision',
    { name: 'left-x', owner: null },
    { revision: 1, data: { spec: { template: { spec: {} } } } },
  );
  cache.changeSource({ type: 'added', value: ingestSource(statefulSet.source, orphan, context) });
  const broken = workload('broken');
  cache.changeWorkload({ type: 'added', value: broken });
  add('one');
  Object.defineProperty(broken, 'spec', {
    get: () => {
      throw new Error('no selector');
    },
  });
  await settled();
  expect(errors).toHaveLength(1);
  expect(told).toContain('one');
  add('two');
  await settled();
  expect(told).toContain('two');
});
