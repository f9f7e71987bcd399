import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RouteKey } from '@/lib/api/routes';
import {
  everyRequest,
  type PlaceFacts,
  type PlannedRequest,
  send,
} from '@/server/http/testing/every-request';
import type { Place } from '@/server/http/testing/marked-place';
import {
  clusterStates,
  home,
  keyOf,
  nameless,
  namespaceRights,
  others,
  rightsWorld,
  type RightsWorld,
  type RightsScenario,
} from '@/server/http/testing/rights-world';

const resource = 'deployments.apps';
const everyRight: RightsScenario['rights'] = Object.fromEntries(
  [home, ...others].flatMap((cluster) =>
    ['shop', 'pay'].map((namespace) => [keyOf({ cluster, namespace }), namespaceRights]),
  ),
);
const everythingConnected: RightsScenario = {
  states: {},
  rights: everyRight,
  mayReadRemoved: true,
  hasGap: false,
};

async function open() {
  const world = await rightsWorld();
  await world.arrange(everythingConnected);
  const facts = new Map<Place, PlaceFacts>();
  for (const place of world.places) facts.set(place, await factsOf(world, place));
  return { world, requests: everyRequest(world.places, facts) };
}

async function factsOf(world: RightsWorld, place: Place): Promise<PlaceFacts> {
  const read = async (path: string) => {
    const { text } = await send(world, {
      method: 'GET',
      url: `${path}?cluster=${place.cluster}`,
      body: undefined,
    });
    return JSON.parse(text) as { workload: { seen: string }; rollout: { seen: string } };
  };
  const { namespace, marker } = place;
  const comments = await world.archive.reviews.comments(`record-${marker}`);
  return {
    comment: comments[0]?.id ?? '',
    seen: (await read(`/api/workloads/deployments.apps/${namespace}/cart`)).workload.seen,
    seenRollout: (await read(`/api/rollouts/rollouts.rollouts.kruise.io/${namespace}/rollout-${marker}`))
      .rollout.seen,
  };
}

/** Whether the person may see the records of a place, and what else there is of it. */
function isVisible({ states, rights, mayReadRemoved, hasGap }: RightsScenario, place: Place): boolean {
  switch (states[place.cluster] ?? 'connected') {
    case 'connected':
      return rights[keyOf(place)]?.includes('workloads') === true;
    case 'removed': {
      const isUndecided =
        place.cluster === nameless &&
        Object.values(states).some((state) => state === 'refused' || state === 'unidentified');
      return mayReadRemoved && !hasGap && !isUndecided;
    }
    case 'refused':
    case 'unidentified':
      return false;
  }
}

/** Who sees the records of a removed cluster at all sees all of them. */
function sees(scenario: RightsScenario, place: Place, part: 'pods' | 'events'): boolean {
  if (!isVisible(scenario, place)) return false;
  return (
    scenario.states[place.cluster] === 'removed' || scenario.rights[keyOf(place)]?.includes(part) === true
  );
}

function mayAdd({ states, rights }: RightsScenario, place: Place): boolean {
  const own = rights[keyOf(place)] ?? [];
  return (
    (states[place.cluster] ?? 'connected') === 'connected' &&
    own.includes('workloads') &&
    (own.includes('add') || own.includes('write'))
  );
}

function mayWrite({ states, rights }: RightsScenario, place: Place): boolean {
  return (
    (states[place.cluster] ?? 'connected') === 'connected' && rights[keyOf(place)]?.includes('write') === true
  );
}

/** All that people have added to the records of a place. */
async function additions({ archive }: RightsWorld, { marker }: Place): Promise<string> {
  const id = `record-${marker}`;
  const listed = await archive.rollouts.byId(id);
  return JSON.stringify([listed?.record.pinned, listed?.review, await archive.reviews.comments(id)]);
}

function writesOf({ clusters }: RightsWorld, { cluster, namespace }: Place): number {
  const requests = clusters.find(({ name }) => name === cluster)?.cluster.requests ?? [];
  return requests.filter(
    ({ method, path, query }) =>
      method !== 'GET' && query?.dryRun === undefined && path.includes(`/namespaces/${namespace}/`),
  ).length;
}

/** Sends the request, and holds that its answer shows nothing beyond the rights of the scenario. */
async function check(world: RightsWorld, scenario: RightsScenario, request: PlannedRequest): Promise<number> {
  const { status, text } = await send(world, request);
  // An error may repeat what the request named.
  const named = request.asked.filter((asked) => /\d/.test(asked));
  const shown = named.reduce((rest, asked) => rest.replaceAll(asked, ''), text);
  const hidden = world.places.flatMap((place) => [
    ...(isVisible(scenario, place) ? [] : [place.marker]),
    ...(sees(scenario, place, 'pods') ? [] : [place.podMarker]),
    ...(sees(scenario, place, 'events') ? [] : [place.eventMarker]),
  ]);
  const leaked = hidden.filter((marker) => shown.includes(marker));
  const told = `${request.method} ${request.url} → ${status} ${text} with ${JSON.stringify(scenario)}`;
  if (leaked.length > 0) expect.fail(`${leaked.join(', ')} in ${told}`);
  return status;
}

/** Sends them, and holds besides that they change nothing beyond the rights of the scenario. */
async function checkAll(
  world: RightsWorld,
  scenario: RightsScenario,
  requests: readonly PlannedRequest[],
): Promise<void> {
  await world.arrange(scenario);
  const closed = world.places.filter((place) => !mayAdd(scenario, place));
  const readOnly = world.places.filter((place) => !mayWrite(scenario, place));
  const state = async () => ({
    additions: await Promise.all(closed.map((place) => additions(world, place))),
    writes: readOnly.map((place) => writesOf(world, place)),
  });
  const before = await state();
  for (const request of requests) await check(world, scenario, request);
  expect(await state()).toEqual(before);
}

const state = fc.constantFrom(...clusterStates);
const scenarios: fc.Arbitrary<RightsScenario> = fc.record({
  states: fc.record(Object.fromEntries(others.map((name) => [name, state]))),
  rights: fc.record(
    Object.fromEntries(Object.keys(everyRight).map((key) => [key, fc.subarray([...namespaceRights])])),
  ),
  mayReadRemoved: fc.boolean(),
  hasGap: fc.boolean(),
});

test('for any rights and any state of the clusters, no request shows or changes anything beyond the rights', async () => {
  const { world, requests } = await open();
  const some = fc.array(fc.constantFrom(...requests), { minLength: 10, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(scenarios, some, async (scenario, chosen) => {
      await checkAll(world, scenario, chosen);
    }),
  );
});

const onlyHome = Object.fromEntries(Object.entries(everyRight).filter(([key]) => key.startsWith(`${home}/`)));
const everyRemoved = Object.fromEntries(others.map((name) => [name, 'removed' as const]));

const strictest: readonly (readonly [string, RightsScenario])[] = [
  [
    'without that right, nothing of removed ones',
    { ...everythingConnected, states: everyRemoved, rights: onlyHome, mayReadRemoved: false },
  ],
  [
    'nothing of removed ones while a part of the configuration is unknown',
    { ...everythingConnected, states: everyRemoved, rights: onlyHome, hasGap: true },
  ],
  [
    'with a right to workloads alone, nothing of pods and events',
    {
      ...everythingConnected,
      rights: Object.fromEntries(
        Object.keys(everyRight).map((key) => [key, ['workloads', 'write'] as const]),
      ),
    },
  ],
];

test('every request: with the right to removed clusters, nothing of those that are configured, whatever it chooses', async () => {
  const { world, requests } = await open();
  const states = { us: 'connected', ap: 'refused', sa: 'unidentified' } as const;
  await checkAll(world, { ...everythingConnected, states, rights: onlyHome }, requests);
});

test.each(strictest)('every request: %s', async (_, scenario) => {
  const { world, requests } = await open();
  // Without parameters, and with the cluster of the place: the others are among the random ones.
  const some = requests.filter(
    ({ isNarrowed, url, place }) => !isNarrowed || url.endsWith(`cluster=${place?.cluster ?? home}`),
  );
  await checkAll(world, scenario, some);
});

test('for any rights, the counts and the keys of the stream are those of the namespaces that the person can read', async () => {
  const { world } = await open();
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      await world.arrange(scenario);
      const isLive = ({ cluster }: Place) => (scenario.states[cluster] ?? 'connected') === 'connected';
      const live = world.places.filter((place) => isLive(place) && isVisible(scenario, place));
      const { text } = await send(world, { method: 'GET', url: '/api/workloads', body: undefined });
      const { counts } = JSON.parse(text) as { counts: { total: number } };
      // Each has two workloads.
      expect(counts.total).toBe(2 * live.length);
      const keyAt = ({ id, namespace }: Place) => ({ cluster: id, resource, namespace, name: 'cart' });
      const keys = world.places.map(keyAt);
      const told = world.running.clusters.visibleKeys(world.person, keys);
      const isUnknown = Object.values(scenario.states).includes('unidentified');
      const shown = await (isUnknown ? told.catch(() => null) : told);
      if (shown !== null) expect(shown).toEqual(live.map(keyAt));
    }),
    { numRuns: 30 },
  );
});

/** Routes that have nothing of a place, or not for everyone who is signed in. */
const withoutPlaces: readonly RouteKey[] = [
  'GET /api/archive',
  'GET /api/cluster',
  'GET /api/clusters',
  'GET /api/healthz',
  'GET /api/identity',
  'GET /api/openapi.json',
  'GET /api/people',
  'GET /api/preferences',
  'GET /api/readyz',
  'GET /api/session',
  'GET /api/stream',
  'GET /api/support',
  'GET /metrics',
  // Its source revision is in no test.
  'GET /api/rollouts/{resource}/{namespace}/{name}/diff',
];

test('with every right, each request that reads has something of its place', async () => {
  const { world, requests } = await open();
  const reads = requests.filter(({ method, isNarrowed }) => method === 'GET' && !isNarrowed);
  for (const { route, url, place, body } of reads) {
    if (withoutPlaces.includes(route)) continue;
    const where =
      place === null || url.includes('/records/') || url.includes('/actions/')
        ? ''
        : `&cluster=${place.cluster}`;
    const { status, text } = await send(world, { method: 'GET', url: `${url}${where}`, body });
    expect(status, `${url}${where} ${text}`).toBe(200);
    // Figures by namespace name nothing else.
    for (const each of place === null && !url.includes('by=') ? world.places : [])
      expect(text, url).toContain(each.marker);
  }
});

test('with every right, each request that adds to a record does so', async () => {
  const { world, requests } = await open();
  const adding = requests.filter(
    ({ route, method, isNarrowed }) => method !== 'GET' && route.includes('/records/') && !isNarrowed,
  );
  expect(adding.length).toBe(4 * world.places.length);
  for (const request of adding) {
    const { place } = request;
    if (place === null) throw new Error('no place');
    const before = await additions(world, place);
    expect(await check(world, everythingConnected, request), request.url).toBe(200);
    expect(await additions(world, place)).not.toBe(before);
  }
});
