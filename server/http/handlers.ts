import 'server-only';
import type { z } from 'zod';
import type { Answer } from '@/lib/api/common';
import { openApiDocument } from '@/lib/api/openapi';
import type { RouteKey, Routes } from '@/lib/api/routes';
import type { RolloutActionName } from '@/lib/api/action-values';
import { jsonAnswer } from '@/server/http/http-answer';
import { listActivity, activityCsvAnswer, exportActivity } from '@/server/reads/activity';
import { listActivityEvents } from '@/server/reads/activity-events';
import { archiveAnswer, clusterNames } from '@/server/views/archive-access';
import type { Fleet } from '@/server/views/fleet';
import { diffRevisions } from '@/server/reads/diff';
import { workloadOrIncarnation } from '@/server/reads/earlier-incarnation';
import { readFleetTimeline } from '@/server/reads/fleet-timeline';
import { listWorkloads } from '@/server/reads/list-workloads';
import { revisionManifest } from '@/server/reads/manifest';
import { notificationTargets } from '@/server/reads/notifications';
import { listPeople } from '@/server/reads/people';
import { readPreferences, savePreferences } from '@/server/reviews/preferences';
import { podLogs, workloadEvents, workloadPods } from '@/server/reads/pods';
import { listRecords, readRecord, readRecordAsRolloutHistory } from '@/server/reads/records';
import { readReport, reportAnswer } from '@/server/reads/report';
import { readFollowUps, readReviewQueue } from '@/server/reads/review-queue';
import { revisionBody, toYaml } from '@/server/reads/revision-body';
import { diffOfRollout } from '@/server/views/rollout-diff';
import { listRolloutHistories, readRolloutHistory } from '@/server/reads/rollout-histories';
import { listRollouts, readRollout } from '@/server/reads/rollouts';
import { workloadTrack } from '@/server/reads/track';
import { addComment, editComment, pinRecord, saveVerdict, saveVerdicts } from '@/server/reviews/reviews';
import { bearerOf, signedOut } from '@/server/identity/identity';
import { acceptCluster } from '@/server/runtime/accept-cluster';
import type { ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { listClusters } from '@/server/runtime/fleet';
import { identityOf } from '@/server/runtime/identity-answer';
import type { Runtime } from '@/server/runtime/runtime';
import { version } from '@/server/shared/version';
import { senderOf, sessionOf, withCookies } from '@/server/http/session-answer';
import { accessKeyOf, type Person, type Viewer } from '@/server/shared/viewer';

/** A request that has passed the checks of its route. */
interface Call<K extends RouteKey> extends Runtime {
  request: Request;
  person: Person;
  params: z.output<Routes[K]['path']>;
  query: z.output<Routes[K]['query']>;
  body: Routes[K]['body'] extends infer Body extends z.core.$ZodType ? z.output<Body> : undefined;
}

/** Who is answered. What a viewer may see and do is decided by the API server, object by object. */
export type Rights = 'anyone' | 'viewer' | 'writer';

/** What the answer is about: an object, which is in one cluster; a list over clusters; or the process. */
export type HandlerScope = 'object' | 'fleet' | 'process';

export interface Handler<R extends Rights, S extends HandlerScope, C, A> {
  rights: R;
  scope: S;
  handle: (call: C) => A | Promise<A>;
}

/** Sign-in and sign-out. */
type SessionRoute = `${'GET' | 'POST' | 'DELETE'} /api/session`;

/** What people set for themselves: it is no change that others see. */
type OwnRoute = `${'GET' | 'PUT'} /api/preferences`;

/** Routes that are about no cluster, or about all whatever the query. */
type ProcessRoute =
  | SessionRoute
  | OwnRoute
  | `GET /api/${'clusters' | 'identity' | 'people' | 'actions/{id}' | 'stream' | 'healthz' | 'readyz' | 'support' | 'openapi.json'}`
  | 'POST /api/clusters/{name}/accept'
  | 'GET /metrics';

type ScopeOf<K extends RouteKey> = K extends `${string}/{namespace}/{name}${string}` | 'GET /api/cluster'
  ? 'object'
  : K extends ProcessRoute
    ? 'process'
    : 'fleet';

/** A request with what the scope of its route adds; of an object, the `person` as its cluster knows them. */
type CallOf<K extends RouteKey> = Call<K> &
  {
    object: Pick<ClusterRuntime, 'entry' | 'reads' | 'actions'> & { viewer: Viewer };
    fleet: { fleet: Fleet };
    process: unknown;
  }[ScopeOf<K>];

/** A Response is sent as it is: of another media type, or another status. */
type Handlers = {
  [K in RouteKey]: Handler<
    K extends SessionRoute
      ? 'anyone'
      : K extends OwnRoute
        ? 'viewer'
        : Routes[K]['body'] extends undefined
          ? 'anyone' | 'viewer'
          : 'writer',
    ScopeOf<K>,
    CallOf<K>,
    Answer<Routes[K]['answer']> | Response
  >;
};

/** What each route does, and for whom. */
export const handlers = {
  'GET /api/clusters': viewers((call) => listClusters(call, call.person)),
  'POST /api/clusters/{name}/accept': clusterChanges(async (call) => {
    await acceptCluster(call, call.person, call.params.name, call.body);
    return listClusters(call, call.person);
  }),
  'GET /api/cluster': ofObject(({ entry, clusters, viewer }) => clusters.named(entry.name).infoFor(viewer)),
  'GET /api/workloads': ofFleet(({ fleet, query }) => listWorkloads(fleet, query)),
  'GET /api/workloads/{resource}/{namespace}/{name}': ofObject(({ reads, viewer, params, query }) =>
    workloadOrIncarnation(reads, viewer, params, query.uid),
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/track': ofObject(({ reads, viewer, params, query }) =>
    workloadTrack(reads, viewer, params, query),
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/revisions/{revision}': ofObject(
    async ({ reads, viewer, params, request }) => {
      const body = await revisionBody(reads, viewer, params, params.revision);
      if (!request.headers.get('accept')?.includes('application/yaml')) return body;
      return new Response(toYaml(body.template), {
        headers: { 'content-type': 'application/yaml; charset=utf-8' },
      });
    },
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/revisions/{revision}/manifest': ofObject(
    ({ reads, viewer, params }) => revisionManifest(reads, viewer, params, params.revision),
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/diff': ofObject(
    ({ clusters, reads, person, viewer, params, query: { from, to, yaml } }) =>
      diffRevisions(reads, viewer, params, { from, to, yaml: yaml === '1' }, (name) =>
        clusters.named(name).viewedBy(person),
      ),
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/pods': ofObject(({ reads, viewer, params }) =>
    workloadPods(reads, viewer, params),
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/events': ofObject(({ reads, viewer, params }) =>
    workloadEvents(reads, viewer, params),
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/pods/{pod}/logs': ofObject(
    ({ reads, viewer, params, query: { container, previous } }) =>
      podLogs(reads, viewer, params, { pod: params.pod, container, previous: previous === '1' }),
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/actions': ofObject(
    async ({ actions, viewer, params }) => ({ items: await actions.list(viewer, params) }),
  ),
  'POST /api/workloads/{resource}/{namespace}/{name}/rollback': writers(({ actions, viewer, params, body }) =>
    actions.rollback(viewer, params, body),
  ),
  'POST /api/workloads/{resource}/{namespace}/{name}/pause': writers(({ actions, viewer, params, body }) =>
    actions.control(viewer, params, 'pause', body),
  ),
  'POST /api/workloads/{resource}/{namespace}/{name}/resume': writers(({ actions, viewer, params, body }) =>
    actions.control(viewer, params, 'resume', body),
  ),
  'POST /api/workloads/{resource}/{namespace}/{name}/restart': writers(({ actions, viewer, params, body }) =>
    actions.control(viewer, params, 'restart', body),
  ),
  'POST /api/workloads/{resource}/{namespace}/{name}/releaseFields': writers(
    ({ actions, viewer, params, body }) => actions.releaseFields(viewer, params, body),
  ),
  'POST /api/workloads/{resource}/{namespace}/{name}/partition': writers(
    ({ actions, viewer, params, body }) => actions.partition(viewer, params, body),
  ),
  'POST /api/workloads/{resource}/{namespace}/{name}/pods/{pod}/delete': writers(
    ({ actions, viewer, params: { pod, ...ref }, body }) => actions.deletePod(viewer, ref, pod, body),
  ),
  'GET /api/actions/{id}': viewers(({ clusters, person, params }) => clusters.action(person, params.id)),

  'GET /api/rollouts': ofFleet(({ fleet, query }) => listRollouts(fleet, query)),
  'GET /api/rollouts/{resource}/{namespace}/{name}': ofObject(({ reads, viewer, params }) =>
    readRollout(reads, viewer, params),
  ),
  'GET /api/rollouts/{resource}/{namespace}/{name}/diff': ofObject(({ reads, viewer, params }) =>
    diffOfRollout(reads, viewer, params),
  ),
  'GET /api/rollouts/{resource}/{namespace}/{name}/actions': ofObject(
    async ({ actions, viewer, params }) => ({
      items: await actions.list(viewer, params),
    }),
  ),
  'POST /api/rollouts/{resource}/{namespace}/{name}/approve': rolloutAction('approve'),
  'POST /api/rollouts/{resource}/{namespace}/{name}/jump': rolloutAction('jump'),
  'POST /api/rollouts/{resource}/{namespace}/{name}/pause': rolloutAction('pause'),
  'POST /api/rollouts/{resource}/{namespace}/{name}/resume': rolloutAction('resume'),
  'POST /api/rollouts/{resource}/{namespace}/{name}/disable': rolloutAction('disable'),
  'POST /api/rollouts/{resource}/{namespace}/{name}/enable': rolloutAction('enable'),
  'POST /api/rollouts/{resource}/{namespace}/{name}/promoteFull': rolloutAction('promoteFull'),
  'POST /api/rollouts/{resource}/{namespace}/{name}/abort': rolloutAction('abort'),
  'POST /api/rollouts/{resource}/{namespace}/{name}/retry': rolloutAction('retry'),
  'POST /api/rollouts/{resource}/{namespace}/{name}/restart': rolloutAction('restart'),
  'POST /api/rollouts/{resource}/{namespace}/{name}/rollback': rolloutAction('rollback'),
  'POST /api/rollouts/{resource}/{namespace}/{name}/delete': rolloutAction('delete'),
  'GET /api/rollouthistories': ofFleet(({ fleet, query }) => listRolloutHistories(fleet, query)),
  'GET /api/rollouthistories/{namespace}/{name}': ofObject(({ reads, viewer, params }) =>
    readRolloutHistory(reads, viewer, params),
  ),

  'GET /api/records': ofFleet(({ fleet, query }) => listRecords(fleet, query)),
  'GET /api/records/{id}': ofFleet(async ({ fleet, params: { id }, query }) =>
    query.format === 'rollouthistory'
      ? jsonAnswer(await readRecordAsRolloutHistory(fleet, id))
      : readRecord(fleet, id),
  ),
  'PUT /api/records/{id}/review': changes(({ fleet, params, body }) => saveVerdict(fleet, params.id, body)),
  'POST /api/records/{id}/comments': changes(({ fleet, params, body }) => addComment(fleet, params.id, body)),
  'PUT /api/records/{id}/comments/{comment}': changes(({ fleet, params, body }) =>
    editComment(fleet, params.id, params.comment, body),
  ),
  'PUT /api/records/{id}/pin': changes(({ fleet, params, body }) => pinRecord(fleet, params.id, body.pinned)),
  'GET /api/review': ofFleet(({ fleet, query }) => readReviewQueue(fleet, query)),
  'PUT /api/review': changes(({ fleet, body }) => saveVerdicts(fleet, body)),
  'GET /api/review/follow-ups': ofFleet(({ fleet, query }) => readFollowUps(fleet, query)),
  'GET /api/people': viewers(({ shared, person, query }) => listPeople(shared, person, query)),
  'GET /api/preferences': viewers(({ shared, person }) => readPreferences(shared, person)),
  'PUT /api/preferences': viewers(({ shared, person, body }) => savePreferences(shared, person, body)),
  'GET /api/reports': ofFleet(async ({ fleet, query }) =>
    reportAnswer(await readReport(fleet, query), query.format, clusterNames(fleet)),
  ),
  'GET /api/timeline': ofFleet(({ fleet, query }) => readFleetTimeline(fleet, query)),
  'GET /api/archive': ofFleet(({ fleet }) => archiveAnswer(fleet)),
  'GET /api/activity': ofFleet(async ({ fleet, clusters, journal, query }) => {
    const source = { latest: () => clusters.latestActions(), settled: () => journal.settled() };
    if (query.format === 'csv')
      return activityCsvAnswer(await exportActivity(fleet, source, query), clusterNames(fleet), fleet.now());
    const list = query.all === '1' ? exportActivity : listActivity;
    return { ...(await list(fleet, source, query)), notifications: await notificationTargets(fleet) };
  }),

  'GET /api/activity/events': ofFleet(({ fleet, journal, query }) =>
    listActivityEvents(fleet, () => journal.settled(), query),
  ),

  'GET /api/identity': viewers((call) => identityOf(call, call.person)),
  'GET /api/session': anyone(async (call) =>
    sessionOf(call, await senderOf(call.edge.identity, call.request)),
  ),
  'POST /api/session': anyone(async (call) => {
    const { person, cookies } = await call.edge.identity.signIn(call.request, call.body);
    return withCookies(jsonAnswer(sessionOf(call, { person, problem: null })), cookies);
  }),
  'DELETE /api/session': anyone(async (call) => {
    const { cookies, url = null } = await call.edge.identity.signOut(call.request);
    return withCookies(jsonAnswer(sessionOf(call, { person: null, problem: null }, url)), cookies);
  }),
  'GET /api/stream': viewers(({ clusters, hub, person, request, edge: { identity } }) => {
    // A renewal of the session brings another token.
    let current = person;
    const stream = hub.open(
      person,
      (keys) => clusters.visibleKeys(current, keys),
      request.headers.get('last-event-id'),
      { event: 'state', data: clusters.streamState(person) },
      request.signal,
      async () => {
        const { person: sender } = await senderOf(identity, request);
        current = sender ?? current;
        // With other groups the browser opens another stream.
        return sender !== null && accessKeyOf(sender) === accessKeyOf(person);
      },
    );
    return new Response(stream, {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      },
    });
  }),
  /** Does not depend on the cluster: an unreachable cluster is no reason to restart Shiplog. */
  'GET /api/healthz': anyone(() => ({ ok: true })),
  'GET /api/readyz': anyone(({ clusters, archiveKeeper }) => {
    const readiness = clusters.readiness(archiveKeeper.isTried);
    return Response.json(readiness, { status: readiness.ready ? 200 : 503 });
  }),
  /** Also where the provider that signs people in is away. */
  'GET /api/support': anyone(({ support, request }) => {
    if (support.accepts(bearerOf(request))) return support.report();
    throw signedOut(
      'This takes the local key in the data directory of Shiplog: npm run support-bundle sends it.',
    );
  }),
  'GET /api/openapi.json': viewers(() => ({ ...openApiDocument(version) })),
  'GET /metrics': viewers(
    async ({ metrics }) =>
      new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } }),
  ),
} satisfies Handlers;

type Work<C, A> = (call: C) => A | Promise<A>;

function anyone<C, A>(handle: Work<Omit<C, 'person'>, A>): Handler<'anyone', 'process', C, A> {
  return { rights: 'anyone', scope: 'process', handle };
}

function viewers<C, A>(handle: Work<C, A>): Handler<'viewer', 'process', C, A> {
  return { rights: 'viewer', scope: 'process', handle };
}

function ofObject<C, A>(handle: Work<C, A>): Handler<'viewer', 'object', C, A> {
  return { rights: 'viewer', scope: 'object', handle };
}

function ofFleet<C, A>(handle: Work<C, A>): Handler<'viewer', 'fleet', C, A> {
  return { rights: 'viewer', scope: 'fleet', handle };
}

/** Writes to the cluster of an object. */
function writers<C, A>(handle: Work<C, A>): Handler<'writer', 'object', C, A> {
  return { rights: 'writer', scope: 'object', handle };
}

/** Writes to the archive. */
function changes<C, A>(handle: Work<C, A>): Handler<'writer', 'fleet', C, A> {
  return { rights: 'writer', scope: 'fleet', handle };
}

/** Changes which clusters are read. */
function clusterChanges<C, A>(handle: Work<C, A>): Handler<'writer', 'process', C, A> {
  return { rights: 'writer', scope: 'process', handle };
}

type RolloutActionRoute = `POST /api/rollouts/{resource}/{namespace}/{name}/${RolloutActionName}`;

function rolloutAction(action: RolloutActionName) {
  return writers(({ actions, viewer, params, body }: CallOf<RolloutActionRoute>) =>
    actions.rollout(viewer, params, action, body),
  );
}
