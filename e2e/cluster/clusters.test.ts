import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createDeployment,
  deploy,
  deploymentPath,
  IMAGE,
  setImage,
  shownAt,
} from '@/e2e/cluster/deployments';
import { until } from '@/e2e/cluster/fixtures';
import { readMetrics } from '@/e2e/cluster/metrics';
import { needs } from '@/e2e/cluster/needs';
import {
  clusterList,
  WrittenClusters,
  type NamedCluster,
  startTwoClusters,
  untilCluster,
  untilItem,
  untilRecorded,
} from '@/e2e/cluster/two-clusters';
import { untilSettled } from '@/e2e/controlplane/seed';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { Action } from '@/lib/api/action';
import type { Activity } from '@/lib/api/activity';
import type { ActivityEvents } from '@/lib/api/activity-event';
import type { PartialResult } from '@/lib/api/common';
import type { Diff } from '@/lib/api/diff';
import type { RecordAnswer, RecordList } from '@/lib/api/records';
import type { RolloutReport } from '@/lib/api/reports';
import type { ReviewQueue } from '@/lib/api/review-queue';
import type { Timeline } from '@/lib/api/timeline';
import type { WorkloadDetail, WorkloadList } from '@/lib/api/workloads';
import type { KubeObject } from '@/lib/kube/object';

/** Long for an answer from memory, short enough not to count as hanging. */
const TIMEOUT_MS = 15_000;
/** Long for a change that the file system reports, and less than the minute after which the file is read anyway. */
const CHANGE_TIMEOUT_MS = 20_000;

vi.setConfig({ testTimeout: 180_000 });

const namespace = 'shop';
/** In both clusters, with other images. */
const shared = ['cart', 'ledger'];
const cart = shownAt(namespace, 'cart');

let clusters: Awaited<ReturnType<typeof startTwoClusters>>;
let staging: NamedCluster;
let prod: NamedCluster;
let file: WrittenClusters;
let shiplog: Shiplog;
/** By name of the cluster. */
const ids = new Map<string, string>();

describe.runIf(await needs('Several clusters', 'disturb'))('Shiplog with two clusters', () => {
  beforeAll(async () => {
    clusters = await startTwoClusters(namespace);
    ({ staging, prod } = clusters);
    file = new WrittenClusters([staging, prod]);
    shiplog = await startShiplog({ env: file.env });
    for (const each of [staging, prod]) ids.set(each.name, (await untilRecorded(shiplog, each)).id);
    await Promise.all([staging, prod].map(rollOutAll));
    await until('every rollout is recorded', async () => {
      const recorded = await Promise.all([recordsOf(staging), recordsOf(prod)]);
      return recorded.every((records) => records.length === 5 && records.every(({ endedAt }) => endedAt));
    });
  });
  afterAll(async () => {
    await shiplog?.stop();
    file?.remove();
    await clusters?.stop();
  });
  /** A test that fails halfway must not fail the others. */
  afterEach(async () => {
    prod.cluster.thawApiServer();
    file.list([staging, prod]);
    for (const each of [staging, prod]) await untilCluster(shiplog, each, 'connected');
  });

  it('lists objects of the same names in both, each with its cluster', async () => {
    for (const [list, inClusters] of await everyList('')) {
      expect(new Set(inClusters), list).toEqual(new Set(ids.values()));
    }
    const { items } = await get<WorkloadList>(`/api/workloads?namespace=${namespace}`);
    const rows = items.map(({ cluster, name, images }) => [cluster, name, images[0]?.image]);
    const expected = [staging, prod].flatMap(({ name }) =>
      [...shared, `only-${name}`].map((workload) => [idOf(name), workload, imageOf(name, lastOf(workload))]),
    );
    expect(rows.toSorted()).toEqual(expected.toSorted());
  });

  it('lists only those of the cluster, or the stage, in the request', async () => {
    for (const each of [staging, prod]) {
      const other = each === staging ? prod : staging;
      for (const filter of [`cluster=${each.name}`, `cluster=${idOf(each.name)}`, `stage=${each.stage}`]) {
        for (const [list, inClusters, text] of await everyList(filter)) {
          expect(new Set(inClusters), list).toEqual(new Set([idOf(each.name)]));
          expect(text).not.toContain(imageOf(other.name, ''));
          expect(text).not.toContain(idOf(other.name));
        }
      }
    }
  });

  it('asks which cluster is meant where both have the workload', async () => {
    const { status, body } = await ask<AmbiguousAnswer>(cart);
    expect(status).toBe(409);
    expect(body.error.code).toBe('ambiguous');
    const candidates = body.error.details.candidates.map(({ cluster, id, stage }) => [cluster, id, stage]);
    expect(candidates).toEqual([staging, prod].map(({ name, stage }) => [name, idOf(name), stage]));
    for (const { name } of [staging, prod]) {
      const { workload } = await get<WorkloadDetail>(`${cart}?cluster=${name}`);
      expect([workload.cluster, workload.images[0]?.image]).toEqual([idOf(name), imageOf(name, 2)]);
    }
  });

  it('finds a workload that only one of them has', async () => {
    for (const { name } of [staging, prod]) {
      const { workload } = await get<WorkloadDetail>(shownAt(namespace, `only-${name}`));
      expect([workload.cluster, workload.images[0]?.image]).toEqual([idOf(name), imageOf(name, 1)]);
    }
    expect((await ask(shownAt(namespace, 'nowhere'))).status).toBe(404);
  });

  it('compares a revision of one with the live one of the other', async () => {
    const diff = await get<Diff>(`${cart}/diff?from=staging:1&to=prod:live`);
    expect([diff.from.cluster, diff.to.cluster]).toEqual(['staging', 'prod']);
    expect(diff.changes).toMatchObject([
      { concern: 'image', before: imageOf('staging', 1), after: imageOf('prod', 2) },
    ]);
  });

  it('rolls back in the cluster that is named, and leaves the other one alone', async () => {
    const ledger = shownAt(namespace, 'ledger');
    const before = await objectOf(prod, 'ledger');
    const { workload } = await get<WorkloadDetail>(`${ledger}?cluster=staging`);
    const request = { to: 1, seen: workload.seen, reason: 'errors' };
    expect((await shiplog.post(`${ledger}/rollback`, request)).status).toBe(409);
    // What the viewer saw is of the other cluster.
    expect((await shiplog.post(`${ledger}/rollback?cluster=prod`, request)).status).toBe(409);
    await act(`${ledger}/rollback?cluster=staging`, request);
    expect(imageIn(await objectOf(staging, 'ledger'))).toBe(imageOf('staging', 1));
    const after = await objectOf(prod, 'ledger');
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata.generation).toBe(before.metadata.generation);
    const { items } = await get<Activity>(`/api/activity?namespace=${namespace}&name=ledger&state=done`);
    expect(items.map(({ cluster, to }) => [cluster, to])).toEqual([[idOf('staging'), 1]]);
    await untilNumbers(staging, 'ledger', [1, 2, 3]);
    expect(await numbersOf(prod, 'ledger')).toEqual([1, 2]);
  });

  it('shows and changes one while the other does not answer', async () => {
    prod.cluster.freezeApiServer();
    const { since, message } = await untilCluster(shiplog, prod, 'unreachable');
    expect(message).not.toBeNull();
    for (const list of lists) {
      const { partial } = await get<{ partial: PartialResult[] }>(`${list}namespace=${namespace}`);
      const reason = expect.stringContaining(prod.cluster.server) as string;
      expect(partial, list).toEqual([{ cluster: 'prod', reason, since }]);
    }
    const { items, stale } = await get<WorkloadList>(`/api/workloads?namespace=${namespace}`);
    expect(new Set(items.map(({ cluster }) => cluster))).toEqual(new Set(ids.values()));
    expect(stale).toBe(false);

    const page = await shiplog.fetch(`/workloads/deployments.apps/${namespace}/cart?cluster=staging`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    expect([page.status, await page.text()]).toMatchObject([200, expect.stringContaining('cart')]);
    const { workload, stale: isStale } = await get<WorkloadDetail>(`${cart}?cluster=staging`);
    expect(isStale).toBe(false);
    await act(`${cart}/restart?cluster=staging`, { seen: workload.seen, reason: 'prod is away' });
    await untilNumbers(staging, 'cart', [1, 2, 3]);

    const shown = await get<WorkloadDetail>(`${cart}?cluster=prod`);
    expect(shown).toMatchObject({ stale: true, workload: { images: [{ image: imageOf('prod', 2) }] } });
    expect((await clusterList(shiplog)).items).toMatchObject([
      { name: 'staging', state: 'connected', message: null },
      { name: 'prod', state: 'unreachable' },
    ]);

    prod.cluster.thawApiServer();
    await untilCluster(shiplog, prod, 'connected');
    await until('nothing is missing', async () => {
      const { partial } = await get<WorkloadList>(`/api/workloads?namespace=${namespace}`);
      return partial.length === 0;
    });
  });

  it('continues the history of one that returns with the certificate of another authority', async () => {
    const authority = prod.cluster.ca;
    await prod.cluster.renewCertificates();
    expect(prod.cluster.ca).not.toBe(authority);
    await roll(prod, 'cart', 3);
    await untilNumbers(prod, 'cart', [1, 2, 3]);
    const { id } = await untilCluster(shiplog, prod, 'connected');
    expect(id).toBe(idOf('prod'));
    const { moved } = await untilItem(
      shiplog,
      'prod',
      'the authority is noted',
      (item) => item.moved !== null,
    );
    expect(moved?.from).toBe(prod.cluster.server);
    const { items: changes } = await get<ActivityEvents>('/api/activity/events?kind=cluster');
    expect(changes).toMatchObject([
      { event: 'clusterMoved', by: null, reason: expect.stringMatching(/prod .*authority/) as string },
    ]);
    const { workload, stale } = await get<WorkloadDetail>(`${cart}?cluster=prod`);
    expect([workload.images[0]?.image, stale]).toEqual([imageOf('prod', 3), false]);
    await act(`${cart}/rollback?cluster=prod`, { to: 2, seen: workload.seen, reason: 'errors' });
    await untilNumbers(prod, 'cart', [1, 2, 3, 4]);
  });

  it('keeps the records of one that is removed, and continues them when it is listed again', async () => {
    const id = idOf('prod');
    const before = await recordsOf(prod);
    file.list([staging]);
    const removed = await until(
      'it is not connected any more',
      async () => {
        const { items, removed: gone } = await clusterList(shiplog);
        return items.every(({ name }) => name !== 'prod') && gone;
      },
      CHANGE_TIMEOUT_MS,
    );
    expect(removed).toMatchObject([{ id, name: 'prod' }]);
    for (const path of [cart, `${cart}/pods`, `${cart}/events`])
      expect((await ask(`${path}?cluster=prod`)).status, path).toBe(400);
    expect((await get<WorkloadList>('/api/workloads?cluster=prod')).items).toEqual([]);
    const { items } = await get<WorkloadList>('/api/workloads');
    expect(items.filter(({ cluster }) => cluster === id)).toEqual([]);
    // The other one is the only one that has it.
    expect((await get<WorkloadDetail>(cart)).workload.cluster).toBe(idOf('staging'));
    expect((await ask(shownAt(namespace, 'only-prod'))).status).toBe(404);
    expect(await recordsOf(prod)).toEqual(before);
    for (const { id: record } of before) {
      const { workload } = await get<RecordAnswer>(`/api/records/${record}`);
      expect(workload.cluster).toBe(id);
    }

    await roll(prod, 'only-prod', 2);
    file.list([staging, prod]);
    await untilRecorded(shiplog, prod);
    await untilNumbers(prod, 'only-prod', [1, 2]);
    expect((await untilCluster(shiplog, prod, 'connected')).id).toBe(id);
    expect((await clusterList(shiplog)).removed).toEqual([]);
    const after = await recordsOf(prod);
    expect(after).toHaveLength(before.length + 1);
    expect(after).toEqual(expect.arrayContaining([...before]));
  });

  it.each([
    ['first', (copy: NamedCluster) => [copy, staging, prod]],
    ['last', (copy: NamedCluster) => [staging, prod, copy]],
  ])('refuses another entry that claims an id, listed %s, until it is accepted', async (_, order) => {
    const copy: NamedCluster = { ...prod, name: 'copy' };
    const dataDir = mkdtempSync(join(tmpdir(), 'shiplog-data-'));
    const listed = new WrittenClusters([staging, prod, copy]);
    let other: Shiplog | undefined;
    try {
      listed.list([staging, prod]);
      other = await startShiplog({ env: listed.env, dataDir });
      const id = (await untilRecorded(other, prod)).id;
      await other.stop();

      listed.list(order(copy));
      other = await startShiplog({ env: listed.env, dataDir });
      const { refusal } = await untilItem(other, 'copy', 'copy is refused', (item) => item.refusal !== null);
      expect(refusal).toEqual({ kind: 'claimed', id, formerId: null, holder: 'prod' });
      expect((await untilRecorded(other, prod)).id).toBe(id);
      const { items } = (await other.get(`/api/workloads?namespace=${namespace}`)) as WorkloadList;
      expect(new Set(items.map(({ cluster }) => cluster))).toEqual(new Set(ids.values()));
      const records = async (name: string) =>
        ((await other?.get(`/api/records?cluster=${name}`)) as RecordList).items.map((record) => record.id);
      const before = await records('prod');
      expect(before.length).toBeGreaterThan(0);

      const path = '/api/clusters/copy/accept';
      const stale = await other.post(path, { refusal: { ...refusal, holder: 'staging' } });
      expect(stale.status).toBe(409);
      const { status, body } = await other.post(path, { refusal });
      expect(status, JSON.stringify(body)).toBe(200);
      expect((await untilRecorded(other, copy)).id).toBe(id);
      expect(await records('copy')).toEqual(expect.arrayContaining(before));
      const prodItem = await untilItem(other, 'prod', 'prod is refused', (item) => item.refusal !== null);
      expect(prodItem.refusal).toEqual({ kind: 'claimed', id, formerId: null, holder: 'copy' });
      const { items: events } = (await other.get('/api/activity/events?kind=cluster')) as ActivityEvents;
      expect(events.map(({ event, code }) => [event, code])).toEqual([
        ['clusterAccepted', null],
        ['clusterAccepted', 'conflict'],
      ]);
    } finally {
      await other?.stop();
      listed.remove();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it('leaves everything as it is while the file is wrong, and says so', async () => {
    const isValid = async () => (await readMetrics(shiplog)).shiplog_clusters_configuration_valid;
    expect(await isValid()).toBe(1);
    const before = await clusterList(shiplog);
    file.write('apiVersion: shiplog.dev/v1\nclusters:\n  - {name: staging, source: {}}\n');
    const problem = await until(
      'the problem is shown',
      async () => (await clusterList(shiplog)).problem ?? undefined,
      CHANGE_TIMEOUT_MS,
    );
    expect(problem.reason).toContain('source');
    expect(await isValid()).toBe(0);
    const { items } = await clusterList(shiplog);
    expect(items.map(stateOf)).toEqual(before.items.map(stateOf));
    await roll(prod, 'ledger', 3);
    await untilNumbers(prod, 'ledger', [1, 2, 3]);

    file.list([staging, prod]);
    await until('the file is in force', async () => (await isValid()) === 1, CHANGE_TIMEOUT_MS);
    expect((await clusterList(shiplog)).problem).toBeNull();
  });

  function stateOf({ name, id, state, since }: { name: string; id: string; state: string; since: string }) {
    return { name, id, state, since };
  }
});

interface AmbiguousAnswer {
  error: { code: string; details: { candidates: { cluster: string; id: string; stage: string }[] } };
}

const lists = [
  '/api/workloads?',
  '/api/records?',
  '/api/timeline?',
  '/api/review?age=0m&',
  '/api/reports?rows=1&from=1d&',
];

/** Of each list its path, the ids of the clusters of its rows, and all of its text. */
function everyList(filter: string): Promise<[string, string[], string][]> {
  return Promise.all(
    lists.map(async (list): Promise<[string, string[], string]> => {
      const path = `${list}namespace=${namespace}&${filter}`;
      // A cluster whose rights take longer than a second is left out of an answer, and named in it.
      const answer = await until(`all of ${path}`, async () => {
        const each = await get<WorkloadList | RecordList | Timeline | ReviewQueue | RolloutReport>(path);
        return each.partial.length === 0 && each;
      });
      const rows = 'items' in answer ? answer.items : (answer.rows ?? []);
      const inClusters = rows.map((row) => ('workload' in row ? row.workload.cluster : row.cluster));
      return [path, inClusters, JSON.stringify(answer)];
    }),
  );
}

/** Two revisions of what both have, and one of what only this one has. */
async function rollOutAll({ name, cluster }: NamedCluster): Promise<void> {
  const first: [string, string] = [`${name}-1`, `${name}-2`];
  await Promise.all(shared.map((workload) => deploy(cluster, namespace, workload, first)));
  await createDeployment(cluster, namespace, `only-${name}`, { image: imageOf(name, 1) });
  await untilSettled(cluster, 'Deployment', { namespace, name: `only-${name}` });
}

function lastOf(workload: string): number {
  return shared.includes(workload) ? 2 : 1;
}

/** Names the cluster: no image is in both. */
function imageOf(cluster: string, tag: number | string): string {
  return `${IMAGE}:${cluster}-${tag}`;
}

async function roll({ name, cluster }: NamedCluster, workload: string, tag: number): Promise<void> {
  await setImage(cluster, namespace, workload, imageOf(name, tag));
  await untilSettled(cluster, 'Deployment', { namespace, name: workload });
}

function idOf(name: string): string {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`${name} has not been identified.`);
  return id;
}

function objectOf({ cluster }: NamedCluster, name: string): Promise<KubeObject> {
  return cluster.client().get<KubeObject>(deploymentPath(namespace, name));
}

function imageIn({ spec }: KubeObject): string | undefined {
  const { template } = spec as { template: { spec: { containers: { image: string }[] } } };
  return template.spec.containers[0]?.image;
}

/** The records of the namespace in that cluster. */
async function recordsOf({ name }: NamedCluster): Promise<RecordList['items']> {
  const path = `/api/records?namespace=${namespace}&cluster=${name}&limit=200`;
  return (await get<RecordList>(path)).items;
}

/** The revisions with a record in that cluster, each of which must be of that cluster. */
async function numbersOf(named: NamedCluster, workload: string): Promise<(number | null)[]> {
  const records = (await recordsOf(named)).filter((record) => record.workload.name === workload);
  for (const { workload: recorded, images } of records) {
    expect(recorded.cluster).toBe(idOf(named.name));
    expect(images[0]?.image).toContain(imageOf(named.name, ''));
  }
  return records.map(({ to }) => to.number).toSorted();
}

async function untilNumbers(named: NamedCluster, workload: string, numbers: number[]): Promise<void> {
  await until(`${workload} has the records ${numbers.join(', ')}`, async () => {
    const records = (await recordsOf(named)).filter((record) => record.workload.name === workload);
    return records.length >= numbers.length && records.every(({ endedAt }) => endedAt !== null);
  });
  expect(await numbersOf(named, workload)).toEqual(numbers);
}

/** Acts through Shiplog, and follows the action to its end. */
async function act(path: string, request: object): Promise<void> {
  const { status, body } = await shiplog.post(path, request);
  expect(status, JSON.stringify(body)).toBe(200);
  const { actionId } = (body as { result: { actionId: string } }).result;
  const action = await until('the action has ended', async () => {
    const current = await get<Action>(`/api/actions/${actionId}`);
    return current.endedAt !== null && current;
  });
  expect(action.state).toBe('done');
}

/** An answer that does not come in time is a failure. */
async function ask<Body>(path: string): Promise<{ status: number; body: Body }> {
  const answer = await shiplog.fetch(path, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  return { status: answer.status, body: (await answer.json()) as Body };
}

async function get<Body>(path: string): Promise<Body> {
  const { status, body } = await ask<Body>(path);
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return body;
}
