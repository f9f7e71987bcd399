import { expect, test } from 'vitest';
import { CLAIM_ANNOTATION } from '@/lib/workloads/managing-tools';
import { deploymentOf } from '@/lib/rollout/oam/testing/scenario';
import { checkManagingTools, managingToolsOf } from '@/lib/workloads/managing-tools';

test('a workload that a Rollout of OAM has claimed reports it before it is written', () => {
  const { workload } = deploymentOf('cart-v2', '2', 3);
  const annotations = { ...workload.annotations, [CLAIM_ANNOTATION]: 'cart/uid-cart' };
  expect(checkManagingTools({ ...workload, annotations })).toMatchObject([
    {
      severity: 'warning',
      code: 'rollout_owner',
      message: 'Rollout cart of OAM moves this workload batch by batch now.',
    },
  ]);
  expect(checkManagingTools(workload).map(({ code }) => code)).not.toContain('rollout_owner');
});

test.each([
  ['shop-cart:apps/Deployment:shop/cart', 'shop-cart'],
  ['teams_shop-cart:apps/Deployment:shop/cart', 'teams/shop-cart'],
])('a workload of Argo CD names its Application and the command: %s', (mark, name) => {
  const { workload } = deploymentOf('cart-v2', '2', 3);
  const managed = { ...workload, annotations: { 'argocd.argoproj.io/tracking-id': mark } };
  expect(managingToolsOf(managed)).toMatchObject([{ tool: 'Argo CD', name }]);
  const [finding] = checkManagingTools(managed);
  expect(finding?.message).toMatch(new RegExp(`^Argo CD Application ${name} manages this workload`));
  expect(finding?.action).toContain(`argocd app set ${name} --sync-policy none`);
});
