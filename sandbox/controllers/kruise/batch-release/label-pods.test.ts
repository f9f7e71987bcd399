import { expect, test } from 'vitest';
import { numberPods } from '@/sandbox/controllers/kruise/batch-release/label-pods';
import { pod } from '@/sandbox/controllers/testing/objects';

const plan = {
  rolloutID: 'new',
  rollingStyle: 'Partition' as const,
  batches: [{ canaryReplicas: 1 }, { canaryReplicas: '60%' }, { canaryReplicas: '100%' }],
};

function labelled(name: string, id: string, batch: string) {
  const labels = { 'rollouts.kruise.io/rollout-id': id, 'rollouts.kruise.io/rollout-batch-id': batch };
  return pod(name, { labels });
}

function numbers(pods: ReturnType<typeof pod>[], batch: number): number[] {
  return [...numberPods(pods, plan, 5, batch).values()];
}

test('fills the current batch first, then the skipped ones', () => {
  const pods = ['a', 'b', 'c', 'd', 'e'].map((name) => pod(name));
  expect(numbers(pods, 2)).toEqual([3, 3, 2, 2, 1]);
  expect(numbers(pods.slice(0, 3), 2)).toEqual([3, 3, 2]);
});

test('pods with a batch of this rollout keep it and use its room', () => {
  const pods = [labelled('a', 'new', '1'), pod('b'), pod('c'), pod('d')];
  expect(numbers(pods, 1)).toEqual([2, 2]);
});

test('ignores labels of an earlier rollout', () => {
  expect(numbers([labelled('a', 'old', '3')], 0)).toEqual([1]);
});
