import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiAuditEntry, AuditPosition } from '@/e2e/controlplane/audit';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { seedNamespace } from '@/e2e/controlplane/seed';
import { READER_NAMESPACE, type User } from '@/e2e/controlplane/users';
import { deploy, deploymentPath, shownAt } from '@/e2e/cluster/deployments';
import { until } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { RecordItem } from '@/lib/api/records';
import type { KubeObject } from '@/lib/kube/object';

const shop = READER_NAMESPACE;
const pay = 'pay';
const cart = shownAt(shop, 'cart');
const ledger = shownAt(pay, 'ledger');
let cluster: ControlPlane;

beforeAll(async () => {
  cluster = await startControlPlane();
  await needs('Access: what reached the API server', 'audit');
  await seedNamespace(cluster, pay);
  await Promise.all([
    deploy(cluster, shop, 'cart', ['1.0', '1.1']),
    deploy(cluster, pay, 'ledger', ['1.0', '1.1']),
  ]);
});
afterAll(() => cluster?.stop());

/** Starts a server as the user for the tests of one block. */
function serverOf(user: User, env: Record<string, string> = {}): () => Shiplog {
  let shiplog: Shiplog | undefined;
  beforeAll(async () => {
    shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs[user], env });
    // The name comes from the API server, shortly after the start.
    await until('the viewer is known', async () => {
      return (await shiplog?.get('/api/cluster'))?.viewer.name === user;
    });
  });
  afterAll(async () => {
    await shiplog?.stop();
  });
  return () => {
    if (shiplog === undefined) throw new Error(`The server of ${user} was not started.`);
    return shiplog;
  };
}

async function errorOf(shiplog: Shiplog, path: string) {
  const answer = await shiplog.fetch(path);
  return { status: answer.status, error: (await answer.json()).error };
}

async function rollBack(shiplog: Shiplog, base: string, dryRun = false) {
  const { workload } = await shiplog.get(base);
  return shiplog.post(`${base}/rollback`, { to: 1, seen: workload.seen, reason: 'looks bad', dryRun });
}

function generationOf(namespace: string, name: string): Promise<number | undefined> {
  return cluster
    .client()
    .get<KubeObject>(deploymentPath(namespace, name))
    .then(({ metadata }) => metadata.generation);
}

/** Requests that change something, including dry runs but not access reviews. Empty where nothing is audited. */
async function writesOf(user: User, since: AuditPosition): Promise<ApiAuditEntry[]> {
  if (!cluster.capabilities.audit) return [];
  return (await cluster.audit(since)).filter(
    ({ user: who, verb, resource }) =>
      who === user && !['get', 'list', 'watch'].includes(verb) && !/^self.*reviews\./.test(resource),
  );
}

function currentAuditPosition(): Promise<AuditPosition> {
  return cluster.capabilities.audit ? cluster.auditPosition() : Promise.resolve(0);
}

const names = ({ items }: { items: { name: string; namespace: string }[] }) =>
  items.filter(({ namespace }) => namespace === shop || namespace === pay).map(({ name }) => name);

describe('a user who can read everything and write nothing', () => {
  const server = serverOf('viewer');

  it('sees every workload and nothing missing', async () => {
    const list = await server().get('/api/workloads');
    expect(names(list)).toEqual(['ledger', 'cart']);
    expect(list.partial).toEqual([]);
    const detail = await server().get(cart);
    expect(detail.revisions).toHaveLength(2);
    expect(detail.partial).toEqual([]);
    for (const path of ['/pods', '/events', '/revisions/1', '/diff?from=1&to=live']) {
      await server().get(cart + path);
    }
  });

  it('learns from a preview that the right is missing, and no dry run is sent', async () => {
    const mark = await currentAuditPosition();
    const { status, body } = await rollBack(server(), cart, true);
    expect(status).toBe(200);
    expect(body).toMatchObject({ applied: false, dryRun: null });
    expect(body.diff.changes.length).toBeGreaterThan(0);
    expect(body.findings).toContainEqual(expect.objectContaining({ severity: 'refusal', code: 'forbidden' }));
    expect(await writesOf('viewer', mark)).toEqual([]);
  });

  it('is refused a rollback with a reason, and nothing is sent', async () => {
    const mark = await currentAuditPosition();
    const before = await generationOf(shop, 'cart');
    const { status, body } = await rollBack(server(), cart);
    expect(status).toBe(403);
    expect(body.error.code).toBe('forbidden');
    expect(body.error.message).toContain('viewer is not allowed to patch deployments');
    expect(body.error.message).toContain(`in namespace ${shop}`);
    expect(await generationOf(shop, 'cart')).toBe(before);
    expect(await writesOf('viewer', mark)).toEqual([]);
    const action = await server().get(`/api/actions/${body.error.details.actionId}`);
    expect(action).toMatchObject({ state: 'refused', actor: 'viewer' });
  });

  it('is refused logs with a reason', async () => {
    const { items } = await server().get(`${cart}/pods`);
    const { status, error } = await errorOf(server(), `${cart}/pods/${items[0].name}/logs`);
    expect(status).toBe(403);
    expect(error.message).toContain('viewer is not allowed to get pods/log in namespace shop');
  });
});

describe('a user who can operate workloads', () => {
  const server = serverOf('operator');

  it('reads the last lines of a container', async () => {
    const { items } = await server().get(`${cart}/pods`);
    const log = await server().get(`${cart}/pods/${items[0].name}/logs?container=app`);
    expect(log).toMatchObject({ container: 'app', previous: false });
    expect(log.lines.length).toBeGreaterThan(0);
    expect(log.lines.length).toBeLessThanOrEqual(50);
  });
});

describe('the permission check uses the verb of the write', () => {
  const patcher = serverOf('patcher');
  const updater = serverOf('updater');

  it('allows a rollback to a user who can patch but not update', async () => {
    const { status, body } = await rollBack(patcher(), ledger);
    expect(status, JSON.stringify(body)).toBe(200);
    const action = await until('the rollback has ended', async () => {
      const answer = await patcher().get(`/api/actions/${body.result.actionId}`);
      return answer.endedAt !== null && answer;
    });
    expect(action).toMatchObject({ state: 'done', actor: 'patcher', recordedAs: 3 });
  });

  it('denies a rollback to a user who can update but not patch', async () => {
    const before = await generationOf(shop, 'cart');
    const mark = await currentAuditPosition();
    const { status, body } = await rollBack(updater(), cart);
    expect(status).toBe(403);
    expect(body.error.message).toContain('updater is not allowed to patch deployments');
    expect(await generationOf(shop, 'cart')).toBe(before);
    expect(await writesOf('updater', mark)).toEqual([]);
  });
});

describe('a user who can read one namespace only', () => {
  describe('and a configuration that says so', () => {
    const server = serverOf('reader-shop', { SHIPLOG_NAMESPACES: shop });

    it('sees that namespace completely', async () => {
      const list = await server().get('/api/workloads');
      expect(names(list)).toEqual(['cart']);
      expect(list).toMatchObject({ partial: [], namespaces: [shop] });
      const detail = await server().get(cart);
      expect(detail).toMatchObject({ partial: [], revisions: [{ number: 2 }, { number: 1 }] });
      for (const path of ['/pods', '/events', '/revisions/1', '/diff?from=1&to=live']) {
        await server().get(cart + path);
      }
      expect((await server().get('/api/cluster')).namespaces).toEqual([shop]);
    });

    it('learns nothing of the others: the same answer whether or not a workload exists', async () => {
      const there = await errorOf(server(), ledger);
      expect(there.status).toBe(404);
      expect(there.error.message).toContain(`Shiplog watches only ${shop}`);
      for (const path of ['', '/pods', '/events', '/revisions/1', '/diff?from=1&to=live']) {
        const absent = await errorOf(server(), shownAt(pay, 'nothing') + path);
        expect(absent).toEqual(await errorOf(server(), ledger + path));
        expect(absent.status).toBe(404);
      }
      const rollback = { to: 1, seen: 'x', reason: '', dryRun: false };
      const answers = await Promise.all(
        [ledger, shownAt(pay, 'nothing')].map((base) => server().post(`${base}/rollback`, rollback)),
      );
      expect(answers.map(({ status }) => status)).toEqual([403, 403]);
      // The name is the requested one.
      const [first, second] = answers.map(({ body }) => body.error.message.replace(/"(ledger|nothing)"/, ''));
      expect(first).toBe(second);
    });
  });

  describe('and a configuration that includes another one', () => {
    const server = serverOf('reader-shop', { SHIPLOG_NAMESPACES: `${shop},${pay}` });

    it('sees which one is missing, and all of the other', async () => {
      const list = await server().get('/api/workloads');
      expect(names(list)).toEqual(['cart']);
      expect(list.partial[0].reason).toContain('cannot be read in pay');
      expect((await server().get(cart)).partial).toEqual([]);
      const { status, error } = await errorOf(server(), shownAt(shop, 'nothing'));
      expect(status).toBe(404);
      expect(error.message).toContain('was not found');
    });
  });

  describe('and a configuration that does not say so', () => {
    const server = serverOf('reader-shop');

    it('learns what is missing, why, and what to configure', async () => {
      const list = await server().get('/api/workloads');
      expect(list.items).toEqual([]);
      const { reason } = list.partial.find(
        ({ resource }: { resource: string }) => resource === 'deployments.apps',
      );
      expect(reason).toContain('User "reader-shop" cannot list resource "deployments"');
      expect(reason).toContain('SHIPLOG_NAMESPACES');
      const missing = list.partial.map(({ resource }: { resource: string }) => resource);
      expect(missing).toEqual(expect.arrayContaining(['statefulsets.apps', 'replicasets.apps', 'pods']));
    });

    it('gets no answer that a workload does not exist', async () => {
      const { status, error } = await errorOf(server(), cart);
      expect(status).toBe(403);
      expect(error.message).toContain('It is unknown whether Deployment');
      expect(error.message).toContain('SHIPLOG_NAMESPACES');
    });
  });
});

describe('a user who can list all workloads and get one by its name', () => {
  const server = serverOf('reader-cart');

  it('lists all of them, and opens the one', async () => {
    const list = await server().get('/api/workloads');
    expect(names(list)).toEqual(['ledger', 'cart']);
    expect((await server().get(cart)).revisions).toHaveLength(2);
    for (const path of ['/pods', '/events', '/revisions/1', '/diff?from=1&to=live']) {
      await server().get(cart + path);
    }
  });

  it('opens no other, whether or not it exists', async () => {
    const nothing = shownAt(pay, 'nothing');
    // Shiplog's own identity lists them all, which counts until the API server has answered about each name.
    for (const path of [ledger, nothing])
      await until('the right is reviewed', async () => (await errorOf(server(), path)).status === 403);
    const there = await errorOf(server(), ledger);
    expect(there.error.message).toContain('reader-cart is not allowed to get deployments in namespace pay');
    expect(await errorOf(server(), nothing)).toEqual(there);
  });
});

describe('a view limited to a namespace', () => {
  const server = serverOf('admin', { SHIPLOG_NAMESPACES: shop });

  it('reports the limit for other namespaces instead of calling them empty', async () => {
    expect(names(await server().get('/api/workloads'))).toEqual(['cart']);
    const { status, error } = await errorOf(server(), ledger);
    expect(status).toBe(404);
    expect(error.message).toContain('SHIPLOG_NAMESPACES');
  });

  it('watches nothing beyond it', async () => {
    if (!cluster.capabilities.audit) return;
    const watches = (await cluster.openWatches()).filter(({ user }) => user === 'admin');
    expect(watches.length).toBeGreaterThan(0);
    expect(new Set(watches.map(({ namespace }) => namespace))).toEqual(new Set([shop]));
  });
});

describe('a user without rights', () => {
  const server = serverOf('nobody');

  it('gets an empty list that says what is missing', async () => {
    const list = await server().get('/api/workloads');
    expect(list).toMatchObject({ items: [], counts: { total: 0 }, namespaces: [], stale: false });
    expect(list.partial.map(({ resource }: { resource: string }) => resource).sort()).toEqual([
      ...['controllerrevisions.apps', 'daemonsets.apps', 'deployments.apps', 'events', 'pods'],
      ...['replicasets.apps', 'statefulsets.apps'],
    ]);
  });

  it('gets pages that work, and a server that is ready', async () => {
    expect((await server().get('/api/readyz')).ready).toBe(true);
    for (const path of ['/', '/workloads/deployments.apps/shop/cart']) {
      const page = await server().fetch(path);
      expect(page.status, path).toBe(200);
      expect(await page.text()).not.toContain('registry.example.com');
    }
  });

  it('gets 403 for any workload, whether or not it exists', async () => {
    const [there, absent] = await Promise.all(
      [cart, shownAt(shop, 'nothing')].map((path) => errorOf(server(), path)),
    );
    expect(there?.status).toBe(403);
    expect(absent).toEqual(there);
  });
});

describe('an archive with records of more than the configured namespaces', () => {
  it('reveals nothing of the others, on any route', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'shiplog-border-'));
    const kubeconfig = cluster.kubeconfigs.admin;
    const whole = await startShiplog({ kubeconfig, dataDir });
    const { body } = await until('it is restarted', async () => {
      const { workload } = await whole.get(ledger);
      const request = { seen: workload.seen, reason: 'to be recorded', dryRun: false };
      const answer = await whole.post(`${ledger}/restart`, request);
      return answer.status === 200 && answer;
    });
    const isOver = async () =>
      (await whole.get('/api/records')).items.find(
        ({ workload, actor }: RecordItem) => workload.name === 'ledger' && actor?.source === 'shiplog',
      );
    const record = (await until('it is recorded', isOver)) as RecordItem;
    await whole.stop();

    const limited = await startShiplog({ kubeconfig, dataDir, env: { SHIPLOG_NAMESPACES: shop } });
    const isKnown = async () => JSON.stringify(await limited.get('/api/records')).includes('"cart"');
    await until('what it looks at is there', isKnown);
    const lists = ['records', 'activity', 'timeline?parts=10', 'review', 'review/follow-ups', 'workloads'];
    const exports = [
      'reports?rows=1',
      'reports?format=csv',
      'reports?format=md',
      'rollouts',
      'activity?format=csv',
    ];
    for (const path of [...lists, ...exports]) {
      const answer = await limited.fetch(`/api/${path}`);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(await answer.text(), path).not.toContain('ledger');
    }
    for (const path of [`records/${record.id}`, `actions/${body.result.actionId}`]) {
      const { status, error } = await errorOf(limited, `/api/${path}`);
      expect([path, status]).toEqual([path, 404]);
      expect(JSON.stringify(error), path).not.toContain('ledger');
    }
    expect((await errorOf(limited, `${ledger}/actions`)).status).toBe(404);
    await limited.stop();
    rmSync(dataDir, { recursive: true });
  });
});
