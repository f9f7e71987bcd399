import { afterEach, expect, test } from 'vitest';
import { type Json, type JsonObject } from '@/lib/kube/json';
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

afterEach(() => sandbox.close());

/** Three groups of two pods. */
async function begin(spec: JsonObject = {}): Promise<void> {
  sandbox = await startServing(spec);
}

async function change(spec: JsonObject): Promise<void> {
  await sandbox.merge(LLAMA, { spec });
  await sandbox.untilIdle();
}

async function ship(image: string): Promise<void> {
  await setImage(sandbox, image);
  await sandbox.untilIdle();
}

/** The tags of the images of each group, leader first: `2 2 | 1 1`. */
async function tags(): Promise<string> {
  const byName = Object.entries(await runs(sandbox)).sort(([a], [b]) => (a < b ? -1 : 1));
  const groups = Map.groupBy(byName, ([name]) => name.split('-')[1]);
  return [...groups.values()]
    .map((pods) => pods.map(([, image]) => image.replace('vllm:', '')).join(' '))
    .join(' | ');
}

async function numbers(): Promise<number[]> {
  return (await revisions(sandbox)).map(({ number }) => number);
}

async function statusOf(condition: string): Promise<Json | undefined> {
  return conditionAt((await theSet(sandbox)).status, condition)?.['status'];
}

async function messages(wanted: string): Promise<string[]> {
  const events = (await sandbox.list('events', '/api/v1')) as unknown as {
    reason: string;
    message: string;
  }[];
  return events.filter(({ reason }) => reason === wanted).map(({ message }) => message);
}

test('a new set gets its groups, one revision, and a status', async () => {
  await begin();
  expect([await tags(), await numbers()]).toEqual(['1 1 | 1 1 | 1 1', [1]]);
  const { status } = await theSet(sandbox);
  expect(status).toMatchObject({ observedGeneration: 1, replicas: 3, readyReplicas: 3, updatedReplicas: 3 });
  expect(await Promise.all(['Available', 'Progressing', 'UpdateInProgress'].map(statusOf))).toEqual([
    'True',
    'False',
    undefined,
  ]);
});

test('an update replaces groups from the highest down, with both revisions until it has completed', async () => {
  await begin();
  await setImage(sandbox, 'vllm:2');
  expect([await numbers(), await statusOf('UpdateInProgress')]).toEqual([[1, 2], 'True']);
  const seen = new Set<string>();
  await sandbox.passUntil(sandbox.clock.now() + 60_000, async () => {
    const groups = (await tags()).split(' | ').map((group) => group.slice(0, 1));
    if (groups.length === 3) seen.add(groups.join(''));
  });
  expect([...seen]).toEqual(['111', '112', '122', '222']);
  const moves = (await messages('GroupsUpdating')).filter((message) => message.startsWith('Updating'));
  // The real controller words the first move, by which all groups are held, in the same way.
  expect(moves).toEqual(
    ['3 to -1', '2 to 2', '1 to 1', '0 to 0'].map((range) => `Updating replicas ${range} (inclusive)`),
  );
  expect([await tags(), await numbers()]).toEqual(['2 2 | 2 2 | 2 2', [2]]);
  expect([await statusOf('UpdateInProgress'), await statusOf('Available')]).toEqual(['False', 'True']);
});

test('a return to earlier content during an update adds a revision with the same key', async () => {
  await begin();
  const [first] = await revisions(sandbox);
  await setImage(sandbox, 'vllm:2');
  await setImage(sandbox, 'vllm:3');
  await sandbox.untilIdle(3_000);
  await setImage(sandbox, 'vllm:1');
  expect(await numbers()).toEqual([1, 2, 3, 4]);
  await sandbox.untilIdle();
  expect(await tags()).toBe('1 1 | 1 1 | 1 1');
  expect(await revisions(sandbox)).toEqual([first, { number: 4, key: first?.key }]);
});

test('a template that was recorded and deleted long ago is recorded under its key again', async () => {
  await begin();
  const [first] = await revisions(sandbox);
  const { leaderWorkerTemplate } = (await theSet(sandbox)).spec ?? {};
  const leaderTemplate = { spec: { containers: [{ name: 'head', image: 'vllm:head' }] } };
  await change({ leaderWorkerTemplate: { ...groupTemplate('vllm:2'), leaderTemplate } });
  expect([await tags(), await numbers()]).toEqual(['head 2 | head 2 | head 2', [2]]);
  await sandbox.patch(LLAMA, [
    { op: 'replace', path: '/spec/leaderWorkerTemplate', value: leaderWorkerTemplate ?? null },
  ]);
  await sandbox.untilIdle();
  expect(await revisions(sandbox)).toEqual([{ number: 3, key: first?.key }]);
});

test('a partition holds the groups below it, and their revision, until it is moved', async () => {
  await begin(rolling({ partition: 2 }));
  await ship('vllm:2');
  expect([await tags(), await numbers()]).toEqual(['1 1 | 1 1 | 2 2', [1, 2]]);
  expect(await statusOf('Available')).toBe('True');
  await sandbox.evict('llama-0');
  await sandbox.untilIdle();
  expect(await tags()).toBe('1 1 | 1 1 | 2 2');
  await change(rolling({ partition: 0 }));
  expect([await tags(), await numbers()]).toEqual(['2 2 | 2 2 | 2 2', [2]]);
});

test.each([
  [0, 1],
  [0, 2],
  [1, 0],
  [2, 1],
  [3, 0],
])(
  'an update with a surge of %i and %i unavailable has as many groups more, keeps the others ready, and completes',
  async (maxSurge, maxUnavailable) => {
    await begin(rolling({ maxSurge, maxUnavailable }));
    await setImage(sandbox, 'vllm:2');
    let most = 0;
    let leastReady = Infinity;
    await sandbox.passUntil(sandbox.clock.now() + 120_000, async () => {
      const { replicas, readyReplicas } = (await theSet(sandbox)).status ?? {};
      most = Math.max(most, Number(replicas));
      leastReady = Math.min(leastReady, Number(readyReplicas));
    });
    expect(most).toBe(3 + maxSurge);
    expect(leastReady).toBeGreaterThanOrEqual(3 - maxUnavailable);
    expect([await tags(), await statusOf('Available')]).toEqual(['2 2 | 2 2 | 2 2', 'True']);
  },
);

test('during an update it is scaled up to new groups, and down to none and no history', async () => {
  await begin();
  await setImage(sandbox, 'vllm:2');
  await change({ replicas: 4 });
  expect(await tags()).toBe('2 2 | 2 2 | 2 2 | 2 2');
  await setImage(sandbox, 'vllm:3');
  await change({ replicas: 0 });
  expect([await tags(), await numbers()]).toEqual(['', [3]]);
});

test.each([
  ['llama-1', []],
  ['llama-2-1', ['Worker pod llama-2-1 failed, deleted leader pod llama-2 to recreate group 2']],
])('a group whose pod %s is deleted is recreated', async (pod, told) => {
  await begin();
  const before = (await sandbox.list('pods', '/api/v1')).map(({ metadata }) => metadata.uid);
  await sandbox.evict(pod);
  await sandbox.untilIdle();
  const after = (await sandbox.list('pods', '/api/v1')).map(({ metadata }) => metadata.uid);
  expect([after.length, after.filter((uid) => before.includes(uid)).length]).toEqual([6, 4]);
  expect(await messages('RecreateGroup')).toEqual(told);
});

test('its StatefulSet and its revision are restored when another client changes or deletes them', async () => {
  await begin();
  const before = await revisions(sandbox);
  await sandbox.merge(LEADERS, { spec: { replicas: 1 } });
  const own = (await sandbox.list('controllerrevisions')).find(
    ({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'LeaderWorkerSet',
  );
  await sandbox.remove(`/apps/v1/namespaces/default/controllerrevisions/${own?.metadata.name}`);
  await sandbox.merge(LLAMA, { metadata: { annotations: { look: 'again' } } });
  await sandbox.untilIdle();
  expect([await tags(), await revisions(sandbox)]).toEqual(['1 1 | 1 1 | 1 1', before]);
  expect(await messages('GroupsUpdating')).toEqual([]);
});

test('workers wait for their leader where the set says so, and a group of one has none', async () => {
  await begin({ startupPolicy: 'LeaderReady' });
  expect(await tags()).toBe('1 1 | 1 1 | 1 1');
  await change({ leaderWorkerTemplate: groupTemplate('vllm:1', 1) });
  expect(await tags()).toBe('1 | 1 | 1');
  expect((await sandbox.list('statefulsets')).map(({ metadata }) => metadata.name)).toEqual(['llama']);
  await change({ leaderWorkerTemplate: groupTemplate('vllm:1', 3) });
  expect(await tags()).toBe('1 1 1 | 1 1 1 | 1 1 1');
});

test('it is deleted with all that it owns', async () => {
  await begin();
  await sandbox.remove(LLAMA);
  await sandbox.untilIdle();
  const left = await Promise.all(['statefulsets', 'controllerrevisions'].map((kind) => sandbox.list(kind)));
  expect([await tags(), ...left]).toEqual(['', [], []]);
});
