import { expect, test } from 'vitest';
import { CLAIM } from '@/lib/oam/workload';
import { deploymentOf } from '@/lib/rollout/oam/testing/scene';
import { findOwners } from '@/lib/workloads/owners';

test('a workload that a Rollout of OAM has claimed says so before it is written', () => {
  const { workload } = deploymentOf('cart-v2', '2', 3);
  const annotations = { ...workload.annotations, [CLAIM]: 'cart/uid-cart' };
  expect(findOwners({ ...workload, annotations })).toMatchObject([
    {
      severity: 'warning',
      code: 'rollout_owner',
      message: 'Rollout cart of OAM moves this workload batch by batch now.',
    },
  ]);
  expect(findOwners(workload).map(({ code }) => code)).not.toContain('rollout_owner');
});
