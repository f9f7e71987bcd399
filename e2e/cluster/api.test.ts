import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import {
  createDeployment,
  deploy,
  deploymentPath,
  IMAGE,
  setImage,
  shownAt,
} from '@/e2e/cluster/deployments';
import { concerns, openStream } from '@/e2e/cluster/event-stream';
import { everyRoute } from '@/e2e/cluster/every-route';
import { until } from '@/e2e/cluster/fixtures';
import { readMetrics } from '@/e2e/cluster/metrics';
import { seedNamespace, untilSettled } from '@/e2e/controlplane/seed';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import { actionSchema } from '@/lib/api/action';
import { clusterSchema } from '@/lib/api/cluster';
import { errorSchema } from '@/lib/api/common';
import { diffSchema } from '@/lib/api/diff';
import { workloadDetailSchema, type WorkloadItem, workloadListSchema } from '@/lib/api/workloads';
import { eventListSchema, podListSchema } from '@/lib/api/pods';
import { revisionBodySchema } from '@/lib/api/revisions';

const shop = 'api-shop';
const pay = 'api-pay';
const paging = 'api-paging';
const web = shownAt(shop, 'web');
let cluster: ControlPlane;
let shiplog: Shiplog;

beforeAll(async () => {
  cluster = await startControlPlane();
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin });
  await Promise.all([shop, pay, paging].map((namespace) => seedNamespace(cluster, namespace)));
  await Promise.all([
    deploy(cluster, shop, 'web', ['1.0', '1.1', '1.2'], {
      ...{ replicas: 2, labels: { team: 'red', tier: 'front' } },
    }),
    deploy(cluster, pay, 'web', ['7.0'], {
      ...{ labels: { team: 'blue' }, annotations: { 'kubernetes.io/change-cause': 'Release nine' } },
    }),
    createDeployment(cluster, shop, 'bad', { image: `${IMAGE}:broken`, labels: { team: 'red' } }),
    createDeployment(cluster, pay, 'held', { replicas: 1, spec: { paused: true } }),
    ...(['StatefulSet', 'DaemonSet'] as const).map((kind) => createOther(kind)),
  ]);
  await until('everything is in the cache', async () => {
    const { items } = await shiplog.get(`/api/workloads?namespace=${shop},${pay}`);
    const states = items.map(({ name, state }: WorkloadItem) => `${name} ${state}`).sort();
    const wanted = [
      'agent complete',
      'bad stuck',
      'db complete',
      'held paused',
      'web complete',
      'web complete',
    ];
    return states.join() === wanted.join();
  });
});

afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
});

async function createOther(kind: 'StatefulSet' | 'DaemonSet'): Promise<void> {
  const name = kind === 'StatefulSet' ? 'db' : 'agent';
  const template = {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: 'app', image: `${IMAGE}:3.0` }] },
  };
  await cluster.client().create(`/apis/apps/v1/namespaces/${shop}/${kind.toLowerCase()}s`, {
    ...{ apiVersion: 'apps/v1', kind, metadata: { name, labels: { team: 'green' } } },
    spec: {
      ...{ selector: { matchLabels: { app: name } }, template },
      ...(kind === 'StatefulSet' ? { serviceName: name, replicas: 1 } : {}),
    },
  });
  await untilSettled(cluster, kind, { namespace: shop, name });
}

async function refused(path: string, status: number): Promise<string> {
  const answer = await shiplog.fetch(path);
  expect(answer.status, path).toBe(status);
  const { error } = errorSchema.parse(await answer.json());
  expect(error.message).toMatch(/^\S.*[.:]/);
  return error.message;
}

describe('the list', () => {
  const both = `namespace=${shop},${pay}`;

  it.each([
    ['namespace', `namespace=${pay}`, ['held', 'web']],
    ['several namespaces', both, ['held', 'web', 'agent', 'bad', 'db', 'web']],
    ['a resource', `${both}&resource=statefulsets.apps`, ['db']],
    ['several resources', `${both}&resource=statefulsets.apps,daemonsets.apps`, ['agent', 'db']],
    ['a state', `${both}&state=stuck`, ['bad']],
    ['several states', `${both}&state=stuck,paused`, ['held', 'bad']],
    ['words of the name', `${both}&q=we`, ['web', 'web']],
    ['words of an image, in any case', `${both}&q=APP:7`, ['web']],
    ['words that must all occur', `${both}&q=${pay}%20nine`, ['web']],
    ['nothing that occurs', `${both}&q=nine%20seven`, []],
    ['keys', `keys=deployments.apps/${pay}/web,deployments.apps/${pay}/nothing`, ['web']],
    ['a label', `${both}&labelSelector=team%3Dred`, ['bad', 'web']],
    ['a set of labels', `${both}&labelSelector=team%20in%20(blue,green),!tier`, ['web', 'agent', 'db']],
    ['a label that is missing', `${both}&labelSelector=!team`, ['held']],
    ['all at once', `${both}&resource=deployments.apps&state=complete&q=web&labelSelector=tier`, ['web']],
    ['an unknown namespace', 'namespace=nowhere', []],
  ])('filters by %s', async (_what, query, names) => {
    const { items, nextCursor } = await shiplog.get(`/api/workloads?${query}`);
    expect(items.map(({ name }: WorkloadItem) => name)).toEqual(names);
    expect(nextCursor).toBeNull();
  });

  it('filters by the time of the last change', async () => {
    const all: WorkloadItem[] = (await shiplog.get(`/api/workloads?${both}`)).items;
    const startOf = ({ lastRollout }: WorkloadItem) => lastRollout?.startedAt ?? lastRollout?.notAfter ?? '';
    const nameOf = ({ resource, namespace, name }: WorkloadItem) => `${resource}/${namespace}/${name}`;
    const times = [...new Set(all.map(startOf))].filter((time) => time !== '').sort();
    expect(times).not.toEqual([]);
    for (const time of [...times, '2001-01-01T00:00:00Z']) {
      const { items } = await shiplog.get(`/api/workloads?${both}&changedSince=${time}`);
      const changed = all.filter((item) => startOf(item) !== '' && startOf(item) >= time);
      expect(items.map(nameOf)).toEqual(changed.map(nameOf));
    }
    expect((await shiplog.get(`/api/workloads?${both}&changedSince=1h`)).items.length).toBeGreaterThan(0);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect((await shiplog.get(`/api/workloads?${both}&changedSince=${later}`)).items).toEqual([]);
  });

  it('counts the matches of the filters, whatever the state', async () => {
    const { counts } = await shiplog.get(`/api/workloads?${both}&state=stuck`);
    expect(counts).toMatchObject({ total: 6, byState: { complete: 4, stuck: 1, paused: 1 } });
  });

  it.each([
    ['state=perfect', 'state'],
    ['labelSelector=a%20in%20(', 'labelSelector'],
    ['changedSince=yesterday', 'changedSince'],
    ['limit=0', 'limit'],
    ['limit=many', 'limit'],
    ['limit=20001', 'limit'],
    [`q=${'x'.repeat(201)}`, 'q'],
    [`labelSelector=${'x'.repeat(1001)}`, 'labelSelector'],
    ['cursor=made-up', 'cursor'],
    [`cursor=${'x'.repeat(501)}`, 'cursor'],
  ])('names the invalid parameter (%.30s)', async (query, field) => {
    expect(await refused(`/api/workloads?${query}`, 400)).toMatch(new RegExp(`^${field}:`));
  });

  it('lists each row once across its pages, though others are added and deleted meanwhile', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `row-${String(index).padStart(2, '0')}`);
    const make = (name: string) => createDeployment(cluster, paging, name, { replicas: 0 });
    const remove = (name: string) => cluster.client().remove(deploymentPath(paging, name));
    await Promise.all(names.map(make));
    const page = (cursor: string) => shiplog.get(`/api/workloads?namespace=${paging}&limit=6${cursor}`);
    const all = async (): Promise<string[]> =>
      (await shiplog.get(`/api/workloads?namespace=${paging}&limit=100`)).items.map(
        ({ name }: WorkloadItem) => name,
      );
    const untilThereAre = (wanted: readonly string[]) =>
      until('the rows are read', async () => isDeepStrictEqual(await all(), [...wanted].sort()));
    await untilThereAre(names);

    const seen: string[] = [];
    let cursor: string | null = '';
    for (let turn = 0; cursor !== null; turn += 1) {
      const { items, nextCursor } = await page(cursor === '' ? '' : `&cursor=${cursor}`);
      expect(items.length).toBeLessThanOrEqual(6);
      seen.push(...items.map(({ name }: WorkloadItem) => name));
      cursor = nextCursor;
      if (turn > 0) continue;
      // Deletes the last listed row, one before it, and one that is still to come; creates one on either side.
      const gone = ['row-05', 'row-02', 'row-15'];
      await Promise.all([...gone.map(remove), make('row-00a'), make('row-16a')]);
      await untilThereAre([...names.filter((name) => !gone.includes(name)), 'row-00a', 'row-16a']);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual([...names.filter((name) => name !== 'row-15'), 'row-16a'].sort());
  });

  it('rejects a cursor that it did not issue', async () => {
    const { nextCursor } = await shiplog.get(`/api/workloads?namespace=${paging}&limit=1`);
    const [text, signature] = nextCursor.split('.');
    const other = Buffer.from('zzz\0zzz\0deployments.apps').toString('base64url');
    for (const cursor of [`${other}.${signature}`, `${text}.`, text, `${text}.${signature}.x`]) {
      expect(await refused(`/api/workloads?limit=1&cursor=${cursor}`, 400)).toContain('cursor');
    }
  });
});

describe('a diff', () => {
  it('accepts numbers, ids, the current spec and pods', async () => {
    const { revisions } = await shiplog.get(web);
    const [third, second, first] = revisions;
    const { items: pods } = await shiplog.get(`${web}/pods`);
    const diff = (from: string, to: string) => shiplog.get(`${web}/diff?from=${from}&to=${to}`);
    const byNumber = await diff('1', '2');
    expect(byNumber).toMatchObject({ equal: false, rawEqual: false });
    expect(byNumber.summary).toContain('1.0 → 1.1');
    expect((await diff(first.id, second.id)).changes).toEqual(byNumber.changes);
    expect((await diff('2', '1')).summary).toContain('1.1 → 1.0');
    expect(await diff(third.id, 'live')).toMatchObject({ equal: true, changes: [], to: { label: 'now' } });
    const pod = pods[0].name;
    expect(await diff('3', `pod:${pod}`)).toMatchObject({ equal: true, to: { label: pod, number: 3 } });
    expect((await diff(`pod:${pod}`, '1')).summary).toContain('1.2 → 1.0');
    const { yaml } = await shiplog.get(`${web}/diff?from=1&to=2&yaml=1`);
    expect(yaml.before).toContain(`${IMAGE}:1.0`);
    expect(yaml.after).toContain(`${IMAGE}:1.1`);
  });

  it.each([
    ['from=1', 400, 'to'],
    ['from=1&to=', 400, 'to'],
    [`from=1&to=${'9'.repeat(400)}`, 400, 'to'],
    ['from=1&to=99', 404, 'no revision 99'],
    ['from=nonsense&to=1', 404, 'nonsense'],
    ['from=1&to=pod:nobody', 404, 'no pod'],
  ])('of %.40s is refused with a reason', async (query, status, words) => {
    expect(await refused(`${web}/diff?${query}`, status)).toContain(words);
  });

  it('leaves a number that two revisions share to the caller', async () => {
    await deploy(cluster, shop, 'twins', ['1.0', '1.1', '1.2']);
    const base = shownAt(shop, 'twins');
    const { revisions } = await until('three revisions are read', async () => {
      const answer = await shiplog.get(base);
      return answer.revisions.length === 3 && answer;
    });
    const annotation = { 'deployment.kubernetes.io/revision': '1' };
    await cluster.client().patch(`/apis/apps/v1/namespaces/${shop}/replicasets/${revisions[1].name}`, {
      metadata: { annotations: annotation },
    });
    const error = await until('the number is ambiguous', async () => {
      const answer = await shiplog.fetch(`${base}/revisions/1`);
      return answer.status === 409 && errorSchema.parse(await answer.json()).error;
    });
    expect(error.code).toBe('ambiguous');
    const candidates = error.details.candidates as { id: string }[];
    expect(new Set(candidates.map(({ id }) => id))).toEqual(new Set([revisions[1].id, revisions[2].id]));
    await refused(`${base}/diff?from=1&to=live`, 409);
    const { seen } = (await shiplog.get(base)).workload;
    const rollback = await shiplog.post(`${base}/rollback`, { to: 1, seen, dryRun: true });
    expect(rollback.status).toBe(409);
    for (const { id } of candidates) expect((await shiplog.get(`${base}/revisions/${id}`)).id).toBe(id);
  });
});

describe('what does not exist', () => {
  it.each([
    [shownAt(shop, 'nothing'), '/nothing was not found'],
    [shownAt('nowhere', 'web'), 'nowhere/web was not found'],
    [`/api/workloads/jobs.batch/${shop}/web`, 'jobs.batch'],
    [`${web}/revisions/77`, 'no revision 77'],
    [`${web}/pods/nobody/logs`, 'no pod nobody'],
    ['/api/actions/00000000-0000-4000-8000-000000000000', 'Action 00000000'],
    ['/api/nonsense', '/api/openapi.json'],
  ])('%s is answered in a sentence', async (path, words) => {
    expect(await refused(path, 404)).toContain(words);
  });
});

describe('the description', () => {
  it('is OpenAPI and covers every route that exists', async () => {
    const document = await shiplog.get('/api/openapi.json');
    expect(document.openapi).toMatch(/^3\.1/);
    const described = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(everyRoute.map(({ key }) => key).sort());
    // Next serves no other file than those that hand a request to the table.
    // Those of the sign-in are for browsers alone.
    const files = routeFilesOf('app').filter((file) => !file.startsWith('sign-in/'));
    expect(files.sort()).toEqual(['api/[[...path]]/route.ts', 'metrics/route.ts']);
  });

  it('fits the answers', async () => {
    const { revisions } = await shiplog.get(web);
    const answers = [
      [clusterSchema, '/api/cluster'],
      [workloadListSchema, '/api/workloads'],
      [workloadDetailSchema, web],
      [workloadDetailSchema, shownAt(shop, 'bad')],
      [workloadDetailSchema, `/api/workloads/statefulsets.apps/${shop}/db`],
      [workloadDetailSchema, `/api/workloads/daemonsets.apps/${shop}/agent`],
      [revisionBodySchema, `${web}/revisions/${revisions[0].id}`],
      [diffSchema, `${web}/diff?from=1&to=live&yaml=1`],
      [podListSchema, `${web}/pods`],
      [eventListSchema, `${shownAt(shop, 'bad')}/events`],
    ] as const;
    for (const [schema, path] of answers) {
      const parsed = schema.safeParse(await shiplog.get(path));
      expect(parsed.error?.issues, path).toBeUndefined();
    }
    const seen = (await shiplog.get(web)).workload.seen;
    const { body } = await shiplog.post(`${web}/restart`, { seen, reason: 'new certificates' });
    const action = await shiplog.get(`/api/actions/${body.result.actionId}`);
    expect(actionSchema.safeParse(action).error?.issues).toBeUndefined();
  });
});

describe('a long answer', () => {
  it('is compressed', async () => {
    const answer = await shiplog.fetch('/api/openapi.json', { headers: { 'accept-encoding': 'zstd, gzip' } });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(answer.headers.get('vary')).toContain('Accept-Encoding');
    expect(await answer.json()).toHaveProperty('openapi');
  });
});

describe('the stream', () => {
  it('carries keys and never an object', async () => {
    const stream = await openStream(shiplog);
    await setImage(cluster, pay, 'web', `${IMAGE}:secret-plan`);
    const { data } = await stream.next('the change arrives', concerns(pay, 'web'));
    const { id } = await shiplog.get('/api/cluster');
    expect(data.keys).toContainEqual({
      ...{ cluster: id, resource: 'deployments.apps', namespace: pay, name: 'web' },
    });
    await untilSettled(cluster, 'Deployment', { namespace: pay, name: 'web' });
    await until('the change can be read', async () => {
      const { workload } = await shiplog.get(shownAt(pay, 'web'));
      return workload.images[0].image === `${IMAGE}:secret-plan`;
    });
    expect(stream.text()).not.toContain('secret-plan');
    for (const { event, data: sent } of stream.events) {
      if (event !== 'change') continue;
      for (const key of sent.keys) {
        expect(Object.keys(key).sort()).toEqual(['cluster', 'name', 'namespace', 'resource']);
      }
    }
    const [first] = stream.events;
    expect(first?.event).toBe('state');
    expect(Object.values(first?.data.clusters)).toMatchObject([{ ready: true }]);
    stream.close();
  });

  it('replays to a browser what it missed', async () => {
    const before = await openStream(shiplog);
    await createDeployment(cluster, shop, 'one', { replicas: 0 });
    const { id = '' } = await before.next('the first change arrives', concerns(shop, 'one'));
    before.close();
    await createDeployment(cluster, shop, 'two', { replicas: 0 });
    await until('it is read', () => shiplog.get(shownAt(shop, 'two')));
    const after = await openStream(shiplog, { 'last-event-id': id });
    const missed = await after.next('the second change is replayed', concerns(shop, 'two'));
    expect(missed.id?.split('-')[0]).toBe(id.split('-')[0]);
    expect(after.events.filter(({ event }) => event === 'resync')).toEqual([]);
    after.close();
  });

  it.each(['another-12', 'nonsense', '-1', '9'.repeat(400)])(
    'makes a browser refetch everything when it cannot replay (%.12s)',
    async (id) => {
      const stream = await openStream(shiplog, { 'last-event-id': id });
      await stream.next('a resync arrives', ({ event }) => event === 'resync');
      stream.close();
    },
  );
});

describe('probes', () => {
  it('answer with their status', async () => {
    expect(await shiplog.get('/api/healthz')).toEqual({ ok: true });
    expect(await shiplog.get('/api/readyz')).toEqual({ ready: true, waitingFor: [] });
  });

  it('count what is in the cache', async () => {
    await until('the numbers agree', async () => {
      const { counts } = await shiplog.get('/api/workloads');
      return (await readMetrics(shiplog)).shiplog_cache_workloads === counts.total;
    });
    const answer = await shiplog.fetch('/metrics');
    expect(answer.headers.get('content-type')).toContain('text/plain');
    const text = await answer.text();
    expect(text).toMatch(/shiplog_http_request_duration_seconds_count\{[^}]*route="\/api\/workloads"/);
    // A label for each workload would grow without bound.
    expect(text).not.toContain('secret-plan');
    expect(text).not.toContain('twins');
  });
});

function routeFilesOf(folder: string): string[] {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(^|\/)route\.tsx?$/.test(file),
  );
}
