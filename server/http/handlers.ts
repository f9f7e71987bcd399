import 'server-only';
import { type z } from 'zod';
import { type Answer } from '@/lib/api/common';
import { openApiDocument } from '@/lib/api/openapi';
import { type RouteKey, type Routes } from '@/lib/api/routes';
import { type RolloutActionName } from '@/lib/api/action-values';
import { jsonAnswer } from '@/server/http/http-answer';
import { listActivity } from '@/server/reads/activity';
import { activityCsvAnswer, exportActivity } from '@/server/reads/activity-export';
import { archiveAnswer } from '@/server/reads/archive-access';
import { clusterInfo, streamState } from '@/server/reads/cluster';
import { diffRevisions } from '@/server/reads/diff';
import { workloadOrIncarnation } from '@/server/reads/earlier-incarnation';
import { readFleetTimeline } from '@/server/reads/fleet-timeline';
import { listWorkloads } from '@/server/reads/list-workloads';
import { revisionManifest } from '@/server/reads/manifest';
import { notificationTargets } from '@/server/reads/notifications';
import { podLogs, workloadEvents, workloadPods } from '@/server/reads/pods';
import { listRecords, readRecord, readRecordAsRolloutHistory } from '@/server/reads/records';
import { readReport } from '@/server/reads/report';
import { reportAnswer } from '@/server/reads/report-answer';
import { readFollowUps, readReviewQueue } from '@/server/reads/review-queue';
import { revisionBody, toYaml } from '@/server/reads/revision-body';
import { diffOfRollout } from '@/server/reads/rollout-diff';
import { listRolloutHistories, readRolloutHistory } from '@/server/reads/rollout-histories';
import { listRollouts, readRollout } from '@/server/reads/rollouts';
import { workloadTrack } from '@/server/reads/track';
import { visibleKeys } from '@/server/reads/visible-keys';
import { addComment, editComment, pinRecord, saveVerdict } from '@/server/reviews/reviews';
import { type ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { type Runtime } from '@/server/runtime/runtime';
import { version } from '@/server/shared/version';
import { type Viewer } from '@/server/shared/viewer';

/** A request that has passed the checks of its route. */
interface Call<K extends RouteKey>
  extends Runtime, Pick<ClusterRuntime, 'cluster' | 'reads' | 'actions' | 'controllers' | 'recorderState'> {
  request: Request;
  viewer: Viewer;
  params: z.output<Routes[K]['path']>;
  query: z.output<Routes[K]['query']>;
  body: Routes[K]['body'] extends infer Body extends z.core.$ZodType ? z.output<Body> : undefined;
}

/** Who is answered. What a viewer may see and do is decided by the API server, object by object. */
export type Rights = 'anyone' | 'viewer' | 'writer';

export interface Handler<R extends Rights, C, A> {
  rights: R;
  handle: (call: C) => A | Promise<A>;
}

/** A Response is sent as it is: of another media type, or another status. */
type Handlers = {
  [K in RouteKey]: Handler<
    Routes[K]['body'] extends undefined ? 'anyone' | 'viewer' : 'writer',
    Call<K>,
    Answer<Routes[K]['answer']> | Response
  >;
};

/** What each route does, and for whom. */
export const handlers = {
  'GET /api/cluster': viewers((call) => clusterInfo(call, call.viewer)),
  'GET /api/workloads': viewers(({ reads, viewer, query }) => listWorkloads(reads, viewer, query)),
  'GET /api/workloads/{resource}/{namespace}/{name}': viewers(({ reads, viewer, params, query }) =>
    workloadOrIncarnation(reads, viewer, params, query.uid),
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/track': viewers(({ reads, viewer, params, query }) =>
    workloadTrack(reads, viewer, params, query),
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/revisions/{revision}': viewers(
    async ({ reads, viewer, params, request }) => {
      const body = await revisionBody(reads, viewer, params, params.revision);
      if (!request.headers.get('accept')?.includes('application/yaml')) return body;
      return new Response(toYaml(body.template), {
        headers: { 'content-type': 'application/yaml; charset=utf-8' },
      });
    },
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/revisions/{revision}/manifest': viewers(
    ({ reads, viewer, params }) => revisionManifest(reads, viewer, params, params.revision),
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/diff': viewers(
    ({ reads, viewer, params, query: { from, to, yaml } }) =>
      diffRevisions(reads, viewer, params, { from, to, yaml: yaml === '1' }),
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/pods': viewers(({ reads, viewer, params }) =>
    workloadPods(reads, viewer, params),
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/events': viewers(({ reads, viewer, params }) =>
    workloadEvents(reads, viewer, params),
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/pods/{pod}/logs': viewers(
    ({ reads, viewer, params, query: { container, previous } }) =>
      podLogs(reads, viewer, params, { pod: params.pod, container, previous: previous === '1' }),
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/actions': viewers(
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
  'POST /api/workloads/{resource}/{namespace}/{name}/partition': writers(
    ({ actions, viewer, params, body }) => actions.partition(viewer, params, body),
  ),
  'POST /api/workloads/{resource}/{namespace}/{name}/pods/{pod}/delete': writers(
    ({ actions, viewer, params: { pod, ...ref }, body }) => actions.deletePod(viewer, ref, pod, body),
  ),
  'GET /api/actions/{id}': viewers(({ actions, viewer, params }) => actions.get(viewer, params.id)),

  'GET /api/rollouts': viewers(({ reads, viewer, query }) => listRollouts(reads, viewer, query)),
  'GET /api/rollouts/{resource}/{namespace}/{name}': viewers(({ reads, viewer, params }) =>
    readRollout(reads, viewer, params),
  ),
  'GET /api/rollouts/{resource}/{namespace}/{name}/diff': viewers(({ reads, viewer, params }) =>
    diffOfRollout(reads, viewer, params),
  ),
  'GET /api/rollouts/{resource}/{namespace}/{name}/actions': viewers(async ({ actions, viewer, params }) => ({
    items: await actions.list(viewer, params),
  })),
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
  'GET /api/rollouthistories': viewers(({ reads, viewer, query }) =>
    listRolloutHistories(reads, viewer, query),
  ),
  'GET /api/rollouthistories/{namespace}/{name}': viewers(({ reads, viewer, params }) =>
    readRolloutHistory(reads, viewer, params),
  ),

  'GET /api/records': viewers(({ reads, viewer, query }) => listRecords(reads, viewer, query)),
  'GET /api/records/{id}': viewers(async ({ reads, viewer, params: { id }, query }) =>
    query.format === 'rollouthistory'
      ? jsonAnswer(await readRecordAsRolloutHistory(reads, viewer, id))
      : readRecord(reads, viewer, id),
  ),
  'PUT /api/records/{id}/review': writers(({ reads, viewer, params, body }) =>
    saveVerdict(reads, viewer, params.id, body),
  ),
  'POST /api/records/{id}/comments': writers(({ reads, viewer, params, body }) =>
    addComment(reads, viewer, params.id, body),
  ),
  'PUT /api/records/{id}/comments/{comment}': writers(({ reads, viewer, params, body }) =>
    editComment(reads, viewer, params.id, params.comment, body),
  ),
  'PUT /api/records/{id}/pin': writers(({ reads, viewer, params, body }) =>
    pinRecord(reads, viewer, params.id, body.pinned),
  ),
  'GET /api/review': viewers(({ reads, viewer, query }) => readReviewQueue(reads, viewer, query)),
  'GET /api/review/follow-ups': viewers(({ reads, viewer }) => readFollowUps(reads, viewer)),
  'GET /api/reports': viewers(async ({ reads, viewer, query }) =>
    reportAnswer(await readReport(reads, viewer, query), query.format),
  ),
  'GET /api/timeline': viewers(({ reads, viewer, query }) => readFleetTimeline(reads, viewer, query)),
  'GET /api/archive': viewers(({ reads }) => archiveAnswer(reads)),
  'GET /api/activity': viewers(async ({ reads, actions, journal, viewer, query }) => {
    const source = { latest: () => actions.latest(), settled: () => journal.settled() };
    if (query.format === 'csv') {
      return activityCsvAnswer(await exportActivity(reads, viewer, source, query), reads.now());
    }
    const list = query.all === '1' ? exportActivity : listActivity;
    return {
      ...(await list(reads, viewer, source, query)),
      notifications: await notificationTargets(reads),
    };
  }),

  'GET /api/stream': viewers(({ cluster, reads, hub, viewer, request }) => {
    const stream = hub.open(
      viewer,
      (keys) => visibleKeys(cluster, viewer, keys),
      request.headers.get('last-event-id'),
      { event: 'state', data: streamState(cluster, viewer, reads.keys.mask) },
      request.signal,
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
  /** 200 once every cache is filled or known to be forbidden, and from then on; staleness is in the answers. */
  'GET /api/readyz': anyone(({ cluster }) => {
    const waiting = cluster.cache.states().filter((state) => !state.synced);
    const body = { ready: cluster.ready, waitingFor: waiting.map(({ resource }) => resource) };
    return Response.json(body, { status: cluster.ready ? 200 : 503 });
  }),
  'GET /api/openapi.json': anyone(() => ({ ...openApiDocument(version) })),
  'GET /metrics': anyone(
    async ({ metrics }) =>
      new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } }),
  ),
} satisfies Handlers;

function anyone<C, A>(handle: (call: Omit<C, 'viewer'>) => A | Promise<A>): Handler<'anyone', C, A> {
  return { rights: 'anyone', handle };
}

function viewers<C, A>(handle: (call: C) => A | Promise<A>): Handler<'viewer', C, A> {
  return { rights: 'viewer', handle };
}

function writers<C, A>(handle: (call: C) => A | Promise<A>): Handler<'writer', C, A> {
  return { rights: 'writer', handle };
}

type RolloutActionRoute = `POST /api/rollouts/{resource}/{namespace}/{name}/${RolloutActionName}`;

function rolloutAction(action: RolloutActionName) {
  return writers(({ actions, viewer, params, body }: Call<RolloutActionRoute>) =>
    actions.rollout(viewer, params, action, body),
  );
}
