import { afterEach, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { conditionAt } from '@/lib/kube/read';
import { REVISION_KEY } from '@/sandbox/controllers/leader-worker-set/leader-worker-set';
import { groupTemplate, llama, rolling } from '@/sandbox/controllers/leader-worker-set/testing/llama';
import { imageOf, TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';
import { leaderWorkerSetCrd } from '@/sandbox/crds/crds';

const LLAMA = '/leaderworkerset.x-k8s.io/v1/namespaces/default/leaderworkersets/llama';
const LEADERS = '/apps/v1/namespaces/default/statefulsets/llama';

let sandbox: TestSandbox;

afterEach(() => sandbox.close());

/** Three groups of two pods. */
async function begin(spec: JsonObject = {}): Promise<void> {
  sandbox = await TestSandbox.start();
  await sandbox.define(leaderWorkerSetCrd);
  await sandbox.create(llama(spec));
  await sandbox.untilIdle();
}

/** A new image for all pods, at once and without letting time pass. */
function setImage(image: string): Promise<void> {
  const path = '/spec/leaderWorkerTemplate/workerTemplate/spec/containers/0/image';
  return sandbox.patch(LLAMA, [{ op: 'replace', path, value: image }]);
}

/** The revisions of the LeaderWorkerSet itself. */
async function ownRevisions(): Promise<KubeObject[]> {
  const all = await sandbox.list('controllerrevisions');
  return all.filter(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'LeaderWorkerSet');
}

async function revisions(): Promise<{ number: number; key: string }[]> {
  return (await ownRevisions())
    .map(({ revision = 0, metadata }) => ({ number: revision, key: metadata.labels?.[REVISION_KEY] ?? '' }))
    .sort((a, b) => a.number - b.number);
}

async function theSet(): Promise<KubeObject> {
  const [set] = await sandbox.list('leaderworkersets', '/apis/leaderworkerset.x-k8s.io/v1');
  if (set === undefined) throw new Error('there is no LeaderWorkerSet');
  return set;
}

async function change(spec: JsonObject): Promise<void> {
  await sandbox.merge(LLAMA, { spec });
  await sandbox.untilIdle();
}

async function ship(image: string): Promise<void> {
  await setImage(image);
  await sandbox.untilIdle();
}

/** The tags of the images of each group, leader first: `2 2 | 1 1`. */
async function tags(): Promise<string> {
  const pods = (await sandbox.list('pods', '/api/v1')).sort((a, b) =>
    a.metadata.name < b.metadata.name ? -1 : 1,
  );
  const groups = Map.groupBy(pods, ({ metadata }) => metadata.name.split('-')[1]);
  return [...groups.values()]
    .map((group) => group.map((pod) => imageOf(pod).replace('vllm:', '')).join(' '))
    .join(' | ');
}

async function numbers(): Promise<number[]> {
  return (await revisions()).map(({ number }) => number);
}

async function statusOf(condition: string) {
  return conditionAt((await theSet()).status, condition)?.['status'];
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
  const { status } = await theSet();
  expect(status).toMatchObject({ observedGeneration: 1, replicas: 3, readyReplicas: 3, updatedReplicas: 3 });
  expect(await Promise.all(['Available', 'Progressing', 'UpdateInProgress'].map(statusOf))).toEqual([
    'True',
    'False',
    undefined,
  ]);
});

test('an update replaces groups from the highest down, with both revisions until it has completed', async () => {
  await begin();
  await setImage('vllm:2');
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
  const [first] = await revisions();
  await setImage('vllm:2');
  await setImage('vllm:3');
  await sandbox.untilIdle(3_000);
  await setImage('vllm:1');
  expect(await numbers()).toEqual([1, 2, 3, 4]);
  await sandbox.untilIdle();
  expect(await tags()).toBe('1 1 | 1 1 | 1 1');
  expect(await revisions()).toEqual([first, { number: 4, key: first?.key }]);
});

test('a template that was recorded and deleted long ago is recorded under its key again', async () => {
  await begin();
  const [first] = await revisions();
  const { leaderWorkerTemplate } = (await theSet()).spec ?? {};
  const leaderTemplate = { spec: { containers: [{ name: 'head', image: 'vllm:head' }] } };
  await change({ leaderWorkerTemplate: { ...groupTemplate('vllm:2'), leaderTemplate } });
  expect([await tags(), await numbers()]).toEqual(['head 2 | head 2 | head 2', [2]]);
  await sandbox.patch(LLAMA, [
    { op: 'replace', path: '/spec/leaderWorkerTemplate', value: leaderWorkerTemplate ?? null },
  ]);
  await sandbox.untilIdle();
  expect(await revisions()).toEqual([{ number: 3, key: first?.key }]);
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
    await setImage('vllm:2');
    let most = 0;
    let leastReady = Infinity;
    await sandbox.passUntil(sandbox.clock.now() + 120_000, async () => {
      const { replicas, readyReplicas } = (await theSet()).status ?? {};
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
  await setImage('vllm:2');
  await change({ replicas: 4 });
  expect(await tags()).toBe('2 2 | 2 2 | 2 2 | 2 2');
  await setImage('vllm:3');
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
  const before = await revisions();
  await sandbox.merge(LEADERS, { spec: { replicas: 1 } });
  const [own] = await ownRevisions();
  await sandbox.remove(`/apps/v1/namespaces/default/controllerrevisions/${own?.metadata.name}`);
  await sandbox.merge(LLAMA, { metadata: { annotations: { look: 'again' } } });
  await sandbox.untilIdle();
  expect([await tags(), await revisions()]).toEqual(['1 1 | 1 1 | 1 1', before]);
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
