import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { seedNamespace, untilSettled } from '@/e2e/controlplane/seed';
import {
  createDeployment,
  deploy,
  deploymentPath,
  IMAGE,
  setImage,
  shownAt,
} from '@/e2e/cluster/deployments';
import { concerns, openStream } from '@/e2e/cluster/event-stream';
import { until } from '@/e2e/cluster/fixtures';
import { inspectable, usedHeap } from '@/e2e/cluster/inspector';
import { type NetworkLink, openLink } from '@/e2e/cluster/link';
import { readMetrics } from '@/e2e/cluster/metrics';
import { needs } from '@/e2e/cluster/needs';
import { freePort } from '@/e2e/controlplane/ports';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';

/** `npm run soak` runs many; a test runs few. */
const ROUNDS = Number(process.env.SHIPLOG_ROUNDS ?? 5);
/** An API server takes seconds to start. */
const OUTAGES = Math.ceil(ROUNDS / 5);
const UPDATES = 200 * ROUNDS;
const PAGES = 300;
/** Tags of the retained revisions of a Deployment, and of the current one. */
const FULL_HISTORY: [string, ...string[]] = [
  '0',
  ...Array.from({ length: 10 }, (_, index) => `${index + 1}`),
];
/** Long for an answer from memory, short enough not to count as hanging. */
const TIMEOUT_MS = 15_000;

vi.setConfig({ testTimeout: 120_000 * OUTAGES });

const namespace = 'reliability';
let cluster: ControlPlane;
let isDown = false;

describe.runIf(await needs('Reliability', 'disturb', 'audit'))('Shiplog with a failing cluster', () => {
  beforeAll(async () => {
    cluster = await startControlPlane();
    await seedNamespace(cluster, namespace);
  });
  afterAll(() => cluster?.stop());
  /** A test that fails halfway must not fail the others. */
  afterEach(async () => {
    cluster.thawApiServer();
    if (isDown) await startApiServer();
  });

  describe('while a history is open', () => {
    let shiplog: Shiplog;
    let link: NetworkLink;
    const base = shownAt(namespace, 'watched');

    beforeAll(async () => {
      link = await openLink(cluster);
      shiplog = await startShiplog({ kubeconfig: link.kubeconfig });
      await deploy(cluster, namespace, 'watched', ['1.0', '1.1'], { replicas: 2 });
    });
    afterAll(async () => {
      await shiplog?.stop();
      await link?.close();
    });

    it('answers from the cache while the API server is down, says so, and catches up', async () => {
      for (let outage = 0; outage < OUTAGES; outage += 1) {
        const before = await fresh(shiplog, base);
        await expectEveryRead(shiplog, base);
        const stream = await openStream(shiplog);
        await killApiServer();

        await until('the answers are called stale', async () => (await get(shiplog, base)).stale);
        await expectEveryRead(shiplog, base);
        const during = await get(shiplog, base);
        expect(ofTheCluster(during)).toEqual(ofTheCluster(before));
        expect(Date.parse(during.observedAt)).toBeLessThan(Date.now());
        expect((await get(shiplog, '/api/workloads')).stale).toBe(true);
        const { connection } = await get(shiplog, '/api/cluster');
        expect(connection.state).toBe('unreachable');
        expect(connection.message).not.toBeNull();
        expect((await shiplog.fetch('/api/readyz')).status).toBe(200);
        expect(await readMetrics(shiplog)).toMatchObject({ shiplog_cluster_connected: 0 });
        await stream.next('the stream tells it', isConnection('unreachable'));

        await startApiServer();
        await setImage(cluster, namespace, 'watched', `${IMAGE}:2.${outage}`);
        await until('what changed meanwhile is shown', async () => {
          const { workload, stale } = await get(shiplog, base);
          return !stale && workload.images[0].image === `${IMAGE}:2.${outage}`;
        });
        await stream.next('the stream tells the change', concerns(namespace, 'watched'));
        await stream.next('the stream tells the return', isConnection('connected'));
        expect((await get(shiplog, '/api/cluster')).connection.state).toBe('connected');
        stream.close();
        await untilSettled(cluster, 'Deployment', { namespace, name: 'watched' });
      }
    });

    it('reopens watches that are cut, and misses nothing of what happened meanwhile', async () => {
      for (let round = 0; round < 2 * OUTAGES; round += 1) {
        const [kept, gone] = [`kept-${round}`, `gone-${round}`];
        await createDeployment(cluster, namespace, gone, { replicas: 0 });
        await until('it is read', () => get(shiplog, shownAt(namespace, gone)));
        link.refuse();
        await cluster.client().remove(deploymentPath(namespace, gone));
        await createDeployment(cluster, namespace, kept, { replicas: 0 });
        link.restore();
        await until('what was made is there', () => get(shiplog, shownAt(namespace, kept)));
        await until('what was deleted is not', async () => {
          return (await shiplog.fetch(shownAt(namespace, gone))).status === 404;
        });
        await cluster.client().remove(deploymentPath(namespace, kept));
      }
      await fresh(shiplog, base);
    });

    it('replaces connections that were dropped silently', async () => {
      await fresh(shiplog, base);
      link.swallow();
      await until('the answers are called stale', async () => (await get(shiplog, base)).stale);
      await setImage(cluster, namespace, 'watched', `${IMAGE}:2.9`);
      link.restore();
      await until('what changed meanwhile is shown', async () => {
        const { workload, stale } = await get(shiplog, base);
        return !stale && workload.images[0].image === `${IMAGE}:2.9`;
      });
      await untilSettled(cluster, 'Deployment', { namespace, name: 'watched' });
    });

    it('lists again when the API server no longer has the version that a watch would resume from', async () => {
      const mark = await cluster.auditPosition();
      const watches = (await cluster.openWatches()).length;
      for (let outage = 0; outage < OUTAGES; outage += 1) {
        await createDeployment(cluster, namespace, 'forgotten', { replicas: 0 });
        await until('it is read', () => get(shiplog, shownAt(namespace, 'forgotten')));
        link.refuse();
        await cluster.client().remove(deploymentPath(namespace, 'forgotten'));
        await setImage(cluster, namespace, 'watched', `${IMAGE}:3.${outage}`);
        await cluster.forgetHistory();
        link.restore();
        await until('the history is right again', async () => {
          const { workload, stale } = await get(shiplog, base);
          return !stale && workload.images[0].image === `${IMAGE}:3.${outage}`;
        });
        await until('what was deleted is gone', async () => {
          return (await shiplog.fetch(shownAt(namespace, 'forgotten'))).status === 404;
        });
        await untilSettled(cluster, 'Deployment', { namespace, name: 'watched' });
      }
      const entries = await cluster.audit(mark);
      const lists = entries.filter(
        ({ verb, resource }) => verb === 'list' && resource === 'deployments.apps',
      );
      expect(lists.length).toBeGreaterThan(0);
      await until('each watch is open once', async () => {
        const now = await cluster.openWatches(mark);
        return now.filter(({ user }) => user === 'admin').length <= watches;
      });
    });

    it('does not hang on an API server that accepts connections and never answers', async () => {
      await fresh(shiplog, base);
      await expectEveryRead(shiplog, base);
      cluster.freezeApiServer();
      try {
        await until('the answers are called stale', async () => (await get(shiplog, base)).stale);
        await expectEveryRead(shiplog, base);
        expect((await get(shiplog, '/api/cluster')).connection.state).toBe('unreachable');
      } finally {
        cluster.thawApiServer();
      }
      await setImage(cluster, namespace, 'watched', `${IMAGE}:4.0`);
      await until('it has caught up', async () => {
        const { workload, stale } = await get(shiplog, base);
        return !stale && workload.images[0].image === `${IMAGE}:4.0`;
      });
    });

    it('reports a workload that is deleted while its page is open', async () => {
      await deploy(cluster, namespace, 'deleted', ['1.0']);
      await until('it is read', () => get(shiplog, shownAt(namespace, 'deleted')));
      const stream = await openStream(shiplog);
      await cluster.client().remove(deploymentPath(namespace, 'deleted'));
      await stream.next('the stream names it', concerns(namespace, 'deleted'));
      const answer = await until('it is not found', async () => {
        const response = await shiplog.fetch(shownAt(namespace, 'deleted'));
        return response.status === 404 && ((await response.json()) as { error: { message: string } });
      });
      expect(answer.error).toMatchObject({
        code: 'not_found',
        message: `Deployment ${namespace}/deleted was not found. It may have been deleted or renamed.`,
      });
      const rows = await get(shiplog, `/api/workloads?namespace=${namespace}&q=deleted`);
      expect(rows.items).toEqual([]);
      stream.close();
    });

    it.each([
      { tag: 'broken', block: 'imagePull', state: 'stuck' },
      { tag: 'hang', block: 'readiness', state: 'deadlineExceeded' },
    ])('names the pod that never becomes ready ($tag)', async ({ tag, block, state }) => {
      const name = `never-${tag}`;
      await deploy(cluster, namespace, name, ['1.0'], { spec: { progressDeadlineSeconds: 3 } });
      await setImage(cluster, namespace, name, `${IMAGE}:${tag}`);
      const { workload } = await until('it is called stuck', async () => {
        const answer = await get(shiplog, shownAt(namespace, name));
        return answer.workload.state === state && answer;
      });
      const pods = await get(shiplog, `${shownAt(namespace, name)}/pods`);
      const bad = pods.items.find((pod: { revision: number }) => pod.revision === 2);
      expect(workload.blockers[0]).toMatchObject({
        pod: bad.name,
        podUid: bad.uid,
        revision: 2,
        block: { kind: block },
      });
      expect(bad.block.kind).toBe(block);
      expect(workload.sentence).not.toBe('');
    });
  });

  describe('during a rollback', () => {
    it('follows it to its end although the API server is killed midway', async () => {
      const shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin });
      try {
        for (let outage = 0; outage < OUTAGES; outage += 1) {
          const name = `outage-${outage}`;
          const id = await rollBackWithDelay(shiplog, name);
          await killApiServer();
          await until(
            'the outage is noticed',
            async () => (await get(shiplog, shownAt(namespace, name))).stale,
          );
          expect((await get(shiplog, `/api/actions/${id}`)).state).toMatch(/^(accepted|following)$/);
          await startApiServer();
          expect(await endOf(shiplog, id)).toMatchObject({ state: 'done', recordedAs: 3 });
        }
      } finally {
        await shiplog.stop();
      }
    });

    it('follows it to its end although Shiplog itself is killed midway', async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'shiplog-killed-'));
      const start = () => startShiplog({ kubeconfig: cluster.kubeconfigs.admin, dataDir });
      let shiplog = await start();
      try {
        for (let crash = 0; crash < OUTAGES; crash += 1) {
          const name = `crash-${crash}`;
          const id = await rollBackWithDelay(shiplog, name);
          const { seen } = await until('the write is in the cache', async () => {
            const { workload } = await get(shiplog, shownAt(namespace, name));
            return workload.images[0].image === `${IMAGE}:1.0-slow` && workload;
          });
          await shiplog.stop('SIGKILL');
          shiplog = await start();
          const end = await endOf(shiplog, id);
          expect(end).toMatchObject({ state: 'done', recordedAs: 3, reason: 'looks bad' });
          expect(end.endedAt).not.toBeNull();
          // The answer that a viewer has on screen is still valid.
          expect((await get(shiplog, shownAt(namespace, name))).workload.seen).toBe(seen);
        }
      } finally {
        await shiplog.stop();
        rmSync(dataDir, { recursive: true, force: true });
      }
    });
  });

  describe('at its start and end', () => {
    it('starts while the cluster is unreachable, says so, and is ready once it is available', async () => {
      await killApiServer();
      const shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin, untilReady: false });
      try {
        expect((await shiplog.fetch('/api/healthz')).status).toBe(200);
        const { status, body } = await ask(shiplog, '/api/readyz');
        expect(status).toBe(503);
        expect(body.waitingFor).toContain('deployments.apps');
        await until('it says so', async () => {
          const { connection, ready } = await get(shiplog, '/api/cluster');
          return connection.state === 'unreachable' && connection.message !== null && !ready;
        });
        const list = await get(shiplog, '/api/workloads');
        expect(list).toMatchObject({ items: [], stale: true });
        expect(list.partial.map(({ resource }: { resource: string }) => resource)).toContain(
          'deployments.apps',
        );
        const detail = await ask(shiplog, shownAt(namespace, 'watched'));
        expect(detail.status).toBe(503);
        expect(detail.body.error).toMatchObject({ code: 'cluster_unreachable' });
        await startApiServer();
        await until('it is ready', async () => (await shiplog.fetch('/api/readyz')).status === 200);
        await until('it is connected', async () => {
          return (await get(shiplog, '/api/cluster')).connection.state === 'connected';
        });
        expect((await get(shiplog, '/api/workloads')).items.length).toBeGreaterThan(0);
      } finally {
        await shiplog.stop();
      }
    });

    it('ends before Kubernetes would kill it although streams are open', async () => {
      const shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin, port: await freePort() });
      const streams = await Promise.all(Array.from({ length: 5 }, () => openStream(shiplog)));
      expect(await shiplog.stop('SIGTERM')).toBeLessThan(30_000);
      await Promise.all(streams.map(({ ended }) => ended));
      expect(streams.map(({ events }) => events.at(-1)?.event)).toEqual(streams.map(() => 'bye'));
    });
  });

  describe('over a long time', () => {
    let shiplog: Shiplog;
    let link: NetworkLink;

    beforeAll(async () => {
      link = await openLink(cluster);
      shiplog = await startShiplog({ kubeconfig: link.kubeconfig, env: inspectable });
    });
    afterAll(async () => {
      await shiplog?.stop();
      await link?.close();
    });

    it(`leaves not one more watch or connection open after ${PAGES} history pages`, async () => {
      await deploy(cluster, namespace, 'visited', ['1.0', '1.1']);
      const page = `/workloads/deployments.apps/${namespace}/visited`;
      const visit = async () => {
        const stream = await openStream(shiplog);
        expect((await shiplog.fetch(page)).status).toBe(200);
        await get(shiplog, shownAt(namespace, 'visited'));
        stream.close();
      };
      await visit();
      const before = { watches: await adminWatches(), connections: link.connections() };
      const { shiplog_api_server_streams_open: streams } = await readMetrics(shiplog);
      for (let visited = 0; visited < PAGES; visited += 10) {
        await Promise.all(Array.from({ length: 10 }, visit));
      }
      await until('every stream is closed', async () => {
        return (await readMetrics(shiplog)).shiplog_stream_clients === 0;
      });
      expect(await readMetrics(shiplog)).toMatchObject({ shiplog_api_server_streams_open: streams });
      expect(await adminWatches()).toBe(before.watches);
      await until('no more connections are open', () =>
        Promise.resolve(link.connections() <= before.connections),
      );
    });

    it(`holds no more memory after ${UPDATES} updates`, async () => {
      const names = ['churn-1', 'churn-2', 'churn-3', 'churn-4', 'churn-5'];
      // Histories are full and code is compiled before the first measurement.
      await Promise.all(names.map((name) => deploy(cluster, namespace, name, FULL_HISTORY, { replicas: 0 })));
      await churn(names, 200, 'warm');
      await everythingRead(names);
      const sizes = await cacheSizes();
      const heap = await usedHeap(shiplog);
      await churn(names, UPDATES, 'run');
      await everythingRead(names);
      expect(await cacheSizes()).toEqual(sizes);
      // A leak of 0.5 KB per each of 10,000 updates would show; the noise of a collected heap is 2 MB.
      expect((await usedHeap(shiplog)) - heap).toBeLessThan(5 * 1024 * 1024);
      await Promise.all(names.map((name) => cluster.client().remove(deploymentPath(namespace, name))));
      await until('what was deleted has left the cache', async () => {
        const { bodies, sources, workloads } = await cacheSizes();
        return (
          bodies < sizes.bodies && sources < sizes.sources && workloads === sizes.workloads - names.length
        );
      });
    });

    async function adminWatches(): Promise<number> {
      return (await cluster.openWatches()).filter(({ user }) => user === 'admin').length;
    }

    /** Every fourth update is a new revision, which prunes the oldest one. */
    async function churn(names: readonly string[], updates: number, run: string): Promise<void> {
      const client = cluster.client();
      for (let update = 0; update < updates; update += names.length) {
        await Promise.all(
          names.map((name) =>
            (update / names.length) % 4 === 0
              ? setImage(cluster, namespace, name, `${IMAGE}:${run}-${update}`)
              : client.patch(deploymentPath(namespace, name), {
                  metadata: { annotations: { update: `${run}-${update}` } },
                }),
          ),
        );
        if (update % 50 === 0) await get(shiplog, shownAt(namespace, names[0] ?? ''));
      }
      for (const name of names) await setImage(cluster, namespace, name, `${IMAGE}:${run}-last`);
    }

    /** Histories are at their limit, and Shiplog shows what the cluster has. */
    async function everythingRead(names: readonly string[]): Promise<void> {
      for (const name of names) {
        await untilSettled(cluster, 'Deployment', { namespace, name });
        await until('the old revisions are pruned', async () => {
          const [{ workload, revisions }, { items }] = await Promise.all([
            get(shiplog, shownAt(namespace, name)),
            cluster
              .client()
              .list(`/apis/apps/v1/namespaces/${namespace}/replicasets?labelSelector=app%3D${name}`),
          ]);
          return (
            workload.state === 'complete' &&
            items.length === FULL_HISTORY.length &&
            revisions.filter(({ retained }: { retained: boolean }) => retained).length === items.length
          );
        });
      }
    }

    async function cacheSizes() {
      const metrics = await readMetrics(shiplog);
      return {
        workloads: metrics.shiplog_cache_workloads ?? NaN,
        sources: metrics.shiplog_cache_sources ?? NaN,
        bodies: metrics.shiplog_cache_bodies ?? NaN,
        pods: metrics.shiplog_cache_pods ?? NaN,
      };
    }
  });

  /** Rolls a Deployment back to a revision whose pods start slowly, and returns the id of the action. */
  async function rollBackWithDelay(shiplog: Shiplog, name: string): Promise<string> {
    await deploy(cluster, namespace, name, ['1.0-slow', '1.1']);
    const { workload } = await until('both revisions are read', async () => {
      const answer = await get(shiplog, shownAt(namespace, name));
      return answer.workload.targetRevision === 2 && answer.workload.state === 'complete' && answer;
    });
    const { status, body } = await shiplog.post(`${shownAt(namespace, name)}/rollback`, {
      ...{ to: 1, seen: workload.seen, reason: 'looks bad' },
    });
    expect(status, JSON.stringify(body)).toBe(200);
    return body.result.actionId;
  }

  function endOf(shiplog: Shiplog, id: string) {
    return until('the action has ended', async () => {
      const action = await get(shiplog, `/api/actions/${id}`);
      return action.endedAt !== null && action;
    });
  }
});

async function killApiServer(): Promise<void> {
  isDown = true;
  await cluster.killApiServer();
}

async function startApiServer(): Promise<void> {
  await cluster.startApiServer();
  isDown = false;
}

/** A read that hangs is a failure. */
async function ask(shiplog: Shiplog, path: string) {
  const answer = await shiplog.fetch(path, { signal: AbortSignal.timeout(TIMEOUT_MS) });

  return { status: answer.status, body: await answer.json() };
}

async function get(shiplog: Shiplog, path: string) {
  const { status, body } = await ask(shiplog, path);
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** The requests of a page. */
async function expectEveryRead(shiplog: Shiplog, base: string): Promise<void> {
  const { revisions } = await get(shiplog, base);
  const { id } = revisions.at(-1);
  const paths = ['/pods', '/events', `/revisions/${id}`, `/diff?from=${id}&to=live`];
  await Promise.all(paths.map((path) => get(shiplog, base + path)));
}

function fresh(shiplog: Shiplog, base: string) {
  return until('the answers are fresh', async () => {
    const answer = await get(shiplog, base);
    return !answer.stale && answer.workload.state === 'complete' && answer;
  });
}

function isConnection(state: string) {
  return ({ event, data }: { event: string; data: any }) =>
    event === 'state' && Object.values<any>(data.clusters).some((each) => each.connection.state === state);
}

/** The history without what the recorder may have added in between. */
function ofTheCluster({ revisions }: { revisions: { activations: unknown }[] }) {
  return revisions.map(({ activations: _, ...revision }) => revision);
}
