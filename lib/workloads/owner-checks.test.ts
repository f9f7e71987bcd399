import { expect, test } from 'vitest';
import type { Workload } from '@/lib/history/workload';
import { deploymentOf } from '@/lib/rollout/oam/testing/scenario';
import { unread } from '@/lib/owners/owner';
import { ownersOf } from '@/lib/owners/owners-of';
import { CLAIM_ANNOTATION, checkOwners, findingsOfOwners, ownerItems } from '@/lib/workloads/owner-checks';

const { workload } = deploymentOf('cart-v2', '2', 3);
const managed = (parts: Partial<Pick<Workload, 'labels' | 'annotations'>>): Workload => ({
  ...workload,
  ...parts,
});
const tracked = managed({
  annotations: { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:shop/cart-v2' },
});

test('a workload that a Rollout of OAM has claimed reports it before it is written', () => {
  const annotations = { ...workload.annotations, [CLAIM_ANNOTATION]: 'cart/uid-cart' };
  expect(checkOwners(managed({ annotations }))).toMatchObject([
    {
      severity: 'warning',
      code: 'rollout_owner',
      message: 'OAM Rollout cart is updating this workload in batches.',
    },
  ]);
  expect(checkOwners(workload).map(({ code }) => code)).not.toContain('rollout_owner');
});

test('the finding and the page say the same of an owner', () => {
  const readings = ownersOf(tracked).map(unread);
  const [finding] = findingsOfOwners(readings, tracked, 0);
  const [item] = ownerItems(readings, tracked, 0);
  expect(item).toMatchObject({
    tool: 'Argo CD',
    noun: 'application',
    name: 'shop',
    evidence: 'annotation argocd.argoproj.io/tracking-id',
    when: 'unknown',
  });
  expect(finding?.message).toBe(`Managed by Argo CD application shop. ${item?.note}`);
  expect(finding?.action).toBe(item?.advice);
  expect(finding?.command).toBe(item?.command);
});

test.each([
  [{ labels: { 'skaffold.dev/run-id': 'r1' } }, 'pipeline_owner'],
  [{ annotations: { 'meta.helm.sh/release-name': 'cart' } }, 'helm_owner'],
  [{ labels: { 'kapp.k14s.io/app': '1' } }, 'gitops_owner'],
])('each kind of owner has its code: %j', (parts, code) => {
  expect(checkOwners(managed({ labels: {}, annotations: {}, ...parts })).map((each) => each.code)).toEqual([
    code,
  ]);
});
