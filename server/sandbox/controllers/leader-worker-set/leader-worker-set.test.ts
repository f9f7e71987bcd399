import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { conditionAt } from '@/lib/workloads/read';
import {
  groupTemplate,
  LEADERS,
  LLAMA,
  revisions,
  rolling,
  runs,
  setImage,
  startServing,
  theSet,
} from '@/server/sandbox/controllers/leader-worker-set/testing/llama';
import { type Sandbox } from '@/server/sandbox/controllers/testing/sandbox';

let sandbox: Sandbox;

async function begin(spec: JsonObject = {}): Promise<void> {
  sandbox = await startServing(spec);
}

afterEach(() => sandbox.close());

const numbers = async () => (await revisions(sandbox)).map(({ number }) => number);
const events = async (reason: string) =>
  (await sandbox.list('events', '/api/v1'))
    .filter((event) => (event as unknown as { reason: string }).reason === reason)
    .map((event) => (event as unknown as { message: string }).message);
const all = (image: string, groups: number, size = 2): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: groups }, (_, group) =>
      Array.from({ length: size }, (_, place): [string, string] => [
        place === 0 ? `llama-${group}` : `llama-${group}-${place}`,
        image,
      ]),
    ).flat(),
  );

describe('a LeaderWorkerSet of three groups', () => {
  beforeEach(() => begin());

  test('gets leaders and workers with all marks, one revision, and a status', async () => {
    expect(await runs(sandbox)).toEqual(all('vllm:1', 3));
    expect(await numbers()).toEqual([1]);
    const { status } = await theSet(sandbox);
    expect(status).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      updatedReplicas: 3,
    });
    expect(conditionAt(status, 'Available')).toMatchObject({ status: 'True', reason: 'AllGroupsReady' });
    expect(conditionAt(status, 'Progressing')).toMatchObject({ status: 'False' });
    const worker = (await sandbox.list('pods', '/api/v1')).find(
      ({ metadata }) => metadata.name === 'llama-2-1',
    );
    const domain = 'leaderworkerset.sigs.k8s.io';
    expect(worker?.metadata.labels).toMatchObject({
      [`${domain}/name`]: 'llama',
      [`${domain}/group-index`]: '2',
      [`${domain}/worker-index`]: '1',
    });
    const [created] = await events('CreatingRevision');
    expect(created).toMatch(/^Creating revision with key \w+ for a newly created LeaderWorkerSet$/);
  });

  test('rolls from the highest group down, keeps both revisions on the way and one at the end', async () => {
    await setImage(sandbox, 'vllm:2');
    expect(await numbers()).toEqual([1, 2]);
    await sandbox.rest();
    expect(await runs(sandbox)).toEqual(all('vllm:2', 3));
    expect(await numbers()).toEqual([2]);
    // That the pointer went up is told in the words for going down, as the real one does it.
    expect(await events('GroupsUpdating')).toEqual([
      'Updating replicas 3 to -1 (inclusive)',
      'Rolling Upgrade is in progress, with 3 groups ready of total 3 groups',
      'Updating replica 2',
      'Updating replica 1',
      'Updating replica 0',
    ]);
    expect(conditionAt((await theSet(sandbox)).status, 'UpdateInProgress')).toMatchObject({
      status: 'False',
    });
  });

  test('keeps three revisions when it is changed during a roll, and one in the end', async () => {
    await setImage(sandbox, 'vllm:2');
    await setImage(sandbox, 'vllm:3');
    expect(await numbers()).toEqual([1, 2, 3]);
    await sandbox.rest();
    expect(await runs(sandbox)).toEqual(all('vllm:3', 3));
    expect(await numbers()).toEqual([3]);
  });

  test('gives a return to earlier content the same key and another number; both stay until the next roll', async () => {
    const [first] = await revisions(sandbox);
    await setImage(sandbox, 'vllm:2');
    await sandbox.rest(3_000);
    expect(Object.values(await runs(sandbox))).toContain('vllm:2');
    await setImage(sandbox, 'vllm:1');
    const known = await revisions(sandbox);
    expect(known.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(known[2]?.key).toBe(first?.key);
    await sandbox.rest();
    expect(await numbers()).toEqual([1, 3]);
    await setImage(sandbox, 'vllm:4');
    await sandbox.rest();
    expect(await numbers()).toEqual([4]);
    await setImage(sandbox, 'vllm:1');
    await sandbox.rest();
    expect(await revisions(sandbox)).toEqual([{ number: 5, key: first?.key }]);
  });

  test('is scaled during a roll, and the new group is on the new template at once', async () => {
    await setImage(sandbox, 'vllm:2');
    await sandbox.merge(LLAMA, { spec: { replicas: 4 } });
    await sandbox.rest();
    expect(await runs(sandbox)).toEqual(all('vllm:2', 4));
  });

  test('loses its history at once when it is scaled to 0', async () => {
    await setImage(sandbox, 'vllm:2');
    await sandbox.merge(LLAMA, { spec: { replicas: 0 } });
    await sandbox.rest();
    expect(await numbers()).toEqual([2]);
    expect(await runs(sandbox)).toEqual({});
  });

  test('makes a group anew when its leader goes, and when a worker does', async () => {
    await sandbox.evict('llama-1');
    await sandbox.rest();
    expect(await runs(sandbox)).toEqual(all('vllm:1', 3));
    await sandbox.evict('llama-2-1');
    await sandbox.rest();
    expect(await runs(sandbox)).toEqual(all('vllm:1', 3));
    expect(await events('RecreateGroup')).toEqual([
      'Worker pod llama-2-1 failed, deleted leader pod llama-2 to recreate group 2',
    ]);
    // The new workers wait for those of the former leader to end.
    expect(await events('FailedCreate')).toEqual([]);
  });

  test('writes its StatefulSet again when somebody else has', async () => {
    await sandbox.merge(LEADERS, { spec: { replicas: 1 } });
    await sandbox.rest();
    expect(await runs(sandbox)).toEqual(all('vllm:1', 3));
  });

  test('records a missing revision again under its key, without a roll', async () => {
    const [before] = await revisions(sandbox);
    const [revision] = (await sandbox.list('controllerrevisions')).filter(
      ({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'LeaderWorkerSet',
    );
    await sandbox.remove(`/apps/v1/namespaces/default/controllerrevisions/${revision?.metadata.name}`);
    await sandbox.merge(LLAMA, { metadata: { annotations: { look: 'again' } } });
    await sandbox.rest();
    expect(await revisions(sandbox)).toEqual([before]);
    expect(await events('GroupsUpdating')).toEqual([]);
  });

  test('rebuilds every group in another size', async () => {
    await sandbox.merge(LLAMA, { spec: { leaderWorkerTemplate: groupTemplate('vllm:1', 3) } });
    await sandbox.rest();
    expect(await runs(sandbox)).toEqual(all('vllm:1', 3, 3));
  });

  test('goes with all that belongs to it', async () => {
    await sandbox.remove(LLAMA);
    await sandbox.rest();
    expect(await runs(sandbox)).toEqual({});
    expect(await sandbox.list('statefulsets')).toEqual([]);
    expect(await sandbox.list('controllerrevisions')).toEqual([]);
  });
});

test('a partition holds the groups below it, and their revision with them, until it is moved', async () => {
  await begin(rolling({ partition: 2 }));
  await setImage(sandbox, 'vllm:2');
  await sandbox.rest();
  const held = { ...all('vllm:1', 2), 'llama-2': 'vllm:2', 'llama-2-1': 'vllm:2' };
  expect(await runs(sandbox)).toEqual(held);
  expect(await numbers()).toEqual([1, 2]);
  expect(conditionAt((await theSet(sandbox)).status, 'Available')).toMatchObject({ status: 'True' });
  await sandbox.evict('llama-0');
  await sandbox.rest();
  expect(await runs(sandbox)).toEqual(held);
  await sandbox.merge(LLAMA, { spec: rolling({ partition: 0 }) });
  await sandbox.rest();
  expect(await runs(sandbox)).toEqual(all('vllm:2', 3));
  expect(await numbers()).toEqual([2]);
});

test('with a surplus there is one group more while it rolls, and none afterwards', async () => {
  await begin(rolling({ maxSurge: 1, maxUnavailable: 0 }));
  await setImage(sandbox, 'vllm:2');
  await sandbox.rest();
  expect(await runs(sandbox)).toEqual(all('vllm:2', 3));
  expect(await events('GroupsProgressing')).toContain('deleting surge replica llama-3');
});

test('workers wait for their leader where they are told to, and a group of one has none', async () => {
  await begin({ startupPolicy: 'LeaderReady' });
  expect(await runs(sandbox)).toEqual(all('vllm:1', 3));
  await sandbox.merge(LLAMA, { spec: { leaderWorkerTemplate: groupTemplate('vllm:1', 1) } });
  await sandbox.rest();
  expect(await runs(sandbox)).toEqual(all('vllm:1', 3, 1));
  expect((await sandbox.list('statefulsets')).map(({ metadata }) => metadata.name)).toEqual(['llama']);
});
