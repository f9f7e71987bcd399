import { expect, test } from 'vitest';
import { CLAIM_ANNOTATION } from '@/lib/workloads/managing-tools';
import { deploymentOf } from '@/lib/rollout/oam/testing/scenario';
import { argoApplicationOf, checkManagingTools, managingToolsOf } from '@/lib/workloads/managing-tools';

test('a workload that a Rollout of OAM has claimed reports it before it is written', () => {
  const { workload } = deploymentOf('cart-v2', '2', 3);
  const annotations = { ...workload.annotations, [CLAIM_ANNOTATION]: 'cart/uid-cart' };
  expect(checkManagingTools({ ...workload, annotations })).toMatchObject([
    {
      severity: 'warning',
      code: 'rollout_owner',
      message: 'OAM Rollout cart is updating this workload in batches.',
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
  expect(finding?.message).toMatch(new RegExp(`^Managed by Argo CD application ${name}\\.`));
  expect(finding?.command).toBe(`argocd app set ${name} --sync-policy none`);
  expect(argoApplicationOf(managed)).toBe(name);
});

test('a workload of Flux names the command that suspends its object', () => {
  const { workload } = deploymentOf('cart-v2', '2', 3);
  const labels = {
    'kustomize.toolkit.fluxcd.io/name': 'shop',
    'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
  };
  const [finding] = checkManagingTools({ ...workload, labels: { ...workload.labels, ...labels } });
  expect(finding?.message).toContain('Managed by Flux Kustomization flux-system/shop.');
  expect(finding?.command).toBe('flux suspend kustomization shop -n flux-system');
});

test.each(['shop; rm -rf /', '$(id)', '../../admin', 'a\nb'])(
  'a name that cannot be one becomes no command and no link: %s',
  (name) => {
    const { workload } = deploymentOf('cart-v2', '2', 3);
    const managed = { ...workload, annotations: { 'argocd.argoproj.io/tracking-id': `${name}:apps/x` } };
    expect(checkManagingTools(managed)[0]?.command).toBeUndefined();
    expect(argoApplicationOf(managed)).toBeNull();
  },
);

test.each([
  ['selfHeal', /reverts this change within minutes/, true],
  ['automated', /next commit or sync reverts this change/, true],
  ['manual', /stays until the next manual sync/, false],
  [null, /sync policy is unknown/, true],
] as const)('the consequence follows from the sync policy: %s', (policy, consequence, hasCommand) => {
  const { workload } = deploymentOf('cart-v2', '2', 3);
  const annotations = { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:shop/cart' };
  const [finding] = checkManagingTools({ ...workload, annotations }, policy);
  expect(finding?.message).toMatch(consequence);
  expect(finding?.command !== undefined).toBe(hasCommand);
});
