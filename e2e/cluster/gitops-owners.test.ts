import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signInManifests } from '@/e2e/controlplane/chart-account';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { argoCdCrds, installPublishedCrds } from '@/e2e/controlplane/published-crds';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { READER_NAMESPACE } from '@/e2e/controlplane/users';
import { deploy, IMAGE, shownAt } from '@/e2e/cluster/deployments';
import { apply, kubectl, until } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { behindProxy, signedInAs } from '@/e2e/support/proxy-sign-in';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import { HOUR, MINUTE } from '@/lib/format/duration';

const shop = READER_NAMESPACE;
/** Shiplog's own account, with no rights but those that the chart gives it. */
const account = 'nobody';
const hasAll = await needs('Impersonation', 'kubectl');

let cluster: ControlPlane;
let shiplog: Shiplog;

const ago = (ms: number) => new Date(Date.now() - ms).toISOString().replace(/\.\d+/, '');

function application(name: string, syncPolicy: object, phase = 'Succeeded', parts: object = {}) {
  const source = { repoURL: 'https://git.example.com/deploy.git', path: 'prod/shop' };
  const destination = { server: 'https://kubernetes.default.svc', namespace: shop };
  const syncResult = { revision: 'a1', source };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd', ...parts },
    spec: { project: 'default', source, destination, syncPolicy },
    status: {
      sync: { status: 'Synced', revision: 'a1', comparedTo: { source, destination } },
      operationState: { phase, startedAt: ago(HOUR), operation: {}, syncResult },
    },
  };
}

/** Active at this moment, and for hours. */
const denyWindow = {
  ...{ kind: 'deny', schedule: '* * * * *', duration: '6h' },
  applications: ['frozen'],
};

const objects = [
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'default', namespace: 'argocd' },
    spec: { syncWindows: [denyWindow] },
  },
  application('healing', { automated: { selfHeal: true } }),
  application('reverted', { automated: { selfHeal: true } }),
  application('failed', { automated: { selfHeal: true } }, 'Failed'),
  application('automated', { automated: {} }),
  application('manual', { automated: { enabled: false, selfHeal: true } }),
  application('parent', { automated: { selfHeal: true } }),
  application('child', { automated: { selfHeal: true } }, 'Succeeded', {
    annotations: { 'argocd.argoproj.io/tracking-id': 'parent:argoproj.io/Application:argocd/child' },
  }),
  application('elsewhere', { automated: {} }, 'Succeeded', { namespace: 'team-a' }),
  application('frozen', { automated: { selfHeal: true } }),
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'shops', namespace: 'argocd' },
    spec: {
      generators: [],
      template: {
        metadata: { name: 'shop' },
        spec: {
          project: 'default',
          source: { repoURL: 'https://git.example.com/deploy.git' },
          destination: {},
        },
      },
    },
  },
  {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'apps', namespace: 'flux-system' },
    spec: { interval: '1h', prune: true, sourceRef: { kind: 'GitRepository', name: 'deploy' } },
  },
  ...['disabled', 'enabled'].map((mode) => ({
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name: `drift-${mode}`, namespace: 'flux-system' },
    spec: {
      interval: '1h',
      chartRef: { kind: 'OCIRepository', name: 'shop' },
      driftDetection: { mode },
    },
  })),
];

/** Flux writes it as a subresource. */
async function setReconciled(plural: string, name: string): Promise<void> {
  const status = {
    conditions: [
      {
        ...{ type: 'Ready', status: 'True', reason: 'Succeeded', message: 'done' },
        lastTransitionTime: ago(50 * MINUTE),
      },
    ],
  };
  await kubectl(cluster, [
    ...['patch', plural, name, '-n', 'flux-system', '--subresource=status', '--type=merge'],
    ...['-p', JSON.stringify({ status })],
  ]);
}

const tracked = (instance: string, name = instance) => ({
  annotations: { 'argocd.argoproj.io/tracking-id': `${instance}:apps/Deployment:${shop}/${name}` },
});

const labeled = (group: string, name: string) => ({
  labels: { [`${group}/name`]: name, [`${group}/namespace`]: 'flux-system' },
});

const workloads: Record<string, object> = {
  ...Object.fromEntries(
    ['healing', 'reverted', 'failed', 'automated', 'manual', 'frozen', 'generated', 'child'].map((name) => [
      name,
      tracked(name),
    ]),
  ),
  copied: tracked('healing', 'another'),
  elsewhere: tracked('team-a_elsewhere', 'elsewhere'),
  kustomized: labeled('kustomize.toolkit.fluxcd.io', 'apps'),
  released: labeled('helm.toolkit.fluxcd.io', 'drift-disabled'),
  corrected: labeled('helm.toolkit.fluxcd.io', 'drift-enabled'),
};

beforeAll(async () => {
  if (!hasAll) return;
  cluster = await startControlPlane();
  await installPublishedCrds(cluster, [
    argoCdCrds('application', 'applicationset', 'appproject'),
    {
      module: 'github.com/fluxcd/kustomize-controller@v1.9.0',
      files: ['config/crd/bases/kustomize.toolkit.fluxcd.io_kustomizations.yaml'],
    },
    {
      module: 'github.com/fluxcd/helm-controller@v1.4.0',
      files: ['config/crd/bases/helm.toolkit.fluxcd.io_helmreleases.yaml'],
    },
  ]);
  for (const namespace of ['argocd', 'flux-system', 'team-a'])
    await kubectl(cluster, ['create', 'namespace', namespace]);
  await apply(cluster, objects);
  const uid = await kubectl(cluster, [
    ...['get', 'applicationset', 'shops', '-n', 'argocd', '-o', 'jsonpath={.metadata.uid}'],
  ]);
  // With another uid the garbage collector deletes it.
  const generator = { apiVersion: 'argoproj.io/v1alpha1', kind: 'ApplicationSet', name: 'shops', uid };
  await apply(cluster, [
    application('generated', { automated: { selfHeal: true } }, 'Succeeded', {
      ownerReferences: [generator],
    }),
  ]);
  await kubectl(cluster, ['apply', '-f', '-'], await signInManifests(account));
  await kubectl(cluster, [
    ...['create', 'clusterrole', 'gitops-view', '--verb=get'],
    '--resource=applications.argoproj.io,appprojects.argoproj.io,applicationsets.argoproj.io',
    '--resource=kustomizations.kustomize.toolkit.fluxcd.io,helmreleases.helm.toolkit.fluxcd.io',
  ]);
  for (const [role, group] of [
    ['test-view', 'dev'],
    ['test-view', 'sre'],
    ['test-operate', 'sre'],
    ['gitops-view', 'sre'],
  ])
    await kubectl(cluster, [
      ...['create', 'clusterrolebinding', `${role}-${group}`],
      ...[`--clusterrole=${role}`, `--group=oidc:${group}`],
    ]);
  await Promise.all(
    Object.entries(workloads).map(([name, marks]) =>
      deploy(cluster, shop, name, ['1.0', '1.1'], { replicas: name === 'reverted' ? 1 : 0, ...marks }),
    ),
  );
  shiplog = await startShiplog({
    kubeconfig: cluster.kubeconfigs[account],
    env: {
      ...behindProxy,
      ...{ SHIPLOG_USERNAME_PREFIX: 'oidc:', SHIPLOG_GROUPS_PREFIX: 'oidc:' },
    },
  });
});
afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
});

async function request(path: string, group: string, body?: unknown): Promise<any> {
  const answer = await fetch(shiplog.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    body: body === undefined ? null : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...signedInAs('ana', group) },
  });
  return answer.json();
}

/** What the page says of the only owner, and what the dialog of a rollback says. */
async function told(name: string, group: string) {
  const path = shownAt(shop, name);
  const { workload } = await request(path, group);
  const { findings } = await request(`${path}/rollback`, group, {
    ...{ to: 1, seen: workload.seen, reason: '', dryRun: true },
  });
  return { owners: workload.owners, findings };
}

async function expectTold(name: string, sentence: string): Promise<void> {
  const { owners, findings } = await told(name, 'sre');
  expect(owners.map(({ note }: any) => note)).toEqual([sentence]);
  expect(findings.filter(({ code }: any) => code === 'gitops_owner')).toMatchObject([
    { message: expect.stringContaining(sentence) },
  ]);
}

describe.runIf(hasAll)('by the objects of its owners, read as the person with the roles of the chart', () => {
  it.each([
    ['healing', 'Argo CD reverts this within seconds (self-heal is on).'],
    [
      'failed',
      'Argo CD does not revert this while the last sync is failed, but at the next commit to prod/shop.',
    ],
    ['automated', 'Argo CD reverts this at the next commit to prod/shop.'],
    ['manual', 'This change stays until the next manual sync (auto-sync is off).'],
    ['generated', 'Argo CD reverts this within seconds (self-heal is on).'],
    ['child', 'Argo CD reverts this within seconds (self-heal is on).'],
    ['elsewhere', 'Argo CD reverts this at the next commit to prod/shop.'],
    ['released', 'This change stays until the next Helm upgrade by Flux.'],
  ])('page and dialog of %s say: %s', expectTold);

  it.each([
    ['kustomized', 'kustomizations', 'apps'],
    ['corrected', 'helmreleases', 'drift-enabled'],
  ])('page and dialog of %s say when the next reconciliation is due', async (name, plural, owner) => {
    await setReconciled(plural, owner);
    await expectTold(name, 'Flux reverts this in about 10 min (interval 1 h).');
  });

  it('a deny window has its end', async () => {
    const [owner] = (await told('frozen', 'sre')).owners;
    expect(owner).toMatchObject({
      when: 'notBefore',
      note: expect.stringMatching(
        /^Argo CD does not revert this (before .+|while that lasts) \(deny window\)/,
      ),
    });
  });

  it('of an ApplicationSet no command is offered, but the YAML that has an effect', async () => {
    const [owner] = (await told('generated', 'sre')).owners;
    expect(owner).not.toHaveProperty('command');
    expect(owner.manifest).toContain('kind: ApplicationSet');
    const [healing] = (await told('healing', 'sre')).owners;
    expect(healing.command).toBe('argocd app set healing --sync-policy none');
  });

  it('of an application of applications the first above it that reverts is named, with the YAML', async () => {
    const [owner] = (await told('child', 'sre')).owners;
    expect(owner).not.toHaveProperty('command');
    expect(owner.advice).toContain('Argo CD application parent reverts any other change');
    expect(owner.manifest).toContain('automated: null');
  });

  it('a rollback that the owner reverts ends so: as an action, as a record, and in figures', async () => {
    const path = shownAt(shop, 'reverted');
    // Its pods are still starting when it is reverted.
    const slow = JSON.stringify({ spec: { minReadySeconds: 60 } });
    await kubectl(cluster, ['-n', shop, 'patch', 'deployment', 'reverted', '-p', slow]);
    const { workload } = await request(path, 'sre');
    const body = { to: 1, seen: workload.seen, reason: 'looks bad' };
    const { result } = await request(`${path}/rollback`, 'sre', body);
    const records = async () =>
      (await request(`/api/records?namespace=${shop}&name=reverted`, 'sre')).items as any[];
    await until('the rollback has a record', async () => (await records())[0]?.to.number === 3);
    // As its self-heal does a moment later.
    await kubectl(cluster, [
      ...['-n', shop, 'set', 'image', 'deployment/reverted', `app=${IMAGE}:1.1`],
      '--field-manager=argocd-controller',
    ]);
    const action = await until('the action has ended', async () => {
      const current = await request(`/api/actions/${result.actionId}`, 'sre');
      return current.endedAt !== null && current;
    });
    expect(action).toMatchObject({
      state: 'failed',
      undoneBy: 'argocd-controller',
      message: expect.stringMatching(
        /^argocd-controller put the template before back at .* UTC\. Managed by Argo CD application reverted\. Argo CD reverts this within seconds \(self-heal is on\)\. \S/,
      ),
    });
    const [revert, rollback] = await until('the revert has a record', async () => {
      const items = await records();
      return items[0]?.to.number === 4 && items;
    });
    expect(rollback).toMatchObject({
      ...{ outcome: 'undone', undoneBy: 'argocd-controller', revertedBy: revert.id },
      actor: { source: 'shiplog' },
    });
    expect((await request(`/api/records/${rollback.id}`, 'sre')).owners).toMatchObject([
      { note: 'Argo CD reverts this within seconds (self-heal is on).', command: expect.any(String) },
    ]);
    expect(revert.actor).toMatchObject({ manager: 'argocd-controller' });
    // The change that was rolled back has failed; neither the rollback nor its revert counts.
    const report = await request(`/api/reports?namespace=${shop}&from=1h`, 'sre');
    expect(report.total).toMatchObject({ undone: 1, rolledBack: 0, failedChanges: 1 });
  });

  it('a tracking id of another object names no owner', async () => {
    expect((await told('copied', 'sre')).owners).toEqual([]);
  });

  it('who may not get them learns what may happen, not what Shiplog itself could read', async () => {
    const { workload } = await request(shownAt(shop, 'healing'), 'dev');
    expect(workload.owners).toMatchObject([{ tool: 'Argo CD', name: 'healing', when: 'unknown' }]);
    expect(workload.images).toMatchObject([{ image: `${IMAGE}:1.1` }]);
  });
});
