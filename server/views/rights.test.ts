import { beforeEach, describe, expect, test, vi } from 'vitest';
import { sampleRecord } from '@/test/record-samples';
import { TestArchive } from '@/server/archive/testing/test-archive';
import { recordListQuerySchema } from '@/lib/api/records';
import { workloadListQuerySchema } from '@/lib/api/workloads';
import { template } from '@/lib/workloads/testing/objects';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { ana, deployment, ref, replicaSetOf } from '@/server/actions/testing/shop';
import type { StreamKey } from '@/lib/api/cluster';
import type { AccessQuestion } from '@/server/cluster/access';
import { Keys } from '@/server/shared/keys';
import type { ReadContext } from '@/server/views/context';
import { findWorkload } from '@/server/views/find-workload';
import { visibleKeys } from '@/server/views/visible-keys';
import { listWorkloads } from '@/server/reads/list-workloads';
import { listRecords, readRecord } from '@/server/reads/records';
import { filterAllowed } from '@/server/views/rights';
import { ChangeSummaries } from '@/server/views/change-summaries';
import { ViewCache } from '@/server/views/workload-view';
import { oneCluster } from '@/server/reads/testing/one-cluster';

let cluster: FakeCluster;
let context: ReadContext;

beforeEach(async () => {
  const archive = await TestArchive.open();
  cluster = new FakeCluster();
  const keys = new Keys(Buffer.alloc(32, 7));
  context = {
    ...{ cluster, keys, archive, summaries: new ChangeSummaries(keys.mask) },
    views: new ViewCache(cluster, keys.mask, Date.now),
    config: { links: [] },
    now: () => Date.now(),
  };
  cluster.put(replicaSetOf(1, template('1.1'), 2));
  cluster.put(deployment(template('1.1')));
  const record = sampleRecord('r1');
  await archive.put([{ ...record, workload: { ...record.workload, ...ref, cluster: cluster.identity.id } }]);
});

const keyOf = (rest: Partial<StreamKey> = {}) => ({ cluster: cluster.identity.id, ...ref, ...rest });
const rows = async () => listWorkloads(oneCluster(context, ana), workloadListQuerySchema.parse({}));
const records = async () => listRecords(oneCluster(context, ana), recordListQuerySchema.parse({}));

describe('a viewer who can get one workload by its name', () => {
  beforeEach(() => {
    cluster.answerAccess = ({ verb, name }) => ({ allowed: verb === 'get' && name === ref.name });
  });

  test('sees it and its records', async () => {
    expect((await findWorkload(context, ana, ref)).workload.name).toBe(ref.name);
    expect((await readRecord(oneCluster(context, ana), 'r1')).id).toBe('r1');
    await expect(findWorkload(context, ana, { ...ref, name: 'other' })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  test('finds it in no list, in no count and on no stream', async () => {
    expect(await rows()).toMatchObject({ items: [], counts: { total: 0 } });
    expect((await records()).items).toEqual([]);
    expect(await visibleKeys(cluster, ana, [keyOf()])).toEqual([]);
  });
});

test('a viewer who can get but not list gets no events by its name', async () => {
  cluster.answerAccess = ({ verb }) => ({ allowed: verb === 'get' });
  expect((await rows()).items).toEqual([]);
  expect((await records()).items).toEqual([]);
  expect(await visibleKeys(cluster, ana, [keyOf()])).toEqual([]);
});

test.each([
  ['one check where the viewer can list everywhere', undefined, 1],
  ['one more for each namespace where the viewer can list some', 'n1', 5],
])('a burst of keys needs %s', async (_, only, checks) => {
  const asked: AccessQuestion[] = [];
  cluster.answerAccess = (question) => {
    asked.push(question);
    return { allowed: only === undefined || question.namespace === only };
  };
  const keys = Array.from({ length: 200 }, (_each, index) =>
    keyOf({ namespace: `n${index % 4}`, name: `w${index}` }),
  );
  const visible = keys.filter(({ namespace }) => only === undefined || namespace === only);
  expect(await visibleKeys(cluster, ana, keys)).toEqual(visible);
  expect(asked).toHaveLength(checks);
  expect(new Set(asked.map(({ verb }) => verb))).toEqual(new Set(['list']));
});

test('keys in more namespaces than are reviewed at once are named only when all of them are reviewed', async () => {
  cluster.answerAccess = ({ namespace }) => ({ allowed: namespace === 'n1' });
  const keys = Array.from({ length: 200 }, (_, index) => keyOf({ namespace: `n${index}` }));
  await expect(visibleKeys(cluster, ana, keys)).rejects.toMatchObject({ code: 'rate_limited' });
  await vi.waitFor(async () => expect(await visibleKeys(cluster, ana, keys)).toEqual([keys[1]]), {
    timeout: 30_000,
  });
});

test('a list reviews no right to a resource that has no objects', async () => {
  const asked = new Set<string>();
  cluster.answerAccess = ({ resource }) => {
    asked.add(resource);
    return { allowed: true };
  };
  expect((await rows()).counts.total).toBeGreaterThan(0);
  expect([...asked]).toEqual(['deployments']);
});

test('other work runs in between while a right is checked in thousands of namespaces', async () => {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const namespaces = Array.from({ length: 5_000 }, (_, index) => index);
  const even = await filterAllowed(namespaces, (index) => Promise.resolve(index % 2 === 0));
  isDone = true;
  expect(even).toEqual(namespaces.filter((index) => index % 2 === 0));
  expect(turns).toBeGreaterThanOrEqual(9);
});
