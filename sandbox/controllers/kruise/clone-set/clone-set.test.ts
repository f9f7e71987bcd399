import { afterEach, describe, expect, test, vi } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { textAt } from '@/lib/kube/read';
import { cloneSet, imageOf, livePods, template, WEB } from '@/sandbox/controllers/kruise/testing/clone-set';
import {
  recordedCloneSet,
  recordedPods,
  recordedRevisions,
} from '@/sandbox/controllers/kruise/testing/recorded';
import { TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';
import { cloneSetCrd, cloneSetResource } from '@/sandbox/crds/kruise';
import { customResource } from '@/sandbox/crds/custom-resource';

vi.setConfig({ testTimeout: 60_000 });

const GROUP = '/apis/apps.kruise.io/v1beta1';
let sandboxes: TestSandbox[] = [];

async function start(crd: JsonObject = cloneSetCrd): Promise<TestSandbox> {
  const sandbox = await TestSandbox.start();
  sandboxes.push(sandbox);
  await sandbox.define(crd);
  return sandbox;
}

async function running(spec: JsonObject = {}): Promise<TestSandbox> {
  const sandbox = await start();
  await sandbox.create(cloneSet(spec));
  await sandbox.untilIdle();
  return sandbox;
}

async function statusOf(sandbox: TestSandbox, group = GROUP): Promise<JsonObject> {
  return (await sandbox.list('clonesets', group))[0]?.status ?? {};
}

async function images(sandbox: TestSandbox): Promise<string[]> {
  return (await livePods(sandbox)).map(imageOf).sort();
}

function names(pods: readonly KubeObject[]): string[] {
  return pods.map(({ metadata }) => metadata.name).sort();
}

afterEach(async () => {
  await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
  sandboxes = [];
});

test('revisions, pods and status match those that OpenKruise recorded', async () => {
  const group = '/apps.kruise.io/v1alpha1';
  const sandbox = await start(customResource({ ...cloneSetResource, versions: ['v1alpha1'] }));
  const [first, second] = recordedRevisions;
  const { metadata, spec, status } = recordedCloneSet;
  const { $patch: _patch, ...old } = first?.data.spec.template ?? { $patch: '' };
  const annotations = first?.metadata.annotations ?? {};
  await sandbox.create({
    ...recordedCloneSet,
    metadata: { name: 'shop', labels: metadata.labels, annotations },
    spec: { ...spec, template: old, updateStrategy: { ...spec.updateStrategy, partition: 0 } },
    status: {},
  });
  await sandbox.untilIdle();
  await sandbox.patch(`${group}/namespaces/default/clonesets/shop`, [
    { op: 'replace', path: '/metadata/annotations', value: { ...second?.metadata.annotations } },
    { op: 'replace', path: '/spec', value: spec },
  ]);
  await sandbox.untilIdle();

  const revisions = await sandbox.list('controllerrevisions');
  const inOrder = revisions.sort((a, b) => Number(a.revision) - Number(b.revision));
  expect(inOrder.map(withoutPlace)).toEqual(recordedRevisions);
  expect(await statusOf(sandbox, `/apis${group}`)).toEqual({
    ...status,
    observedGeneration: 2,
    // The recording has no write conflict.
    conditions: [expect.objectContaining({ type: 'FailedUpdate' })],
  });
  const pods = (await livePods(sandbox)).map((pod) => {
    const { name: _name, ...rest } = withoutPlace(pod).metadata;
    const { 'apps.kruise.io/cloneset-instance-id': id, ...labels } = pod.metadata.labels ?? {};
    expect(pod.metadata.name).toBe(`shop-${id ?? ''}`);
    const keys = Object.keys(pod.metadata.annotations ?? {});
    const { readinessGates } = pod.spec ?? {};
    return { metadata: { ...rest, labels, annotations: keys }, readinessGates, image: imageOf(pod) };
  });
  const [stale, fresh] = recordedPods;
  expect(pods.sort((a, b) => (a.image < b.image ? -1 : 1))).toEqual([stale, stale, stale, stale, fresh]);
});

/** Newer servers count generations of pods too. */
function withoutPlace({ metadata, ...rest }: KubeObject) {
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _created,
    namespace: _namespace,
    generation: _generation,
    managedFields: _fields,
    ...kept
  } = metadata as KubeObject['metadata'] & { managedFields?: unknown; generation?: number };
  const owners = metadata.ownerReferences?.map(({ uid: _owner, ...owner }) => owner);
  return { ...rest, metadata: { ...kept, ownerReferences: owners } };
}

describe('an update', () => {
  test('replaces all pods, some at a time, and makes the update revision the current one', async () => {
    const sandbox = await running();
    const before = await livePods(sandbox);
    await sandbox.merge(WEB, { spec: { template: template('web:2') } });
    expect((await images(sandbox)).filter((image) => image === 'web:2')).toHaveLength(1);
    await sandbox.untilIdle();
    const after = await livePods(sandbox);
    expect(names(after).filter((name) => names(before).includes(name))).toEqual([]);
    const status = await statusOf(sandbox);
    expect(status).toMatchObject({
      updatedReplicas: 5,
      updatedAvailableReplicas: 5,
      expectedUpdatedReplicas: 5,
    });
    expect(status.currentRevision).toBe(status.updateRevision);
  });

  test.each<[JsonObject, number]>([
    [{ type: 'ReCreate', partition: 3 }, 2],
    [{ type: 'ReCreate', partition: '50%' }, 2],
    [{ type: 'ReCreate', partition: '99%' }, 1],
    [{ type: 'ReCreate', paused: true }, 0],
    [{ type: 'RollingUpdate', rollingUpdate: { partition: 3 } }, 2],
    [{ type: 'RollingUpdate', rollingUpdate: { paused: true } }, 0],
    [{ type: 'OnDelete' }, 0],
  ])('with %j updates %i of 5 pods', async (updateStrategy, expected) => {
    const sandbox = await running({ updateStrategy });
    await sandbox.merge(WEB, { spec: { template: template('web:2') } });
    await sandbox.untilIdle();
    expect((await images(sandbox)).filter((image) => image === 'web:2')).toHaveLength(expected);
    const status = await statusOf(sandbox);
    expect(status).toMatchObject({ replicas: 5, updatedReplicas: expected, availableReplicas: 5 });
    expect(status.currentRevision).not.toBe(status.updateRevision);
  });

  test('with a surge never has fewer pods than desired', async () => {
    const sandbox = await running({ updateStrategy: { type: 'ReCreate', maxSurge: 2, maxUnavailable: 0 } });
    await sandbox.merge(WEB, { spec: { template: template('web:2') } });
    expect(await images(sandbox)).toEqual([...Array<string>(5).fill('web:1'), 'web:2', 'web:2']);
    await sandbox.untilIdle();
    expect(await images(sandbox)).toEqual(Array(5).fill('web:2'));
  });

  test('stops where new pods do not get ready, and continues when they do', async () => {
    const sandbox = await running();
    await sandbox.merge(WEB, { spec: { template: template('web:hang') } });
    await sandbox.untilIdle();
    expect(await statusOf(sandbox)).toMatchObject({ updatedReplicas: 1, readyReplicas: 4 });
    await sandbox.merge(WEB, { spec: { template: template('web:2') } });
    await sandbox.untilIdle();
    expect(await images(sandbox)).toEqual(Array(5).fill('web:2'));
  });
});

describe('an update in place', () => {
  const updateStrategy = { type: 'InPlaceIfPossible' };

  test('changes the image of running pods, and counts them as available only when the new image runs', async () => {
    const sandbox = await running({ updateStrategy });
    const before = await livePods(sandbox);
    await sandbox.merge(WEB, { spec: { template: template('web:2') } });
    expect(await statusOf(sandbox)).toMatchObject({
      updatedReplicas: 1,
      updatedReadyReplicas: 0,
      readyReplicas: 4,
    });
    await sandbox.untilIdle();
    const after = await livePods(sandbox);
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
    const updateRevision = textAt(await statusOf(sandbox), 'updateRevision') ?? '';
    for (const { metadata, status } of after) {
      expect(metadata.labels).toMatchObject({
        'controller-revision-hash': updateRevision,
        'pod-template-hash': updateRevision.slice('web-'.length),
        'lifecycle.apps.kruise.io/state': 'Normal',
      });
      expect(metadata.annotations?.['apps.kruise.io/inplace-update-state']).toContain(updateRevision);
      expect(status?.containerStatuses).toMatchObject([{ image: 'web:2', restartCount: 1, ready: true }]);
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'InPlaceUpdateReady', status: 'True' }),
      );
    }
  });

  test('changes labels and annotations with it, and reverts them', async () => {
    const sandbox = await running({ updateStrategy });
    const marked = { ...template('web:1'), metadata: { labels: { app: 'web', tier: 'a' } } };
    await sandbox.merge(WEB, { spec: { template: marked } });
    await sandbox.untilIdle();
    for (const { metadata } of await livePods(sandbox)) expect(metadata.labels?.tier).toBe('a');
    await sandbox.merge(WEB, { spec: { template: { metadata: { labels: { tier: null } } } } });
    await sandbox.untilIdle();
    for (const { metadata, status } of await livePods(sandbox)) {
      expect(metadata.labels?.tier).toBeUndefined();
      expect(status?.containerStatuses).toMatchObject([{ restartCount: 0 }]);
    }
  });

  test('creates new pods where more than images has changed', async () => {
    const sandbox = await running({ updateStrategy });
    const before = names(await livePods(sandbox));
    await sandbox.merge(WEB, { spec: { template: template('web:2', 'debug') } });
    await sandbox.untilIdle();
    expect(names(await livePods(sandbox)).filter((name) => before.includes(name))).toEqual([]);
  });

  test('as the only policy leaves pods unchanged that would have to be recreated', async () => {
    const sandbox = await running({ updateStrategy: { type: 'InPlaceOnly' } });
    await sandbox.merge(WEB, { spec: { template: template('web:2', 'debug') } });
    await sandbox.untilIdle(60_000);
    expect(await images(sandbox)).toEqual(Array(5).fill('web:1'));
  });
});

describe('a rollback to an old template', () => {
  test('reuses its revision under a new number', async () => {
    const sandbox = await running();
    for (const image of ['web:2', 'web:1']) {
      await sandbox.merge(WEB, { spec: { template: template(image) } });
      await sandbox.untilIdle();
    }
    const revisions = await sandbox.list('controllerrevisions');
    expect(revisions.map(({ revision }) => revision).sort()).toEqual([2, 3]);
    expect((await statusOf(sandbox)).updateRevision).toBe(
      revisions.find(({ revision }) => revision === 3)?.metadata.name,
    );
  });

  test('leaves the pods beyond the partition unchanged until it is lowered', async () => {
    const sandbox = await running({ updateStrategy: { type: 'ReCreate', partition: '80%' } });
    for (const image of ['web:2', 'web:1']) {
      await sandbox.merge(WEB, { spec: { template: template(image) } });
      await sandbox.untilIdle();
    }
    expect(await images(sandbox)).toContain('web:2');
    await sandbox.merge(WEB, { spec: { updateStrategy: { partition: 0 } } });
    await sandbox.untilIdle();
    expect(await images(sandbox)).not.toContain('web:2');
  });
});

test('keeps no more revisions than the limit, besides the live ones', async () => {
  const sandbox = await running({ revisionHistoryLimit: 1, replicas: 1 });
  for (const image of ['web:2', 'web:3', 'web:4']) {
    await sandbox.merge(WEB, { spec: { template: template(image) } });
    await sandbox.untilIdle();
  }
  expect((await sandbox.list('controllerrevisions')).map(({ revision }) => revision).sort()).toEqual([3, 4]);
});

describe('scaling', () => {
  test('down deletes outdated pods beyond the partition first, and keeps its share of them', async () => {
    const sandbox = await running({ updateStrategy: { type: 'ReCreate', partition: '40%' } });
    await sandbox.merge(WEB, { spec: { template: template('web:2') } });
    await sandbox.untilIdle();
    await sandbox.merge(`${WEB}/scale`, { spec: { replicas: 2 } });
    await sandbox.untilIdle();
    expect(await images(sandbox)).toEqual(['web:1', 'web:2']);
    await sandbox.merge(`${WEB}/scale`, { spec: { replicas: 5 } });
    await sandbox.untilIdle();
    expect(await images(sandbox)).toEqual(['web:1', 'web:1', 'web:2', 'web:2', 'web:2']);
  });

  test('down deletes the named pods', async () => {
    const sandbox = await running();
    const [first, ...others] = names(await livePods(sandbox));
    await sandbox.merge(WEB, { spec: { replicas: 4, scaleStrategy: { podsToDelete: [first ?? ''] } } });
    await sandbox.untilIdle();
    expect(names(await livePods(sandbox))).toEqual(others);
  });
});

describe('a definition', () => {
  test('deletes its CloneSets with it, and leaves no pending work', async () => {
    const sandbox = await running();
    await sandbox.remove('/apiextensions.k8s.io/v1/customresourcedefinitions/clonesets.apps.kruise.io');
    await sandbox.untilIdle();
    expect(await livePods(sandbox)).toEqual([]);
    await sandbox.define(cloneSetCrd);
    await sandbox.create(cloneSet());
    await sandbox.untilIdle();
    expect(await statusOf(sandbox)).toMatchObject({ availableReplicas: 5 });
  });
});

describe('controllers that are killed and restarted', () => {
  test.each([1, 2, 5, 13])('reach the same end after every %i writes', async (spare) => {
    const sandbox = await running({ updateStrategy: { type: 'InPlaceIfPossible', partition: 1 } });
    await sandbox.stopControllers();
    await sandbox.merge(WEB, { spec: { template: template('web:2') } });
    await sandbox.outlastDeaths(spare);
    expect(await images(sandbox)).toEqual(['web:1', ...Array<string>(4).fill('web:2')]);
    expect(await statusOf(sandbox)).toMatchObject({
      replicas: 5,
      updatedReadyReplicas: 4,
      availableReplicas: 5,
    });
    for (const { metadata } of await livePods(sandbox))
      expect(metadata.labels?.['lifecycle.apps.kruise.io/state']).toBe('Normal');
  });
});

test('the same inputs give the same pods, including their names', async () => {
  const seen: string[][] = [];
  for (const sandbox of [await running(), await running()]) {
    await sandbox.merge(WEB, { spec: { template: template('web:2') } });
    await sandbox.untilIdle();
    seen.push(names(await livePods(sandbox)));
  }
  expect(seen[1]).toEqual(seen[0]);
});
