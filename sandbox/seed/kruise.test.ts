import { beforeAll, describe, expect, test } from 'vitest';
import { type KubeObject } from '@/lib/kube/object';
import { numberAt, objectsAt, textAt } from '@/lib/kube/read';
import { KRUISE } from '@/sandbox/seed/fleet/kruise';
import { playedObjects } from '@/sandbox/seed/testing/saved-objects';

const END = Date.parse('2026-11-20T12:00:00Z');

let objects: KubeObject[];

beforeAll(async () => {
  objects = await playedObjects(KRUISE, END);
}, 60_000);

function find(kind: string, name: string, group = ''): KubeObject | undefined {
  return objects.find(
    (object) => object.kind === kind && object.metadata.name === name && object.apiVersion.startsWith(group),
  );
}

describe('at the end of the seeded history', () => {
  test.each([
    ['product-page', 'canaryStatus', 1, 'StepPaused'],
    ['autocomplete', 'blueGreenStatus', 1, 'StepPaused'],
    ['wallet', 'canaryStatus', 3, 'Completed'],
    ['gift-cards', 'canaryStatus', 2, 'Completed'],
    ['statements', 'canaryStatus', 2, 'Completed'],
  ])('the rollout of %s is in its expected state', (name, member, step, state) => {
    const status = find('Rollout', name)?.status;
    expect(numberAt(status, member, 'currentStepIndex')).toBe(step);
    expect(textAt(status, member, 'currentStepState')).toBe(state);
    expect(textAt(status, 'phase')).toBe(state === 'Completed' ? 'Healthy' : 'Progressing');
  });

  test('a fifth of the requests goes to the canary that waits for approval', () => {
    const canary = find('Ingress', 'product-page-canary');
    expect(canary?.metadata.annotations?.['nginx.ingress.kubernetes.io/canary-weight']).toBe('20');
    expect(
      objects.filter(({ metadata }) => metadata.labels?.['rollouts.kruise.io/rollout-batch-id'] === '1'),
    ).not.toEqual([]);
  });

  test.each([
    ['CloneSet', 'image-tagger', ['updatedReplicas', 3], ['replicas', 6]],
    ['StatefulSet', 'vector-store', ['updatedReplicas', 1], ['replicas', 4]],
    ['DaemonSet', 'flow-exporter', ['updatedNumberScheduled', 2], ['desiredNumberScheduled', 5]],
  ] as const)('the %s %s is held by its partition', (kind, name, updated, all) => {
    const status = find(kind, name, 'apps.kruise.io/')?.status;
    expect([numberAt(status, updated[0]), numberAt(status, all[0])]).toEqual([updated[1], all[1]]);
  });

  test('a month of records exists, complete ones and every way in which they break', () => {
    const told = objects
      .filter(({ kind }) => kind === 'RolloutHistory')
      .map(({ metadata, status }) => ({
        rollout: metadata.labels?.['rollouts.kruise.io/rollout-name'] ?? '',
        id: metadata.labels?.['rollouts.kruise.io/rollout-id'] ?? '',
        phase: textAt(status, 'phase') ?? 'pending',
        pods: objectsAt(status, 'canarySteps').map((step) => objectsAt(step, 'pods').length),
      }));
    const of = (rollout: string) => told.filter((record) => record.rollout === rollout);
    const completed = (rollout: string) => of(rollout).filter(({ phase }) => phase === 'completed');

    expect(told.length).toBeGreaterThanOrEqual(20);
    expect(completed('wallet').map(({ pods }) => pods)).toEqual(Array(4).fill([1, 2, 3]));
    expect(of('wallet').some(({ id, phase }) => id.startsWith('rollback-') && phase === 'pending')).toBe(
      true,
    );
    expect(completed('product-page').every(({ pods }) => pods.every((count) => count === 0))).toBe(true);
    expect(of('gift-cards').map(({ phase }) => phase)).toEqual(Array(4).fill('pending'));
    expect(of('autocomplete')).toEqual([]);
    expect(
      completed('statements')
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['statements-2', 'statements-4', 'statements-4', 'statements-5']);
    expect(of('statements').filter(({ phase }) => phase === 'updated')).toHaveLength(1);
    expect(completed('statements-try')).toHaveLength(1);
    expect(find('Rollout', 'statements-try')).toBeUndefined();
  });
});
