import { describe, expect, test } from 'vitest';
import { send } from '@/server/http/testing/every-request';
import type { Place } from '@/server/http/testing/marked-place';
import { home, rightsWorld, type RightsScenario } from '@/server/http/testing/rights-world';

const atHome = ['workloads', 'pods', 'events', 'write', 'add'] as const;
const scenario: RightsScenario = {
  states: {},
  rights: { [`${home}/shop`]: atHome, [`${home}/pay`]: atHome },
  mayReadRemoved: true,
  hasGap: false,
};
const filters = ['', `cluster=${home}`, 'stage=staging'];

/** A person with the right to removed clusters and every right at home, and a record of another cluster. */
async function open(states: RightsScenario['states'], more: Partial<RightsScenario> = {}, cluster = 'us') {
  const world = await rightsWorld();
  await world.arrange({ ...scenario, states, ...more });
  const place = world.places.find((each) => each.cluster === cluster);
  if (place === undefined) throw new Error('no place');
  const path = `/api/records/record-${place.marker}`;
  return {
    ...world,
    place,
    read: (filter = '') => send(world, { method: 'GET', url: `${path}?${filter}`, body: undefined }),
    get: (url: string) => send(world, { method: 'GET', url, body: undefined }),
    writes: async (filter = '') => {
      const all = [
        ['POST', 'comments', { body: 'hello', path: null, answers: null }],
        ['PUT', 'review', { verdict: 'bad', comment: '', followUp: null, ifVersion: 0 }],
        ['PUT', 'pin', { pinned: true }],
      ] as const;
      return Promise.all(
        all.map(([method, part, body]) => send(world, { method, url: `${path}/${part}?${filter}`, body })),
      );
    },
    added: () => addedTo(world, place),
  };
}

async function addedTo({ archive }: Pick<Awaited<ReturnType<typeof rightsWorld>>, 'archive'>, place: Place) {
  const listed = await archive.rollouts.byId(`record-${place.marker}`);
  const comments = await archive.reviews.comments(`record-${place.marker}`);
  return { pinned: listed?.record.pinned, review: listed?.review, comments: comments.length };
}

const untouched = { pinned: false, review: null, comments: 1 };

describe('a record of a configured cluster, for a person who can read removed clusters', () => {
  test('is forbidden without a right there, whatever clusters the request chooses', async () => {
    const { read, writes, added } = await open({});
    for (const filter of filters) {
      expect((await read(filter)).status).toBe(403);
      for (const { status } of await writes(filter)) expect(status).toBe(403);
    }
    expect(await added()).toEqual(untouched);
  });

  test.each([
    ['refused', 'does not read the cluster us now'],
    ['unidentified', 'has never reached us at this address'],
  ] as const)('is unavailable while the cluster is %s, and not among the removed', async (state, reason) => {
    const { read, writes, added, get, place } = await open({ us: state });
    for (const filter of filters) {
      const { status, text } = await read(filter);
      expect(status).toBe(503);
      expect(text).toContain(reason);
      for (const each of await writes(filter)) expect(each.status).toBe(503);
    }
    expect(await added()).toEqual(untouched);
    expect((await get(`/api/records?cluster=${place.id}`)).status).toBe(503);
    const { removed } = JSON.parse((await get('/api/clusters')).text) as { removed: object[] };
    expect(removed).toEqual([]);
  });

  test('is readable with a right there, and left out of an answer about another cluster', async () => {
    const { read, place } = await open({}, { rights: { 'us/shop': ['workloads'] } });
    expect((await read()).text).toContain(place.marker);
    expect((await read('cluster=us')).status).toBe(200);
    const { status, text } = await read(`cluster=${home}`);
    expect(status).toBe(404);
    expect(text).toContain('Omit the parameters cluster and stage.');
  });
});

describe('a record of a removed cluster', () => {
  test('is readable with the right to such records, and nothing can be added to it', async () => {
    const { read, writes, added, place } = await open({ us: 'removed' });
    const { status, text } = await read();
    expect(status).toBe(200);
    expect(text).toContain(place.marker);
    const { refusals } = JSON.parse(text) as { refusals: Record<string, string> };
    for (const refusal of Object.values(refusals)) expect(refusal).toMatch(/is no longer configured/);
    for (const answer of await writes()) {
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('Nothing was saved. The cluster of this record is no longer configured');
    }
    expect(await added()).toEqual(untouched);
  });

  test('is not found without that right', async () => {
    const { read, get, place } = await open({ us: 'removed' }, { mayReadRemoved: false });
    const { status, text } = await read();
    expect(status).toBe(404);
    expect(text).toContain('get archivedrecords.shiplog.dev');
    expect((await get(`/api/records?cluster=${place.id}`)).status).toBe(400);
  });

  test('is unavailable while a part of the configuration is unknown', async () => {
    const { read, get } = await open({ us: 'removed' }, { hasGap: true });
    const { status, text } = await read();
    expect(status).toBe(503);
    expect(text).toContain('A file is missing.');
    expect((await get('/api/records?cluster=us')).status).toBe(503);
  });

  test('without a name is unavailable while it may be one that was never identified', async () => {
    const { read } = await open({ sa: 'removed', us: 'unidentified' }, {}, 'sa');
    expect((await read()).status).toBe(503);
    const settled = await open({ sa: 'removed' }, {}, 'sa');
    expect((await settled.read()).status).toBe(200);
  });

  test('is unavailable while the cluster that decides about it does not answer', async () => {
    const world = await open({ us: 'removed' });
    const decides = world.clusters.find(({ name }) => name === home);
    if (decides === undefined) throw new Error('no cluster');
    decides.cluster.access.can = () => Promise.reject(new Error('not asked'));
    await world.arrange({ ...scenario, states: { us: 'removed', [home]: 'refused' } });
    expect((await world.read()).status).toBe(503);
  });
});

describe('a parameter that is given twice', () => {
  test('is an error, so that no cache takes one value of it and the clusters the other', async () => {
    const { get } = await open({}, { rights: { 'us/shop': ['workloads'], [`${home}/shop`]: ['workloads'] } });
    const report = '/api/reports?from=30d&by=cluster';
    for (const url of [
      `${report}&cluster=${home}&cluster=us`,
      '/api/workloads?q=a&q=b',
      `${report}&from=7d`,
    ]) {
      const { status, text } = await get(url);
      expect(status).toBe(400);
      expect(text).toContain('is given twice');
    }
    const { groups } = JSON.parse((await get(`${report}&cluster=us`)).text) as { groups: { name: string }[] };
    expect(groups.map(({ name }) => name)).toEqual(['us']);
  });
});

describe('a right that is taken away', () => {
  test('counts for the next report at once', async () => {
    const world = await open({}, { rights: { 'us/shop': ['workloads'], [`${home}/shop`]: ['workloads'] } });
    const total = async () => {
      const { text } = await world.get('/api/reports?from=30d&by=cluster');
      return (JSON.parse(text) as { total: { rollouts: number } }).total.rollouts;
    };
    const before = await total();
    await world.arrange({ ...scenario, rights: { [`${home}/shop`]: ['workloads'] } });
    expect(await total()).toBe(before / 2);
  });
});

describe('a viewer who can not list pods', () => {
  test('gets the state and the counts of a workload, and why the rest is not shown', async () => {
    const world = await open({}, { rights: { 'us/shop': ['workloads'] } });
    const page = await world.get('/api/workloads/deployments.apps/shop/cart?cluster=us');
    const { workload, partial } = JSON.parse(page.text) as {
      workload: Record<string, unknown>;
      partial: { resource: string; reason: string }[];
    };
    expect(workload).toMatchObject({
      state: 'stuck',
      message: '0 of 1 ready',
      blockers: [],
      pods: { desired: 1, ready: 0 },
      sentence:
        '0 of 1 pod is ready. What pods and events say about it is not shown: maja is not allowed to list pods in shop.',
    });
    expect(partial.map(({ resource }) => resource)).toEqual(['pods', 'events']);
    const list = JSON.parse((await world.get('/api/workloads?cluster=us')).text) as {
      items: { name: string; state: string; message: string }[];
      partial: { resource: string }[];
    };
    expect(list.items.find(({ name }) => name === 'cart')).toMatchObject({
      state: 'stuck',
      message: '0 of 1 ready',
    });
    expect(list.partial.map(({ resource }) => resource)).toContain('pods');
  });

  test('gets what pods say with the right to list them', async () => {
    const world = await open({}, { rights: { 'us/shop': ['workloads', 'pods', 'events'] } });
    const page = await world.get('/api/workloads/deployments.apps/shop/cart?cluster=us');
    expect(page.text).toContain(world.place.podMarker);
  });
});
