import fc from 'fast-check';
import { fixedIdentity } from '@/server/identity/testing/fixed-identity';
import { viewerNamed } from '@/server/shared/testing/viewers';
import { describe, expect, test, vi } from 'vitest';
import { severalClusters } from '@/server/http/testing/several-clusters';

const names = ['staging', 'prod-eu', 'prod-us'];
const lists = [
  '/api/workloads?',
  '/api/rollouts?',
  '/api/rollouthistories?',
  '/api/records?',
  '/api/review?age=0m&',
  '/api/review/follow-ups?',
  '/api/reports?rows=1&from=30d&by=cluster&',
  '/api/reports?format=csv&from=30d&',
  '/api/reports?format=md&from=30d&',
  '/api/timeline?from=30d&',
  '/api/activity?',
  '/api/activity?format=csv&',
  '/api/activity/events?',
];
const stages = ['staging', 'production'];
const cart = '/api/workloads/deployments.apps/shop/cart';

describe('answers over several clusters', () => {
  test('a list of the clusters or the stages in the request contains something of each, and nothing of another', async () => {
    const { clusters, get } = await severalClusters(names);
    const choice = fc.record({
      list: fc.constantFrom(...lists),
      some: fc.option(fc.subarray(clusters, { minLength: 1 })),
      ofStages: fc.option(fc.subarray(stages, { minLength: 1 })),
      byId: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(choice, async ({ list, some, ofStages, byId }) => {
        const query = new URLSearchParams();
        if (some !== null)
          query.set(
            'cluster',
            some.map(({ name, cluster }) => (byId ? cluster.identity.id : name)).join(','),
          );
        if (ofStages !== null) query.set('stage', ofStages.join(','));
        const { status, text } = await get(`${list}${query}`);
        expect(status).toBe(200);
        for (const each of clusters) {
          const isChosen = (some?.includes(each) ?? true) && (ofStages?.includes(each.stage) ?? true);
          if (isChosen) expect(text).toContain(each.marker);
          else expect(text).not.toContain(each.marker);
        }
      }),
    );
  });

  test('a page of an object contains nothing of another cluster', async () => {
    const { clusters, get } = await severalClusters(names);
    for (const { name, marker } of clusters) {
      for (const rest of ['', '/revisions/1', '/diff?from=1&to=2&yaml=1', '/events', '/track']) {
        const { status, text } = await get(`${cart}${rest}${rest.includes('?') ? '&' : '?'}cluster=${name}`);
        expect(status).toBe(200);
        for (const other of clusters) if (other.name !== name) expect(text).not.toContain(other.marker);
        if (rest === '' || rest.startsWith('/diff')) expect(text).toContain(marker);
      }
    }
  });

  test('a file names the cluster of each row', async () => {
    const { get } = await severalClusters(names);
    for (const list of ['/api/reports?format=csv&from=30d', '/api/activity?format=csv']) {
      const [header = '', ...rows] = (await get(list)).text.trim().split('\r\n');
      const column = header.split(',').indexOf('cluster');
      expect(new Set(rows.map((row) => row.split(',')[column])), list).toEqual(new Set(names));
    }
  });

  test('a stage chooses its clusters, and an unknown one is refused', async () => {
    const { clusters, get } = await severalClusters(names);
    const { text } = await get('/api/workloads?stage=production');
    expect(clusters.map(({ marker }) => text.includes(marker))).toEqual([false, true, true]);
    const refused = await get('/api/workloads?stage=qa');
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('Known: staging, production');
  });

  test('a list says which of them is away, and shows what was last read of it', async () => {
    const { clusters, get } = await severalClusters(names);
    const since = Date.parse('2026-09-17T12:00:00Z');
    const away = clusters[1];
    if (away === undefined) throw new Error('no cluster');
    away.cluster.connection = {
      state: 'unreachable',
      message: 'No route to host.',
      observedAt: since,
      since,
    };
    const answer = (await get('/api/workloads')).json() as {
      partial: object[];
      stale: boolean;
      items: object[];
    };
    expect(answer.partial).toEqual([
      { cluster: 'prod-eu', reason: 'No route to host.', since: '2026-09-17T12:00:00.000Z' },
    ]);
    expect(answer.items).toHaveLength(6);
    expect(answer.stale).toBe(false);
  });

  test('one that does not answer delays a list by a second at most', async () => {
    const { clusters, get } = await severalClusters(names);
    const slow = clusters[2];
    if (slow === undefined) throw new Error('no cluster');
    slow.cluster.access.can = () => new Promise(() => undefined);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const pending = get('/api/workloads');
      await vi.advanceTimersByTimeAsync(1_000);
      const answer = (await pending).json() as {
        partial: { cluster: string; reason: string }[];
        items: object[];
      };
      expect(answer.items).toHaveLength(4);
      expect(answer.partial).toMatchObject([{ cluster: 'prod-us', reason: /did not answer within 1 s/ }]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('an object without the name of its cluster', () => {
  test('is found where exactly one cluster has it', async () => {
    const { clusters, get } = await severalClusters(names);
    for (const { marker } of clusters) {
      const { status, text } = await get(`/api/workloads/deployments.apps/shop/only-${marker}`);
      expect(status).toBe(200);
      expect(text).toContain(marker);
    }
  });

  test('is 409 with the candidates where several have it', async () => {
    const { get } = await severalClusters(names);
    const { status, json } = await get(cart);
    expect(status).toBe(409);
    expect(json()).toMatchObject({
      error: {
        code: 'ambiguous',
        details: {
          candidates: [
            { cluster: 'staging', id: 'uid-of-staging', title: 'Cluster staging', stage: 'staging' },
            { cluster: 'prod-eu', stage: 'production' },
            { cluster: 'prod-us', stage: 'production' },
          ],
        },
      },
    });
  });

  test('names no candidate that the viewer can not see', async () => {
    const { clusters, get } = await severalClusters(names);
    const [, hidden] = clusters;
    if (hidden === undefined) throw new Error('no cluster');
    hidden.cluster.answerAccess = () => ({ allowed: false });
    const { text } = await get(cart);
    expect(text).toContain('prod-us');
    expect(text).not.toContain('prod-eu');
  });

  test('is not said to be missing while a cluster that may have it is away', async () => {
    const { clusters, get } = await severalClusters(names);
    const nowhere = '/api/workloads/deployments.apps/shop/nowhere';
    expect((await get(nowhere)).status).toBe(404);
    const [away] = clusters;
    if (away === undefined) throw new Error('no cluster');
    away.cluster.connection = {
      state: 'unreachable',
      message: 'No route to host.',
      observedAt: null,
      since: 0,
    };
    const { status, text } = await get(nowhere);
    expect(status).toBe(503);
    expect(text).toContain('staging');
  });
});

describe('a comparison', () => {
  test('takes each side from its own cluster', async () => {
    const { clusters, get } = await severalClusters(names);
    const { status, json, text } = await get(`${cart}/diff?from=staging:1&to=prod-eu:live`);
    expect(status).toBe(200);
    expect(json()).toMatchObject({
      from: { cluster: 'staging', number: 1, ref: 'staging:1' },
      to: { cluster: 'prod-eu', ref: 'prod-eu:live' },
      changes: [{ concern: 'image' }],
    });
    expect(clusters.map(({ marker }) => text.includes(marker))).toEqual([true, true, false]);
    expect((await get(`${cart}/diff?from=nowhere:1&to=prod-eu:live`)).status).toBe(400);
  });
});

describe('a cluster that was removed', () => {
  test('leaves its records to those who name it, and to their links', async () => {
    const { clusters, get, running } = await severalClusters(names);
    const [gone, ...others] = clusters;
    if (gone === undefined) throw new Error('no cluster');
    const entries = running.clusters.all.map(({ entry }) => entry).filter(({ name }) => name !== gone.name);
    await running.clusters.apply(entries);
    expect((await get('/api/records')).text).not.toContain(gone.marker);
    const named = await get(`/api/records?cluster=${gone.name}`);
    expect(named.text).toContain(gone.marker);
    for (const { marker } of others) expect(named.text).not.toContain(marker);
    const link = await get(`/api/records/record-${gone.marker}`);
    expect(link.status).toBe(200);
    expect(link.text).toContain(gone.marker);
    expect((await get('/api/workloads?cluster=nowhere')).status).toBe(400);
  });

  test('leaves its records to people with a right in the cluster that Shiplog runs in', async () => {
    const { clusters, get, running } = await severalClusters(names);
    const home = clusters.find(({ stage }) => stage === 'staging');
    const gone = clusters.find((each) => each !== home);
    if (gone === undefined || home === undefined) throw new Error('no cluster');
    const entries = running.clusters.all.map(({ entry }) => entry).filter(({ name }) => name !== gone.name);
    await running.clusters.apply(entries);
    Object.assign(running.edge, { identity: fixedIdentity(() => viewerNamed('maja')) });
    const path = `/api/records?cluster=${gone.name}`;
    expect((await get(path)).text).toContain(gone.marker);
    home.cluster.answerAccess = ({ group }) => ({ allowed: group !== 'shiplog.dev' });
    expect(await get(path)).toMatchObject({ status: 400 });
    expect((await get(`/api/records/record-${gone.marker}`)).status).toBe(404);
    expect((await get('/api/clusters')).text).not.toContain(gone.name);
  });
});
