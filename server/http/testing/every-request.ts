import { type RouteKey, routes } from '@/lib/api/routes';
import { fillTemplate, partsOfKey } from '@/lib/route-key';
import type { Place } from '@/server/http/testing/marked-place';
import { home, others, type RightsWorld } from '@/server/http/testing/rights-world';

/** A request of the table of routes. */
export interface PlannedRequest {
  route: RouteKey;
  method: string;
  url: string;
  body: unknown;
  /** The place that its path names; null where it names none. */
  place: Place | null;
  /** The parts of its path, which an error may repeat. */
  asked: readonly string[];
  /** Whether its query chooses clusters. */
  isNarrowed: boolean;
}

/** What a request needs to know of a place besides its names. */
export interface PlaceFacts {
  comment: string;
  /** Of the workload, and of its rollout. */
  seen: string;
  seenRollout: string;
}

const filters = (place: Place | null) => [
  '',
  `cluster=${home}`,
  'stage=staging',
  'stage=production',
  ...(place === null
    ? others.map((name) => `cluster=${name}`)
    : [`cluster=${place.cluster}`, `cluster=${place.id}`]),
];

/** Parameters without which a route does not answer, or answers little. */
const queries: Partial<Record<RouteKey, readonly string[]>> = {
  'GET /api/workloads/{resource}/{namespace}/{name}/diff': ['from=1&to=2&yaml=1'],
  'GET /api/workloads/{resource}/{namespace}/{name}/pods/{pod}/logs': ['container=app'],
  'GET /api/records/{id}': ['', 'format=rollouthistory'],
  'GET /api/review': ['age=0m'],
  'GET /api/reports': [
    'from=30d&by=namespace',
    'rows=1&from=30d',
    'format=csv&from=30d',
    'format=md&from=30d',
  ],
  'GET /api/timeline': ['from=30d'],
  'GET /api/activity': ['', 'format=csv', 'all=1'],
};

type Write = { [K in RouteKey]: (typeof routes)[K]['body'] extends undefined ? never : K }[RouteKey];

const control = ({ seen }: PlaceFacts) => ({ seen });
const controlRollout = ({ seenRollout }: PlaceFacts) => ({ seen: seenRollout });

/** A valid body of every write: one that is missing is an error of the compiler. */
const bodies: Record<Write, (facts: PlaceFacts, place: Place) => unknown> = {
  'POST /api/workloads/{resource}/{namespace}/{name}/rollback': ({ seen }) => ({ seen, to: 1 }),
  'POST /api/workloads/{resource}/{namespace}/{name}/pause': control,
  'POST /api/workloads/{resource}/{namespace}/{name}/resume': control,
  'POST /api/workloads/{resource}/{namespace}/{name}/restart': control,
  'POST /api/workloads/{resource}/{namespace}/{name}/releaseFields': control,
  'POST /api/workloads/{resource}/{namespace}/{name}/partition': ({ seen }) => ({ seen, to: 1 }),
  'POST /api/workloads/{resource}/{namespace}/{name}/pods/{pod}/delete': ({ seen }, { podMarker }) => ({
    seen,
    uid: `uid-${podMarker}`,
  }),
  'POST /api/rollouts/{resource}/{namespace}/{name}/approve': controlRollout,
  'POST /api/rollouts/{resource}/{namespace}/{name}/jump': ({ seenRollout }) => ({
    seen: seenRollout,
    step: 1,
  }),
  'POST /api/rollouts/{resource}/{namespace}/{name}/pause': controlRollout,
  'POST /api/rollouts/{resource}/{namespace}/{name}/resume': controlRollout,
  'POST /api/rollouts/{resource}/{namespace}/{name}/disable': controlRollout,
  'POST /api/rollouts/{resource}/{namespace}/{name}/enable': controlRollout,
  'POST /api/rollouts/{resource}/{namespace}/{name}/promoteFull': controlRollout,
  'POST /api/rollouts/{resource}/{namespace}/{name}/abort': controlRollout,
  'POST /api/rollouts/{resource}/{namespace}/{name}/retry': controlRollout,
  'POST /api/rollouts/{resource}/{namespace}/{name}/restart': controlRollout,
  'POST /api/rollouts/{resource}/{namespace}/{name}/rollback': controlRollout,
  'POST /api/rollouts/{resource}/{namespace}/{name}/delete': controlRollout,
  'PUT /api/records/{id}/review': () => ({ verdict: 'bad', comment: 'no', followUp: null, ifVersion: 0 }),
  'PUT /api/review': () => ({ verdict: 'bad', comment: 'no', records: [{ id: 'r1', ifVersion: 0 }] }),
  'POST /api/records/{id}/comments': () => ({ body: 'hello', path: null, answers: null }),
  'PUT /api/records/{id}/comments/{comment}': () => ({ body: 'hello again' }),
  'PUT /api/records/{id}/pin': () => ({ pinned: true }),
  'POST /api/clusters/{name}/accept': (_, { id }) => ({ refusal: { kind: 'changed', id, formerId: 'uid' } }),
  'PUT /api/preferences': () => ({ views: [], defaultView: null, ifVersion: 0 }),
  'POST /api/session': () => ({ localKey: 'x' }),
};

/** Every route of the table, for each place, with and without parameters that choose clusters. */
export function everyRequest(
  places: readonly Place[],
  factsOf: ReadonlyMap<Place, PlaceFacts>,
): PlannedRequest[] {
  return (Object.keys(routes) as RouteKey[]).flatMap((route) => {
    const { template } = partsOfKey(route);
    const of = template.includes('{') ? places : [null];
    return of.flatMap((place) => requestsOf(route, place, place === null ? undefined : factsOf.get(place)));
  });
}

function requestsOf(route: RouteKey, place: Place | null, facts: PlaceFacts | undefined): PlannedRequest[] {
  const { method, template } = partsOfKey(route);
  const params = place === null || facts === undefined ? {} : paramsOf(template, place, facts);
  const path = fillTemplate(template, params);
  const [somewhere] = place === null ? [noPlace] : [place];
  const body =
    routes[route].body === undefined ? undefined : bodies[route as Write](facts ?? noFacts, somewhere);
  return (queries[route] ?? ['']).flatMap((query) =>
    filters(place).map((filter) => ({
      route,
      method,
      body,
      place,
      isNarrowed: filter !== '',
      url: `${path}?${[query, filter].filter(Boolean).join('&')}`,
      asked: Object.values(params),
    })),
  );
}

const noFacts: PlaceFacts = { comment: '', seen: '', seenRollout: '' };
const noPlace = { podMarker: '' } as Place;

/** Throws for a parameter that no place has a value for: a new route needs one here. */
function paramsOf(template: string, place: Place, { comment }: PlaceFacts): Record<string, string> {
  const { cluster, namespace, marker, podMarker, action } = place;
  const isRollout = template.startsWith('/api/rollouts/');
  const names: Record<string, string> = {
    clusters: cluster,
    rollouts: `rollout-${marker}`,
    rollouthistories: `history-${marker}`,
  };
  const name = names[template.split('/')[2] ?? ''] ?? 'cart';
  const values: Record<string, string> = {
    resource: isRollout ? 'rollouts.rollouts.kruise.io' : 'deployments.apps',
    namespace,
    name,
    revision: '1',
    pod: `cart-${podMarker}`,
    comment,
    id: template.startsWith('/api/actions/') ? action : `record-${marker}`,
  };
  const params = [...template.matchAll(/\{(\w+)\}/g)].map(([, found = '']) => found);
  return Object.fromEntries(
    params.map((each) => {
      const value = values[each];
      if (value === undefined) throw new Error(`No place has a ${each}, which ${template} needs.`);
      return [each, value];
    }),
  );
}

/** Sends it; of a stream the first part is read. */
export async function send(
  { serve }: Pick<RightsWorld, 'serve'>,
  { method, url, body }: Pick<PlannedRequest, 'method' | 'url' | 'body'>,
): Promise<{ status: number; text: string }> {
  const headers = { host: 'localhost:8440', 'content-type': 'application/json' };
  const request = new Request(`http://localhost:8440${url}`, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const response = await serve(request);
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
    return { status: response.status, text: await response.text() };
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return { status: response.status, text: new TextDecoder().decode(first?.value) };
}
