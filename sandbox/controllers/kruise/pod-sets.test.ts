import { afterEach, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { textAt } from '@/lib/kube/read';
import { imageOf, TestSandbox, livePods, template } from '@/sandbox/controllers/testing/test-sandbox';
import { kruiseCrds } from '@/sandbox/crds/crds';

vi.setConfig({ testTimeout: 60_000 });

type Kind = 'CloneSet' | 'StatefulSet' | 'DaemonSet';

const GROUP = '/apis/apps.kruise.io/v1beta1';
const DEFINITION = '/apiextensions.k8s.io/v1/customresourcedefinitions/clonesets.apps.kruise.io';

let sandbox: TestSandbox;
let path: string;

afterEach(() => sandbox.close());

/** Four pods: of a DaemonSet one on each of three nodes. */
async function run(kind: Kind, updateStrategy: JsonObject = {}, spec: JsonObject = {}): Promise<void> {
  path = `/apps.kruise.io/v1beta1/namespaces/default/${kind.toLowerCase()}s/web`;
  sandbox = await TestSandbox.start();
  await sandbox.define(...kruiseCrds);
  await createSet(kind, updateStrategy, spec);
}

async function createSet(kind: Kind, updateStrategy: JsonObject, spec: JsonObject): Promise<void> {
  const selector = { matchLabels: { app: 'web' } };
  await sandbox.create({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind,
    metadata: { name: 'web' },
    spec: { replicas: 4, selector, updateStrategy, template: template('web:1'), ...spec },
  });
  await sandbox.untilIdle();
}

const rolling = (rollingUpdate: JsonObject): JsonObject => ({ type: 'RollingUpdate', rollingUpdate });

async function change(spec: JsonObject): Promise<void> {
  await sandbox.merge(path, { spec });
  await sandbox.untilIdle();
}

const ship = (image: string, env?: string): Promise<void> => change({ template: template(image, env) });

async function statusOf(kind: Kind): Promise<JsonObject> {
  return (await sandbox.list(`${kind.toLowerCase()}s`, GROUP))[0]?.status ?? {};
}

/** The tags of the images by place: the ordinal of a pod, its node; without places in order. */
async function tags(kind: Kind): Promise<string> {
  const pods = await livePods(sandbox);
  const placed = pods.map((pod) => {
    const place = kind === 'DaemonSet' ? (textAt(pod.spec, 'nodeName') ?? '') : pod.metadata.name;
    return { place: kind === 'CloneSet' ? imageOf(pod) : place, tag: imageOf(pod).replace('web:', '') };
  });
  return placed
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ tag }) => tag)
    .join(' ');
}

async function uids(): Promise<string[]> {
  return (await livePods(sandbox)).map(({ metadata }) => metadata.uid).sort();
}

const updates: [Kind, JsonObject, JsonObject, string][] = [
  ['CloneSet', {}, {}, '2 2 2 2'],
  ['CloneSet', { type: 'ReCreate', partition: 3 }, {}, '1 1 1 2'],
  ['CloneSet', rolling({ partition: '50%' }), {}, '1 1 2 2'],
  ['CloneSet', rolling({ partition: '99%' }), {}, '1 1 1 2'],
  ['CloneSet', rolling({ paused: true }), {}, '1 1 1 1'],
  ['CloneSet', { type: 'OnDelete' }, {}, '1 1 1 1'],
  ['CloneSet', rolling({ maxSurge: 2, maxUnavailable: 0 }), {}, '2 2 2 2'],
  ['StatefulSet', {}, {}, '2 2 2 2'],
  ['StatefulSet', rolling({ partition: 2 }), {}, '1 1 2 2'],
  ['StatefulSet', rolling({ partition: 3, unorderedUpdate: {} }), {}, '1 1 1 2'],
  ['StatefulSet', rolling({ paused: true }), {}, '1 1 1 1'],
  ['StatefulSet', {}, { reserveOrdinals: [1, '3-4'], podManagementPolicy: 'Parallel' }, '2 2 2 2'],
  ['DaemonSet', {}, {}, '2 2 2'],
  ['DaemonSet', rolling({ partition: 2 }), {}, '1 1 2'],
  ['DaemonSet', rolling({ partition: '34%' }), {}, '1 1 2'],
  ['DaemonSet', rolling({ paused: true }), {}, '1 1 1'],
  ['DaemonSet', { type: 'OnDelete' }, {}, '1 1 1'],
  ['DaemonSet', rolling({ maxSurge: 1, maxUnavailable: 0 }), {}, '2 2 2'],
];

test.each(updates)(
  'an update of a %s with %j %j ends with the right pods',
  async (kind, strategy, spec, expected) => {
    await run(kind, strategy, spec);
    await ship('web:2');
    expect(await tags(kind)).toBe(expected);
  },
);

const failing: [Kind, JsonObject, JsonObject, number][] = [
  ['CloneSet', rolling({ maxUnavailable: 2 }), {}, 2],
  ['StatefulSet', rolling({ maxUnavailable: '50%' }), { podManagementPolicy: 'Parallel' }, 2],
  ['DaemonSet', rolling({ maxUnavailable: 2 }), {}, 2],
];

test.each(failing)(
  'an update of a %s with %j stops where new pods do not get ready, and continues when they do',
  async (kind, strategy, spec, down) => {
    await run(kind, strategy, spec);
    await ship('web:hang');
    expect((await tags(kind)).match(/hang/g)).toHaveLength(down);
    await ship('web:2');
    expect(await tags(kind)).not.toMatch(/1|hang/);
  },
);

const inPlace: [Kind, (rules?: JsonObject) => JsonObject][] = [
  ['CloneSet', (rules) => ({ type: 'InPlaceIfPossible', ...rules })],
  ['StatefulSet', (rules) => rolling({ podUpdatePolicy: 'InPlaceIfPossible', ...rules })],
  ['DaemonSet', (rules) => rolling({ rollingUpdateType: 'InPlaceIfPossible', ...rules })],
];

describe.each(inPlace)('an update in place of a %s', (kind, strategy) => {
  test('keeps its pods where images or labels changed, but not where more did', async () => {
    await run(kind, strategy());
    const before = await uids();
    await sandbox.merge(path, { spec: { template: template('web:2') } });
    const { readyReplicas, numberReady } = await statusOf(kind);
    expect(readyReplicas ?? numberReady).toBe(before.length - 1);
    await sandbox.untilIdle();
    await change({ template: { metadata: { labels: { tier: 'a' } } } });
    expect(await uids()).toEqual(before);
    for (const { metadata, spec, status } of await livePods(sandbox)) {
      expect(spec).toMatchObject({ containers: [{ image: 'web:2' }] });
      expect(metadata.labels?.['tier']).toBe('a');
      expect(metadata.annotations?.['apps.kruise.io/inplace-update-state']).toContain(
        metadata.labels?.['controller-revision-hash'],
      );
      expect(status?.['containerStatuses']).toMatchObject([{ image: 'web:2', restartCount: 1, ready: true }]);
    }
    await ship('web:2', 'debug');
    expect((await uids()).filter((uid) => before.includes(uid))).toEqual([]);
  });

  test.each([1, 2, 5, 13])(
    'reaches the same end when controllers die after every %i writes',
    async (spare) => {
      await run(kind, strategy({ partition: 1 }));
      const before = await uids();
      await sandbox.stopControllers();
      await sandbox.merge(path, { spec: { template: template('web:2') } });
      await sandbox.outlastDeaths(spare);
      expect(await uids()).toEqual(before);
      expect(await tags(kind)).toMatch(/^1( 2){2,3}$/);
      const { availableReplicas, numberAvailable } = await statusOf(kind);
      expect(availableReplicas ?? numberAvailable).toBe(before.length);
    },
  );
});

describe.each<[Kind, JsonObject]>([
  ['CloneSet', rolling({ partition: 3 })],
  ['StatefulSet', rolling({ partition: 3 })],
  ['DaemonSet', rolling({ partition: 2 })],
])('a rollback of a %s with %j', (kind, strategy) => {
  test('reuses the old revision under a new number, and shows it in the status', async () => {
    await run(kind, strategy);
    for (const image of ['web:2', 'web:1']) await ship(image);
    await change({ updateStrategy: { rollingUpdate: { partition: 0 } } });
    expect(await tags(kind)).toMatch(/^1( 1)+$/);
    const revisions = await sandbox.list('controllerrevisions');
    expect(revisions.map(({ revision }) => revision).sort()).toEqual([2, 3]);
    const live = revisions.find(({ revision }) => revision === 3)?.metadata.name ?? '';
    const status = await statusOf(kind);
    const updateRevision = textAt(status, 'updateRevision') ?? '';
    expect(textAt(status, 'currentRevision') ?? updateRevision).toBe(updateRevision);
    expect(live).toMatch(new RegExp(`${updateRevision}$`));
    for (const { metadata } of await livePods(sandbox))
      expect(metadata.labels?.['controller-revision-hash']).toBe(updateRevision);
  });
});

test('a CloneSet is scaled down by named pods first, and keeps its share of outdated ones', async () => {
  await run('CloneSet', { type: 'ReCreate', partition: '50%' });
  await ship('web:2');
  const [named] = (await livePods(sandbox)).filter((pod) => imageOf(pod) === 'web:1');
  await change({ replicas: 3, scaleStrategy: { podsToDelete: [named?.metadata.name ?? ''] } });
  expect(await uids()).not.toContain(named?.metadata.uid);
  await change({ replicas: 2 });
  expect(await tags('CloneSet')).toBe('1 2');
  await change({ replicas: 6 });
  expect(await tags('CloneSet')).toBe('1 1 1 2 2 2');
});

test('a StatefulSet recreates a pod below the partition at its old revision, and leaves out reserved ordinals', async () => {
  await run('StatefulSet', rolling({ partition: 3 }));
  await ship('web:2');
  await sandbox.evict('web-0');
  await sandbox.untilIdle();
  expect(await tags('StatefulSet')).toBe('1 1 1 2');
  await change({ reserveOrdinals: [0, '2-3'] });
  expect((await livePods(sandbox)).map(({ metadata }) => metadata.name)).toEqual([
    'web-1',
    'web-4',
    'web-5',
    'web-6',
  ]);
});

test('a CloneSet with InPlaceOnly keeps pods that would have to be recreated', async () => {
  await run('CloneSet', { type: 'InPlaceOnly' });
  await ship('web:2', 'debug');
  expect(await tags('CloneSet')).toBe('1 1 1 1');
});

test('a definition deletes its sets with it, and new ones work when it comes back', async () => {
  await run('CloneSet');
  await sandbox.remove(DEFINITION);
  await sandbox.untilIdle();
  expect(await uids()).toEqual([]);
  await sandbox.define(
    ...kruiseCrds.filter(({ metadata }) => textAt(metadata, 'name')?.startsWith('clonesets')),
  );
  await createSet('CloneSet', {}, { revisionHistoryLimit: 0 });
  await ship('web:2');
  expect(await sandbox.list('controllerrevisions')).toHaveLength(1);
});

test('the same inputs give the same pods, including their names', async () => {
  const seen: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    await run('CloneSet');
    await ship('web:2');
    seen.push((await livePods(sandbox)).map(({ metadata }) => metadata.name).join(' '));
    if (round === 0) await sandbox.close();
  }
  expect(seen[1]).toBe(seen[0]);
});
