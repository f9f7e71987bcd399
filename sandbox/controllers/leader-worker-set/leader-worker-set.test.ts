import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { conditionAt } from '@/lib/kube/read';
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
} from '@/sandbox/controllers/leader-worker-set/testing/llama';
import { type TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';

let sandbox: TestSandbox;

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

  test('gets leaders and workers with all labels and annotations, one revision, and a status', async () => {
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

  test('rolls out from the highest group down, with both revisions meanwhile and one at the end', async () => {
    await setImage(sandbox, 'vllm:2');
    expect(await numbers()).toEqual([1, 2]);
    await sandbox.untilIdle();
    expect(await runs(sandbox)).toEqual(all('vllm:2', 3));
    expect(await numbers()).toEqual([2]);
    // The message about the increased partition uses the words for a decrease, as the real controller does.
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

  test('keeps three revisions when it is changed during a rollout, and one in the end', async () => {
    await setImage(sandbox, 'vllm:2');
    await setImage(sandbox, 'vllm:3');
    expect(await numbers()).toEqual([1, 2, 3]);
    await sandbox.untilIdle();
    expect(await runs(sandbox)).toEqual(all('vllm:3', 3));
    expect(await numbers()).toEqual([3]);
  });

  test('keeps both revisions of a return to earlier content, with the same key, until the next rollout', async () => {
    const [first] = await revisions(sandbox);
    await setImage(sandbox, 'vllm:2');
    await sandbox.untilIdle(3_000);
    expect(Object.values(await runs(sandbox))).toContain('vllm:2');
    await setImage(sandbox, 'vllm:1');
    const known = await revisions(sandbox);
    expect(known.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(known[2]?.key).toBe(first?.key);
    await sandbox.untilIdle();
    expect(await numbers()).toEqual([1, 3]);
    await setImage(sandbox, 'vllm:4');
    await sandbox.untilIdle();
    expect(await numbers()).toEqual([4]);
    await setImage(sandbox, 'vllm:1');
    await sandbox.untilIdle();
    expect(await revisions(sandbox)).toEqual([{ number: 5, key: first?.key }]);
  });

  test('is scaled during a rollout, and the new group has the new template at once', async () => {
    await setImage(sandbox, 'vllm:2');
    await sandbox.merge(LLAMA, { spec: { replicas: 4 } });
    await sandbox.untilIdle();
    expect(await runs(sandbox)).toEqual(all('vllm:2', 4));
  });

  test('loses its history at once when it is scaled to 0', async () => {
    await setImage(sandbox, 'vllm:2');
    await sandbox.merge(LLAMA, { spec: { replicas: 0 } });
    await sandbox.untilIdle();
    expect(await numbers()).toEqual([2]);
    expect(await runs(sandbox)).toEqual({});
  });

  test('recreates a group when its leader is deleted, and when a worker is', async () => {
    await sandbox.evict('llama-1');
    await sandbox.untilIdle();
    expect(await runs(sandbox)).toEqual(all('vllm:1', 3));
    await sandbox.evict('llama-2-1');
    await sandbox.untilIdle();
    expect(await runs(sandbox)).toEqual(all('vllm:1', 3));
    expect(await events('RecreateGroup')).toEqual([
      'Worker pod llama-2-1 failed, deleted leader pod llama-2 to recreate group 2',
    ]);
    // The new workers wait for those of the former leader to terminate.
    expect(await events('FailedCreate')).toEqual([]);
  });

  test('restores its StatefulSet when another client changes it', async () => {
    await sandbox.merge(LEADERS, { spec: { replicas: 1 } });
    await sandbox.untilIdle();
    expect(await runs(sandbox)).toEqual(all('vllm:1', 3));
  });

  test('records a missing revision again under its key, without a rollout', async () => {
    const [before] = await revisions(sandbox);
    const [revision] = (await sandbox.list('controllerrevisions')).filter(
      ({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'LeaderWorkerSet',
    );
    await sandbox.remove(`/apps/v1/namespaces/default/controllerrevisions/${revision?.metadata.name}`);
    await sandbox.merge(LLAMA, { metadata: { annotations: { look: 'again' } } });
    await sandbox.untilIdle();
    expect(await revisions(sandbox)).toEqual([before]);
    expect(await events('GroupsUpdating')).toEqual([]);
  });

  test('recreates every group in another size', async () => {
    await sandbox.merge(LLAMA, { spec: { leaderWorkerTemplate: groupTemplate('vllm:1', 3) } });
    await sandbox.untilIdle();
    expect(await runs(sandbox)).toEqual(all('vllm:1', 3, 3));
  });

  test('is deleted with all its dependents', async () => {
    await sandbox.remove(LLAMA);
    await sandbox.untilIdle();
    expect(await runs(sandbox)).toEqual({});
    expect(await sandbox.list('statefulsets')).toEqual([]);
    expect(await sandbox.list('controllerrevisions')).toEqual([]);
  });
});

test('a partition holds the groups below it, and their revision, until it is moved', async () => {
  await begin(rolling({ partition: 2 }));
  await setImage(sandbox, 'vllm:2');
  await sandbox.untilIdle();
  const held = { ...all('vllm:1', 2), 'llama-2': 'vllm:2', 'llama-2-1': 'vllm:2' };
  expect(await runs(sandbox)).toEqual(held);
  expect(await numbers()).toEqual([1, 2]);
  expect(conditionAt((await theSet(sandbox)).status, 'Available')).toMatchObject({ status: 'True' });
  await sandbox.evict('llama-0');
  await sandbox.untilIdle();
  expect(await runs(sandbox)).toEqual(held);
  await sandbox.merge(LLAMA, { spec: rolling({ partition: 0 }) });
  await sandbox.untilIdle();
  expect(await runs(sandbox)).toEqual(all('vllm:2', 3));
  expect(await numbers()).toEqual([2]);
});

test('with a surge there is one group more during a rollout, and none afterwards', async () => {
  await begin(rolling({ maxSurge: 1, maxUnavailable: 0 }));
  await setImage(sandbox, 'vllm:2');
  await sandbox.untilIdle();
  expect(await runs(sandbox)).toEqual(all('vllm:2', 3));
  expect(await events('GroupsProgressing')).toContain('deleting surge replica llama-3');
});

test('workers wait for their leader where configured, and a group of one has none', async () => {
  await begin({ startupPolicy: 'LeaderReady' });
  expect(await runs(sandbox)).toEqual(all('vllm:1', 3));
  await sandbox.merge(LLAMA, { spec: { leaderWorkerTemplate: groupTemplate('vllm:1', 1) } });
  await sandbox.untilIdle();
  expect(await runs(sandbox)).toEqual(all('vllm:1', 3, 1));
  expect((await sandbox.list('statefulsets')).map(({ metadata }) => metadata.name)).toEqual(['llama']);
});
