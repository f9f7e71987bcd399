import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, deploymentPath, IMAGE, shownAt } from '@/e2e/cluster/deployments';
import { everyRead, everyRoute } from '@/e2e/cluster/every-route';
import { openStream } from '@/e2e/cluster/event-stream';
import { apply, kubectl, until } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { WrittenClusters, type NamedCluster, startTwoClusters } from '@/e2e/cluster/two-clusters';
import { argoCdCrds, installPublishedCrds } from '@/e2e/controlplane/published-crds';
import { signInManifests } from '@/e2e/controlplane/chart-account';
import { behindProxy, signedInAs } from '@/e2e/support/proxy-sign-in';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { RecordAnswer, RecordList } from '@/lib/api/records';
import type { WorkloadDetail, WorkloadList } from '@/lib/api/workloads';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';

const namespace = 'shop';
/** Shiplog's own account, with no rights but those that the chart gives it. */
const account = 'nobody';
const hasAll = await needs('Rights in one of two clusters', 'disturb', 'kubectl');

/** Both have every right that Shiplog uses: one in staging, the other in prod. */
const ana = of('ana', 'staging-team');
const ben = of('ben', 'prod-team');

/** It has the rights of both. */
const cora = of('cora', 'staging-team,prod-team');

/** What Argo CD has for a self-healing application with that destination. */
function deployingTo(destination: object): object[] {
  const source = { repoURL: 'https://git.example.com/deploy.git', path: 'staging/cart' };
  const about = (kind: string, name: string) => ({
    ...{ apiVersion: 'argoproj.io/v1alpha1', kind, metadata: { name, namespace: 'argocd' } },
  });
  return [
    { ...about('AppProject', 'default'), spec: {} },
    {
      ...about('Application', 'cart'),
      spec: { project: 'default', source, destination, syncPolicy: { automated: { selfHeal: true } } },
    },
  ];
}

const folder = makeFolder();
let clusters: Awaited<ReturnType<typeof startTwoClusters>>;
let prod: NamedCluster;
let file: WrittenClusters;
let shiplog: Shiplog;
/** By name of the cluster. */
const ids = new Map<string, string>();
const records = new Map<string, string>();

function of(user: string, group: string): Record<string, string> {
  return { ...signedInAs(user, group), 'content-type': 'application/json' };
}

async function send(path: string, headers: Record<string, string>, method = 'GET', body?: unknown) {
  const content = method === 'GET' ? undefined : JSON.stringify(body ?? {});
  const answer = await fetch(shiplog.url + path, { method, headers, body: content ?? null });
  return { status: answer.status, text: await answer.text() };
}

async function get<Body>(path: string, headers: Record<string, string>): Promise<Body> {
  const { status, text } = await send(path, headers);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return JSON.parse(text) as Body;
}

/** Everything, so that only the cluster decides. */
async function prepare(named: NamedCluster): Promise<void> {
  await kubectl(named.cluster, ['apply', '-f', '-'], await signInManifests(account));
  const team = [`--group=${named.name}-team`, '--clusterrole=cluster-admin'];
  await kubectl(named.cluster, ['create', 'clusterrolebinding', 'team', ...team]);
}

function startWithProxy(): Promise<Shiplog> {
  return startShiplog({ env: { ...file.env, ...behindProxy }, dataDir: folder.path });
}

describe.runIf(hasAll)('two clusters, with rights in one only', () => {
  beforeAll(async () => {
    clusters = await startTwoClusters(namespace);
    ({ prod } = clusters);
    const both = [clusters.staging, prod];
    file = new WrittenClusters(both, account);
    await Promise.all(both.map(prepare));
    shiplog = await startWithProxy();
    await Promise.all(
      both.map(({ cluster, name }) => deploy(cluster, namespace, 'cart', [`${name}-1`, `${name}-2`])),
    );
    for (const [{ name }, person] of [
      [clusters.staging, ana],
      [prod, ben],
    ] as const) {
      const record = await until(`the rollouts of ${name} are recorded`, async () => {
        const { items } = await get<RecordList>('/api/records', person);
        return items.length === 2 && items.every(({ endedAt }) => endedAt !== null) && items[0];
      });
      ids.set(name, record.workload.cluster);
      records.set(name, record.id);
    }
  });
  afterAll(async () => {
    await shiplog?.stop();
    file?.remove();
    folder.remove();
    await clusters?.stop();
  });

  it('every read shows what is in that cluster and nothing of the other, whatever the filter', async () => {
    const ofProd = [`${IMAGE}:prod-`, records.get('prod') ?? '?'];
    const cart = shownAt(namespace, 'cart');
    const paths = [...everyRead.map(({ path }) => path), cart, `${cart}/pods`, `${cart}/diff?from=1&to=2`];
    const filters = ['cluster=staging', 'cluster=prod', `cluster=${ids.get('prod')}`, 'stage=test'];
    for (const path of paths.filter((each) => each !== '/api/stream'))
      for (const filter of ['', ...filters, 'stage=production', 'cluster=staging&cluster=prod']) {
        const { text } = await send(`${path}${path.includes('?') ? '&' : '?'}${filter}`, ana);
        for (const hidden of ofProd) expect(text, `${path} with ${filter}`).not.toContain(hidden);
      }
    const { items } = await get<WorkloadList>('/api/workloads', ana);
    expect(items.map(({ cluster, name }) => [cluster, name])).toEqual([[ids.get('staging'), 'cart']]);
  });

  it('a record of the other cluster is neither shown nor changed, whatever the filter', async () => {
    const id = records.get('prod') ?? '?';
    const path = `/api/records/${id}`;
    const before = await get<RecordAnswer>(path, ben);
    const review = { verdict: 'good', ifVersion: before.review.version };
    for (const filter of ['', '?cluster=staging', '?cluster=prod', '?stage=test', '?stage=production']) {
      expect([403, 404], filter).toContain((await send(path + filter, ana)).status);
      for (const [part, method, body] of [
        ['/review', 'PUT', review],
        ['/comments', 'POST', { body: 'of a stranger' }],
        ['/pin', 'PUT', { pinned: true }],
      ] as const)
        expect([403, 404], `${part}${filter}`).toContain(
          (await send(path + part + filter, ana, method, body)).status,
        );
    }
    expect(await get<RecordAnswer>(path, ben)).toEqual(before);
  });

  it('no route changes the other cluster', async () => {
    const object = () => prod.cluster.client().get(deploymentPath(namespace, 'cart'));
    const before = await object();
    const { workload } = await get<{ workload: { seen: string } }>(`${shownAt(namespace, 'cart')}`, ben);
    const about = { seen: workload.seen, reason: 'of a stranger' };
    const targets = { rollback: { to: 1 }, partition: { to: 0 }, delete: { uid: 'x' } };
    const actions = everyRoute.filter(({ key }) => key.startsWith('POST /api/workloads/'));
    expect(actions).not.toEqual([]);
    for (const { template } of actions) {
      const action = template.split('/').at(-1) ?? '';
      const body = { ...about, ...targets[action as keyof typeof targets] };
      const path = `${shownAt(namespace, 'cart')}${template.split('{name}')[1]?.replace('{pod}', 'x')}`;
      for (const filter of ['cluster=prod', 'cluster=prod&stage=test', `cluster=${ids.get('prod')}`])
        expect([template, filter, (await send(`${path}?${filter}`, ana, 'POST', body)).status]).toEqual([
          ...[template, filter, 403],
        ]);
    }
    expect(await object()).toEqual(before);
  });

  it('an Argo CD in the other cluster is read with rights there alone, by address or by the name it gives', async () => {
    const { staging } = clusters;
    await installPublishedCrds(prod.cluster, [argoCdCrds('application', 'appproject')]);
    await kubectl(prod.cluster, ['create', 'namespace', 'argocd']);
    const tracking = `argocd.argoproj.io/tracking-id=cart:apps/Deployment:${namespace}/cart`;
    await kubectl(staging.cluster, ['-n', namespace, 'annotate', 'deployment', 'cart', tracking]);
    const owner = async (person: Record<string, string>) =>
      (await get<WorkloadDetail>(`${shownAt(namespace, 'cart')}?cluster=staging`, person)).workload.owners[0];
    const isHealing = async () => (await owner(cora))?.when === 'seconds';

    await apply(prod.cluster, deployingTo({ server: staging.cluster.server }));
    await until('the application is found by the address of its destination', isHealing);
    expect(await owner(cora)).toMatchObject({
      ...{ tool: 'Argo CD', name: 'cart' },
      note: 'Argo CD reverts this within seconds (self-heal is on).',
    });
    expect(await owner(ana)).toMatchObject({ when: 'unknown' });

    await apply(prod.cluster, deployingTo({ name: 'stage-one' }));
    await until('an unknown name tells nothing', async () => (await owner(cora))?.when === 'unknown');
    file.write(
      [
        'apiVersion: shiplog.dev/v1',
        'clusters:',
        '  - {name: staging, stage: test, source: {kubeconfig: kubeconfigs/staging}, argocd: {cluster: prod, name: stage-one}}',
        '  - {name: prod, stage: production, source: {kubeconfig: kubeconfigs/prod}}',
      ].join('\n'),
    );
    await until('the application is found by what Argo CD calls the cluster', isHealing);
    expect(await owner(ana)).toMatchObject({ when: 'unknown' });
  });

  it('a binding that is removed counts at once on a page of that cluster, and on no other', async () => {
    const pages = [ana, ben].map((person) =>
      openStream({ ...shiplog, fetch: (path, init) => fetch(shiplog.url + path, init) }, person),
    );
    const [ofAna, ofBen] = await Promise.all(pages);
    if (ofAna === undefined || ofBen === undefined) throw new Error('Two streams were to be opened.');
    for (const page of [ofAna, ofBen]) await page.next('the state', ({ event }) => event === 'state');
    await kubectl(prod.cluster, ['delete', 'clusterrolebinding', 'team']);
    await until('the page of prod is told to refetch', () =>
      Promise.resolve(ofBen.events.some(({ event }) => event === 'resync')),
    );
    expect((await get<WorkloadList>('/api/workloads', ben)).items).toEqual([]);
    expect((await send(`/api/records/${records.get('prod')}`, ben)).status).toBe(403);
    expect((await get<WorkloadList>('/api/workloads', ana)).items).toHaveLength(1);
    const team = ['--group=prod-team', '--clusterrole=cluster-admin'];
    await kubectl(prod.cluster, ['create', 'clusterrolebinding', 'team', ...team]);
    for (const page of [ofAna, ofBen]) page.close();
  });

  it('while the other cluster cannot say what it is, its records stay hidden', async () => {
    await shiplog.stop();
    // The archive has its records, and nothing says which entry of the configuration they are of.
    rmSync(join(folder.path, 'clusters.json'));
    prod.cluster.freezeApiServer();
    try {
      shiplog = await startWithProxy();
      expect((await send(`/api/records/${records.get('prod')}`, ana)).status).not.toBe(200);
      const { text } = await send(`/api/records?cluster=${ids.get('prod')}`, ana);
      expect(text).not.toContain(records.get('prod'));
    } finally {
      prod.cluster.thawApiServer();
    }
  });
});
