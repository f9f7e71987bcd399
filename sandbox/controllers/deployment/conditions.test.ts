import { describe, expect, test } from 'vitest';
import { newCondition, withCondition, withoutCondition } from '@/sandbox/controllers/deployment/conditions';
import { isProgressing } from '@/sandbox/controllers/deployment/progress';
import { isComplete, statusOf } from '@/sandbox/controllers/deployment/status';
import { timeText } from '@/sandbox/controllers/objects/time';
import { deployment, replicaSet, T0 } from '@/sandbox/controllers/testing/objects';

const LATER = T0 + 60_000;
const condition = (now: number, status: 'True' | 'False', reason: string) =>
  newCondition(now, 'Progressing', status, reason, reason);

describe('a condition', () => {
  const first = [condition(T0, 'True', 'a')];

  test('of the same status and reason is left unchanged', () => {
    expect(withCondition(first, condition(LATER, 'True', 'a'))).toEqual(first);
  });

  test('keeps its transition time with another reason, and changes it with another status', () => {
    expect(withCondition(first, condition(LATER, 'True', 'b'))[0]).toMatchObject({
      reason: 'b',
      lastTransitionTime: timeText(T0),
      lastUpdateTime: timeText(LATER),
    });
    expect(withCondition(first, condition(LATER, 'False', 'a'))[0]?.lastTransitionTime).toBe(timeText(LATER));
  });

  test('can be removed', () => {
    expect(withoutCondition(first, 'Progressing')).toEqual([]);
  });
});

describe('the status of a Deployment', () => {
  const old = replicaSet('old', 8, {
    replicas: 8,
    readyReplicas: 8,
    availableReplicas: 8,
    terminatingReplicas: 1,
    observedGeneration: 1,
  });
  const fresh = replicaSet('new', 5, {
    replicas: 5,
    readyReplicas: 2,
    availableReplicas: 1,
    terminatingReplicas: 0,
    observedGeneration: 1,
  });

  test('sums up its ReplicaSets', () => {
    expect(statusOf(deployment(), { fresh, old: [old] }, T0)).toMatchObject({
      replicas: 13,
      updatedReplicas: 5,
      readyReplicas: 10,
      availableReplicas: 9,
      unavailableReplicas: 4,
      terminatingReplicas: 1,
      conditions: [{ type: 'Available', status: 'True' }],
    });
  });

  test('does not guess the number of terminating pods while a ReplicaSet has not reported it', () => {
    const silent = replicaSet('older', 0, { observedGeneration: 1 });
    expect(statusOf(deployment(), { fresh, old: [old, silent] }, T0).terminatingReplicas).toBeUndefined();
    const unseen = replicaSet('newest', 1);
    expect(statusOf(deployment(), { fresh: unseen, old: [old] }, T0).terminatingReplicas).toBe(1);
  });

  test('is complete when every pod is new and available and no other is left', () => {
    const done = { replicas: 10, updatedReplicas: 10, availableReplicas: 10, observedGeneration: 1 };
    expect(isComplete(deployment(), done)).toBe(true);
    for (const member of ['replicas', 'updatedReplicas', 'availableReplicas', 'observedGeneration'] as const)
      expect(isComplete(deployment(), { ...done, [member]: done[member] - 1 })).toBe(false);
  });

  test.each([
    [{ replicas: 5, updatedReplicas: 1 }, { replicas: 6, updatedReplicas: 2 }, true],
    [{ replicas: 5, updatedReplicas: 1 }, { replicas: 4, updatedReplicas: 1 }, true],
    [{ replicas: 5, updatedReplicas: 1 }, { replicas: 5, updatedReplicas: 1, readyReplicas: 1 }, true],
    [{ replicas: 5, updatedReplicas: 1 }, { replicas: 5, updatedReplicas: 1, availableReplicas: 1 }, true],
    [{ replicas: 4, updatedReplicas: 1 }, { replicas: 5, updatedReplicas: 1 }, false],
    [
      { replicas: 5, updatedReplicas: 2, readyReplicas: 3 },
      { replicas: 5, updatedReplicas: 2, readyReplicas: 2 },
      false,
    ],
  ])('from %j to %j is progress: %s', (before, after, expected) => {
    expect(isProgressing(before, after)).toBe(expected);
  });
});
