import { expect, test } from 'vitest';
import { argoApplicationOf, ownersOf } from '@/lib/owners/owners-of';
import { marked } from '@/lib/owners/testing/marked';
import { formatOwner } from '@/lib/owners/verdict-text';

const tracking = (id: string) => ({ annotations: { 'argocd.argoproj.io/tracking-id': id } });
const REST = 'apps/Deployment:shop/cart';

/** Each owner with what shows it. */
function owners(...parts: Parameters<typeof marked>): string[] {
  return ownersOf(marked(...parts)).map((owner) => `${formatOwner(owner)}: ${owner.evidence}`);
}

test.each([
  [`shop-cart:${REST}`, 'shop-cart'],
  [`teams_shop-cart:${REST}`, 'teams/shop-cart'],
  [`openshift-gitops_shop:${REST}`, 'openshift-gitops/shop'],
])('a tracking id names the application, its namespace before the first underscore: %s', (id, name) => {
  expect(owners(tracking(id))).toEqual([
    `Argo CD application ${name}: annotation argocd.argoproj.io/tracking-id`,
  ]);
  expect(argoApplicationOf(marked(tracking(id)))).toBe(name);
});

test.each([
  'shop:apps/Deployment:shop/cart-copy',
  'shop:apps/Deployment:other/cart',
  'shop:apps/StatefulSet:shop/cart',
  'shop:extensions/Deployment:shop/cart',
  'shop',
  '',
])('a tracking id of another object, or none, shows no owner: %j', (id) => {
  expect(owners(tracking(id))).toEqual([]);
});

test.each([
  ['pods', 'shop:/Pod:shop/cart'],
  ['leaderworkersets.leaderworkerset.x-k8s.io', 'shop:leaderworkerset.x-k8s.io/LeaderWorkerSet:shop/cart'],
  ['policies.example.com', 'shop:example.com/Policy:shop/cart'],
])('a tracking id is compared with any kind: %s', (resource, id) => {
  expect(argoApplicationOf(marked({ resource, ...tracking(id) }))).toBe('shop');
});

test('the label of every Helm chart shows Argo CD only beside its field manager', () => {
  const labels = { 'app.kubernetes.io/instance': 'teams_shop' };
  expect(owners({ labels })).toEqual([]);
  expect(owners({ labels }, 'argocd-controller')).toEqual([
    'Argo CD application teams/shop: label app.kubernetes.io/instance',
  ]);
  // A copy keeps the label, and the foreign tracking id decides nothing.
  expect(owners({ labels, ...tracking(`shop:apps/Deployment:shop/other`) })).toEqual([]);
});

test.each(['shop; rm -rf /', '$(id)', '../../admin', 'a\nb', 'Shop', 'a_b_c'])(
  'a name that cannot be one is none: %j',
  (name) => {
    const labels = { 'kustomize.toolkit.fluxcd.io/name': name, 'app.oam.dev/name': name };
    const annotations = {
      'argocd.argoproj.io/tracking-id': `${name}:${REST}`,
      'meta.helm.sh/release-name': name,
    };
    const found = ownersOf(marked({ labels, annotations }));
    expect(found.length).toBeGreaterThan(2);
    expect(found.map((owner) => owner.name)).toEqual(found.map(() => null));
    expect(argoApplicationOf(marked({ labels, annotations }))).toBeNull();
  },
);

test('labels of Flux name the object, annotations do not', () => {
  const values = (group: string) => ({ [`${group}/name`]: 'apps', [`${group}/namespace`]: 'flux-system' });
  for (const [group, name] of [
    ['kustomize.toolkit.fluxcd.io', 'Flux Kustomization flux-system/apps'],
    ['helm.toolkit.fluxcd.io', 'Flux HelmRelease flux-system/apps'],
    ['resourceset.fluxcd.controlplane.io', 'Flux ResourceSet flux-system/apps'],
  ] as const) {
    expect(owners({ labels: values(group) })).toEqual([`${name}: label ${group}/name`]);
    expect(owners({ annotations: values(group) })).toEqual([]);
  }
});

test('a Helm release is folded into the HelmRelease that installed it, and into no Kustomization', () => {
  const annotations = { 'meta.helm.sh/release-name': 'cart', 'meta.helm.sh/release-namespace': 'shop' };
  const helm = 'Helm release shop/cart: annotation meta.helm.sh/release-name';
  expect(owners({ annotations })).toEqual([helm]);
  const label = (group: string) => ({ [`${group}.toolkit.fluxcd.io/name`]: 'cart' });
  expect(owners({ annotations, labels: label('helm') }, 'helm')).toEqual([
    'Flux HelmRelease shop/cart: label helm.toolkit.fluxcd.io/name',
  ]);
  expect(owners({ annotations, labels: label('kustomize') })).toHaveLength(2);
});

test.each([
  ['argocd-controller', 'Argo CD'],
  ['kustomize-controller', 'Flux'],
  ['helm-controller', 'Flux'],
  ['flux-operator', 'Flux'],
  ['helm', 'Helm'],
  ['configsync.gke.io', 'Config Sync'],
  ['fleetagent', 'Rancher Fleet'],
  ['kapp', 'kapp'],
  ['vela-core', 'KubeVela'],
])('the field manager %s of the template shows an owner without a name', (manager, name) => {
  expect(owners({}, manager)).toEqual([`${name}: field manager ${manager}`]);
  const [write] = marked({}, manager).writes;
  expect(ownersOf({ ...marked(), writes: write ? [{ ...write, template: false }] : [] })).toEqual([]);
});

test.each([
  ['Octopus.Deployment.Id', 'Octopus Deploy deployment d-42'],
  ['skaffold.dev/run-id', 'Skaffold run d-42'],
  ['harness.io/release-name', 'Harness release d-42'],
  ['app.gitlab.com/env', 'GitLab environment d-42'],
  ['moniker.spinnaker.io/application', 'Spinnaker application d-42'],
  ['project.werf.io/name', 'werf project d-42'],
])('an id of a CI system shows what deployed it, as label and as annotation: %s', (key, name) => {
  expect(owners({ labels: { [key]: 'd-42' } })).toEqual([`${name}: label ${key}`]);
  expect(owners({ annotations: { [key]: 'd-42' } })).toEqual([`${name}: annotation ${key}`]);
});
