import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { waitFor } from '@/e2e/controlplane/wait';
import { npmStart, type Started, untilServing } from '@/e2e/support/npm-start';
import { signedIn, writeLocalKey } from '@/e2e/support/local-key';
import { freePort } from '@/e2e/controlplane/ports';
import { seedHistory } from '@/sandbox/seed-history';
import { dataDirOf } from '@/sandbox/sandboxes';
import { CLUSTERS } from '@/sandbox/seed/fleet/fleet';
import { isPlayed } from '@/sandbox/state-folder';
import { argo, ship, workloadsIn } from '@/sandbox/seed/story';

const home = mkdtempSync(join(tmpdir(), 'shiplog-home-'));
const dataDir = join(home, 'data');
const running: Started[] = [];
/** The seed of another sandbox, which a reset replaces. */
const abandoned = workloadsIn('shop')('Deployment', 'abandoned', {}, [
  ship('20d', argo, 'Abandoned 1.0.0', '1.0.0'),
]);

interface Serving extends Started {
  get: (path: string) => Promise<any>;
  post: (path: string, body: unknown) => Promise<any>;
}

async function serve(env: Record<string, string>, ...flags: string[]): Promise<Serving> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { SHIPLOG_DATA_DIR = dataDir } = env;
  // A configured cluster requires the key, and the sandbox does not mind.
  writeLocalKey(SHIPLOG_DATA_DIR);
  const started = npmStart({ HOME: home, ...env, SHIPLOG_DATA_DIR, PORT: String(port) }, ...flags);
  running.push(started);
  await untilServing(started);
  return {
    ...started,
    get: async (path) => (await fetch(url + path, { headers: signedIn })).json(),
    post: async (path, body) => {
      const headers = { 'content-type': 'application/json', origin: url, ...signedIn };
      return (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
    },
  };
}

async function ready(shiplog: Serving): Promise<any> {
  await waitFor(async () => (await shiplog.get('/api/cluster')).ready === true, { what: 'it is ready' });
  return shiplog.get('/api/workloads?limit=500');
}

async function end({ child, ended }: Started, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  child.kill(signal);
  return ended;
}

afterEach(async () => {
  for (const started of running.splice(0)) await end(started, 'SIGKILL');
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('npm start without a cluster', () => {
  it('starts over with --reset, also where a cluster is configured but a sandbox is requested, and shows every state that the history contains', async () => {
    await seedHistory({ dataDir, fleet: [abandoned] });
    expect(isPlayed(dataDir)).toBe(true);
    const kubeconfig = join(home, 'elsewhere');
    writeFileSync(kubeconfig, kubeconfigOf(`https://127.0.0.1:${await freePort()}`));
    const shiplog = await serve({ KUBECONFIG: kubeconfig }, '--sandbox', '--reset');
    expect(await shiplog.get('/api/cluster')).toMatchObject({ name: 'sandbox', sandbox: true });
    expect(statSync(join(dataDir, 'sandbox')).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, 'sandbox', 'kubeconfig')).mode & 0o777).toBe(0o600);

    const { items } = await ready(shiplog);
    const find = (name: string) => items.find((item: { name: string }) => item.name === name);
    expect(find('abandoned')).toBeUndefined();
    expect(items.length).toBeGreaterThanOrEqual(46);
    expect(new Set(items.map((item: { namespace: string }) => item.namespace)).size).toBe(6);
    expect(find('checkout')).toMatchObject({ state: expect.stringMatching(/^(stuck|deadlineExceeded)$/) });
    expect(find('account').pods.ready).toBeLessThan(find('account').pods.desired);
    expect(find('ledger-db')).toMatchObject({ kind: 'StatefulSet', state: 'held', revisions: { live: 2 } });
    expect(find('node-agent')).toMatchObject({ kind: 'DaemonSet', state: 'waiting', revisions: { live: 2 } });
    expect(find('catalog')).toMatchObject({ state: 'paused', revisions: { live: 2 } });
    expect(find('emailer').lastRollout).toMatchObject({ restart: true });
    expect(find('grafana').lastRollout.writer.manager).toBe('helm');
    expect(find('cart').lastRollout.writer.manager).toBe('argocd-controller');

    expect(find('image-tagger')).toMatchObject({ kind: 'CloneSet', state: 'held', revisions: { live: 2 } });
    expect(items.filter(({ name }: { name: string }) => name.startsWith('product-page'))).toHaveLength(1);
    expect(find('assistant')).toMatchObject({ kind: 'LeaderWorkerSet', revisions: { live: 2 } });
    expect(find('translator')).toMatchObject({ kind: 'StormService', revisions: { total: 4, live: 1 } });
    expect(find('campaigns')).toMatchObject({ kind: 'Application', revisions: { total: 7, live: 1 } });
    const rollouts = await shiplog.get('/api/rollouts');
    const states = rollouts.items.map(({ name, state, step }: any) => [name, state, step.index, step.total]);
    expect(states).toEqual([
      ['payouts', 'waiting', 1, 1],
      ['statements', 'completed', 2, 2],
      ['wallet', 'completed', 3, 3],
      ['autocomplete', 'waiting', 1, 2],
      ['ranker', 'failed', 1, 3],
      ['spellcheck', 'waiting', 5, 5],
      ['gift-cards', 'completed', 2, 2],
      ['loyalty', 'waiting', 2, 4],
      ['price-engine', 'waiting', 2, 5],
      ['product-page', 'waiting', 1, 3],
    ]);
    const histories = await shiplog.get('/api/rollouthistories?limit=200');
    expect(histories.items.length).toBeGreaterThanOrEqual(20);
    const findingCodes = histories.items.flatMap(({ findings }: any) =>
      findings.map(({ code }: any) => code),
    );
    expect(new Set(findingCodes)).toEqual(
      new Set([
        ...['ghost', 'pendingDead', 'rollback', 'duplicate', 'reusedId', 'withoutPods', 'withoutRoute'],
        ...['unknownPhase', 'rolloutGone'],
      ]),
    );

    const queryApi = await shiplog.get('/api/workloads/deployments.apps/search/query-api');
    expect(queryApi).toMatchObject({ workload: { state: 'complete', targetRevision: 6 } });
    const rolledBackAt = queryApi.revisions[0].activations;
    expect(queryApi.revisions.map(({ number }: { number: number }) => number)).toEqual([6, 5, 3, 2, 1]);
    expect(rolledBackAt.map(({ number }: { number: number }) => number)).toEqual([4, 6]);
    const indexer = await shiplog.get('/api/workloads/deployments.apps/search/indexer');
    expect(indexer.revisions[0]).toMatchObject({ causeInheritedFrom: 1 });
    const purger = await shiplog.get('/api/workloads/deployments.apps/edge/cdn-purger');
    expect(purger.workload.targetRevision).toBe(3);
  });

  it('continues with the state at the next start, as the same cluster', async () => {
    const kept = { SHIPLOG_DATA_DIR: join(home, 'kept') };
    await seedHistory({ dataDir: kept.SHIPLOG_DATA_DIR, fleet: [abandoned] });
    const first = await serve(kept);
    const path = '/api/workloads/deployments.apps/shop/abandoned';
    await ready(first);
    const { id } = await first.get('/api/cluster');
    const { workload } = await first.get(path);
    const { seen } = workload;
    await first.post(`${path}/restart`, { seen, reason: 'to see it last', dryRun: false });
    await waitFor(
      async () => (await first.get(path)).workload.targetRevision === workload.targetRevision + 1,
      { what: 'it restarts' },
    );
    expect(await end(first)).toBe(0);

    const second = await serve(kept);
    await ready(second);
    expect((await second.get('/api/cluster')).id).toBe(id);
    const after = (await second.get(path)).workload;
    expect(after).toMatchObject({ uid: workload.uid, createdAt: workload.createdAt });
    expect(after.targetRevision).toBe(workload.targetRevision + 1);
  });

  it('starts several with --clusters, each from its own state and all with one archive', async () => {
    const several = join(home, 'several');
    for (const cluster of CLUSTERS.slice(0, 2))
      await seedHistory({ dataDir: dataDirOf(several, cluster), fleet: [abandoned] });
    const shiplog = await serve({ SHIPLOG_DATA_DIR: several }, '--sandbox', '--clusters', '2');
    await waitFor(
      async () => {
        const { items } = await shiplog.get('/api/clusters');
        return items.every(
          ({ state, recorder }: any) => state === 'connected' && recorder.state === 'recording',
        );
      },
      { what: 'both are recorded' },
    );
    const { items } = await shiplog.get('/api/clusters');
    expect(items).toMatchObject([
      { name: 'staging', stage: 'staging', sandbox: true },
      { name: 'prod-eu', stage: 'production', sandbox: true },
    ]);
    expect(new Set(items.map(({ id }: any) => id)).size).toBe(2);
    const workloads = await shiplog.get('/api/workloads');
    expect(workloads.items.map(({ name }: any) => name)).toEqual(['abandoned', 'abandoned']);
    const records = await shiplog.get('/api/records?name=abandoned');
    expect(new Set(records.items.map(({ workload }: any) => workload.cluster)).size).toBe(2);
    expect(statSync(join(several, 'sandboxes', 'clusters.yaml')).mode & 0o777).toBe(0o600);
  });

  it('does not replace a configured cluster that is unreachable', async () => {
    const kubeconfig = join(home, 'away');
    writeFileSync(kubeconfig, kubeconfigOf(`https://127.0.0.1:${await freePort()}`));
    const shiplog = await serve({ KUBECONFIG: kubeconfig, SHIPLOG_DATA_DIR: join(home, 'other') });
    expect(await shiplog.get('/api/cluster')).toMatchObject({ name: 'away', sandbox: false, ready: false });
  });

  it('treats a kubeconfig without a current context as none', async () => {
    const kubeconfig = join(home, 'empty');
    writeFileSync(kubeconfig, 'apiVersion: v1\nkind: Config\nclusters: []\ncurrent-context: ""\n');
    const played = join(home, 'played');
    await seedHistory({ dataDir: played, fleet: [abandoned] });
    const shiplog = await serve({ KUBECONFIG: kubeconfig, SHIPLOG_DATA_DIR: played });
    expect(await shiplog.get('/api/cluster')).toMatchObject({ sandbox: true });
  });
});

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'away',
    clusters: [{ name: 'away', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'away', user: { token: 'none' } }],
    contexts: [{ name: 'away', context: { cluster: 'away', user: 'away' } }],
  });
}
