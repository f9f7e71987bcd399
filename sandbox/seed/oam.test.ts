import { beforeAll, expect, test } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { numberAt, objectsAt, textAt } from '@/lib/kube/read';
import { KUBEVELA } from '@/sandbox/seed/fleet/kubevela';
import { OAM } from '@/sandbox/seed/fleet/oam';
import { playedObjects } from '@/sandbox/seed/testing/saved-objects';

const END = Date.parse('2026-11-20T12:00:00Z');

let objects: KubeObject[];

beforeAll(async () => {
  objects = await playedObjects([...OAM, ...KUBEVELA], END);
}, 60_000);

const find = (kind: string, name: string) =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);
const ready = (name: string) => numberAt(find('Deployment', name)?.status, 'readyReplicas') ?? 0;
const told = (name: string) =>
  objects.flatMap((object) => {
    const event = { ...object } as object as JsonObject;
    return event.kind === 'Event' && textAt(event, 'involvedObject', 'name') === name
      ? [textAt(event, 'reason')]
      : [];
  });

test('a rollout waits after the second of four batches, and the previous one completed', () => {
  expect(find('Rollout', 'loyalty')?.status).toMatchObject({
    rollingState: 'rollingInBatches',
    batchRollingState: 'batchReady',
    currentBatch: 1,
    upgradedReadyReplicas: 2,
  });
  expect(['loyalty-v2', 'loyalty-v3', 'loyalty-v4'].map(ready)).toEqual([0, 2, 2]);
});

test('one has failed its metric in the first batch, and does not touch its pods', () => {
  const { status } = find('Rollout', 'ranker') ?? {};
  expect(status).toMatchObject({ rollingState: 'rolloutFailed', currentBatch: 0 });
  const why = objectsAt(status, 'conditions').find(({ type }) => type === 'BatchRolloutFailed');
  expect(textAt(why, 'message')).toContain('error-rate = 7.4 (limit ≤ 1)');
  expect(find('CloneSet', 'ranker')?.status).toMatchObject({ updatedReadyReplicas: 2, readyReplicas: 6 });
});

test('one was deleted and has restored the previous version, as its events show', () => {
  expect(find('Rollout', 'wishlist')).toBeUndefined();
  expect(['wishlist-blue', 'wishlist-green'].map(ready)).toEqual([4, 0]);
  expect(told('wishlist')).toContain('Rollout Reverted');
});

test('an Application has revisions of both compressions, and is held by its publishVersion', () => {
  const revisions = objects
    .filter(({ kind }) => kind === 'ApplicationRevision')
    .toSorted((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1));
  expect(
    revisions.map(({ metadata, spec }) => [
      metadata.name,
      textAt(spec, 'compression', 'type'),
      metadata.annotations?.['app.oam.dev/publishVersion'],
    ]),
  ).toEqual([
    ['campaigns-v1', 'gzip', undefined],
    ['campaigns-v2', 'gzip', undefined],
    ['campaigns-v3', 'gzip', undefined],
    ['campaigns-v4', 'zstd', 'autumn-sale'],
    ['campaigns-v5', 'zstd', 'autumn-sale-preview'],
    ['campaigns-v6', 'zstd', 'autumn-sale-again'],
    ['campaigns-v7', 'zstd', 'winter'],
  ]);
  const app = find('Application', 'campaigns');
  expect(app?.status).toMatchObject({ status: 'running', latestRevision: { name: 'campaigns-v7' } });
  expect(ready('campaigns-api')).toBe(3);
});
