import { expect, test } from 'vitest';
import { CLAIM } from '@/lib/oam/workload';
import { deploymentOf } from '@/lib/rollout/oam/testing/scene';
import { findOwners, ownersOf } from '@/lib/workloads/owners';

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

test.each([
  ['shop-cart:apps/Deployment:shop/cart', 'shop-cart'],
  ['teams_shop-cart:apps/Deployment:shop/cart', 'teams/shop-cart'],
])('a workload of Argo CD names its Application and the command: %s', (mark, name) => {
  const { workload } = deploymentOf('cart-v2', '2', 3);
  const managed = { ...workload, annotations: { 'argocd.argoproj.io/tracking-id': mark } };
  expect(ownersOf(managed)).toMatchObject([{ tool: 'Argo CD', name }]);
  const [finding] = findOwners(managed);
  expect(finding?.message).toMatch(new RegExp(`^Argo CD Application ${name} manages this workload`));
  expect(finding?.action).toContain(`argocd app set ${name} --sync-policy none`);
});
