import { describe, expect, test } from 'vitest';
import { podsToSpare } from '@/sandbox/controllers/replica-set/pod-ranking';
import { pod, type PodFacts, T0 } from '@/sandbox/controllers/testing/objects';

const HOUR = 3_600_000;
const NOW = T0 + 24 * HOUR;
const COST = { 'controller.kubernetes.io/pod-deletion-cost': '-5' };

describe('deletes first, of two pods, the one', () => {
  test.each<[string, PodFacts, PodFacts]>([
    ['that has no node', { node: '' }, { readyAt: null }],
    ['that is pending', { phase: 'Pending', annotations: { ...COST } }, { readyAt: null, annotations: COST }],
    ['that is not ready', { readyAt: null }, { annotations: COST }],
    ['that costs less', { annotations: COST }, { restarts: 4 }],
    ['that is ready for much less long', { readyAt: NOW - HOUR, node: 'n2' }, { restarts: 9 }],
    ['that restarted more often', { restarts: 3 }, { restarts: 1, createdAt: NOW - HOUR }],
    ['that is much younger', { createdAt: NOW - HOUR }, {}],
  ])('%s', (_, going, staying) => {
    const pods = [pod('b-stays', staying), pod('a-goes', going)];
    expect(podsToSpare(pods, [], 1, NOW).map(({ metadata }) => metadata.name)).toEqual(['a-goes']);
  });

  test('that shares its node with more pods of the same owner', () => {
    const pods = [pod('alone', { node: 'n2' }), pod('crowded')];
    const related = [...pods, pod('kin'), pod('ended', { node: 'n2', phase: 'Failed' })];
    expect(podsToSpare(pods, related, 1, NOW)[0]?.metadata.name).toBe('crowded');
  });
});

test('ages of the same order of magnitude are decided by the uid', () => {
  const pods = [pod('b', { readyAt: T0 + 1000 }), pod('a', { readyAt: T0 + HOUR })];
  expect(podsToSpare(pods, [], 2, NOW).map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
});
