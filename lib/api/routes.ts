import { z } from 'zod';
import type { Immutable } from '@/lib/immutable';
import { actionListSchema, actionSchema } from '@/lib/api/action';
import {
  controlRequestSchema,
  partitionRequestSchema,
  podDeleteRequestSchema,
  rollbackRequestSchema,
} from '@/lib/api/actions';
import { activityEventsQuerySchema, activityEventsSchema } from '@/lib/api/activity-event';
import { activityQuerySchema, activitySchema } from '@/lib/api/activity';
import { acceptRequestSchema, clusterListSchema, clusterSchema } from '@/lib/api/cluster';
import { inCluster, nameSchema, ofClusters, revisionRefSchema } from '@/lib/api/common';
import { diffQuerySchema, diffSchema } from '@/lib/api/diff';
import {
  commentEditSchema,
  commentRequestSchema,
  commentItemSchema,
  bulkReviewAnswerSchema,
  bulkReviewRequestSchema,
  reviewAnswerSchema,
  reviewRequestSchema,
} from '@/lib/api/review';
import {
  archiveSchema,
  pinRequestSchema,
  recordFormatQuerySchema,
  recordItemSchema,
  recordListQuerySchema,
  recordListSchema,
  recordSchema,
} from '@/lib/api/records';
import { preferencesRequestSchema, preferencesSchema } from '@/lib/api/preferences';
import { peopleQuerySchema, peopleSchema } from '@/lib/api/people';
import { reportQuerySchema, reportSchema } from '@/lib/api/reports';
import {
  followUpListSchema,
  followUpsQuerySchema,
  reviewQueueQuerySchema,
  reviewQueueSchema,
} from '@/lib/api/review-queue';
import {
  approvalRequestSchema,
  deletionRequestSchema,
  jumpRequestSchema,
  progressiveRollbackSchema,
  rolloutControlSchema,
} from '@/lib/api/rollout-actions';
import { rolloutDetailSchema, rolloutListQuerySchema, rolloutListSchema } from '@/lib/api/rollouts';
import { act, change, objectQuery, read, workloadPath } from '@/lib/api/route';
import { identitySchema } from '@/lib/api/identity';
import { sessionSchema, signInRequestSchema } from '@/lib/api/session';
import { readinessSchema, supportSchema } from '@/lib/api/support';
import { timelineQuerySchema, timelineSchema } from '@/lib/api/timeline';
import { workloadDetailSchema, workloadListQuerySchema, workloadListSchema } from '@/lib/api/workloads';
import {
  earlierIncarnationSchema,
  incarnationQuerySchema,
  podTrackSchema,
  trackQuerySchema,
} from '@/lib/api/earlier-incarnation';
import { eventListSchema, logTailSchema, podListSchema } from '@/lib/api/pods';
import { revisionBodySchema, revisionManifestSchema } from '@/lib/api/revisions';
import {
  kruiseRolloutHistorySchema,
  rolloutHistoryDetailSchema,
  rolloutHistoryListQuerySchema,
  rolloutHistoryListSchema,
} from '@/lib/api/rollout-histories';

const idSchema = z.string().min(1).max(200);
const podPath = workloadPath.extend({ pod: nameSchema });
const revisionPath = workloadPath.extend({ revision: revisionRefSchema });
const rolloutHistoryPath = workloadPath.omit({ resource: true });
const recordPath = z.object({ id: idSchema });
const commentPath = recordPath.extend({ comment: idSchema });

const logQuery = z.object({
  ...inCluster,
  container: z.string().min(1).max(253).optional(),
  previous: z.enum(['0', '1']).optional(),
});

/**
 * Every endpoint of the HTTP API, with all that both sides need to know of it. The handlers are in
 * `server/http/handlers.ts`; the browser takes the types alone (`components/queries/client.ts`).
 */
export const routes = {
  'GET /api/clusters': read('All clusters with their state', clusterListSchema),
  'POST /api/clusters/{name}/accept': {
    ...change(
      'Accept that the cluster of a refused entry is the one that it claims to be',
      acceptRequestSchema,
      clusterListSchema,
      z.object({ name: nameSchema }),
    ),
    success: 'Accepted; all clusters with their state',
    failures: {
      400: 'Malformed; names the field',
      401: 'Not signed in',
      403: 'Not allowed to update clusters.shiplog.dev in the cluster that Shiplog runs in',
      404: 'No such entry is refused',
      409: 'It claims something else by now',
      503: 'The archive is unavailable',
    },
  },
  'GET /api/cluster': read('One cluster, the viewer and the connection', clusterSchema, {
    query: objectQuery,
  }),
  'GET /api/workloads': read('All workloads that the viewer can see', workloadListSchema, {
    query: workloadListQuerySchema,
  }),
  'GET /api/workloads/{resource}/{namespace}/{name}': read(
    'A workload and its history; with the uid of an earlier incarnation, what the archive has of that one',
    z.union([workloadDetailSchema, earlierIncarnationSchema]),
    { path: workloadPath, query: incarnationQuerySchema },
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/track': read(
    'Pods by revision during the latest recorded rollouts',
    podTrackSchema,
    { path: workloadPath, query: trackQuerySchema },
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/revisions/{revision}': read(
    'The template that a rollback to the revision would write; YAML with Accept: application/yaml',
    revisionBodySchema,
    { path: revisionPath, query: objectQuery },
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/revisions/{revision}/manifest': read(
    'The object that holds a revision, by number, id or its own name; also one that is no revision of the list',
    revisionManifestSchema,
    { path: revisionPath, query: objectQuery },
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/diff': read(
    'The differences between two revisions: number, id (also of an earlier incarnation), `live` for the current spec, `pod:{name}`',
    diffSchema,
    { path: workloadPath, query: diffQuerySchema },
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/pods': read(
    'The pods with their revisions',
    podListSchema,
    { path: workloadPath, query: objectQuery },
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/events': read('Events, newest first', eventListSchema, {
    path: workloadPath,
    query: objectQuery,
  }),
  'GET /api/workloads/{resource}/{namespace}/{name}/pods/{pod}/logs': read(
    'The last lines of a container',
    logTailSchema,
    { path: podPath, query: logQuery },
  ),
  'GET /api/workloads/{resource}/{namespace}/{name}/actions': read(
    'Actions on it through Shiplog, rejected and failed attempts included, newest first',
    actionListSchema,
    { path: workloadPath, query: objectQuery },
  ),
  'POST /api/workloads/{resource}/{namespace}/{name}/rollback': act(
    'Return to a revision',
    rollbackRequestSchema,
  ),
  'POST /api/workloads/{resource}/{namespace}/{name}/pause': act('Pause', controlRequestSchema),
  'POST /api/workloads/{resource}/{namespace}/{name}/resume': act('Resume', controlRequestSchema),
  'POST /api/workloads/{resource}/{namespace}/{name}/restart': act('Restart every pod', controlRequestSchema),
  'POST /api/workloads/{resource}/{namespace}/{name}/releaseFields': act(
    'Release the fields that the last rollback took from a manager that applies without force',
    controlRequestSchema,
  ),
  'POST /api/workloads/{resource}/{namespace}/{name}/partition': act(
    'Move the partition',
    partitionRequestSchema,
  ),
  'POST /api/workloads/{resource}/{namespace}/{name}/pods/{pod}/delete': act(
    'Delete a pod that blocks the rollout',
    podDeleteRequestSchema,
    podPath,
  ),
  'GET /api/actions/{id}': read('The progress of an action', actionSchema, {
    path: z.object({ id: z.uuid() }),
  }),

  'GET /api/rollouts': read('Progressive rollouts of all controllers', rolloutListSchema, {
    query: rolloutListQuerySchema,
  }),
  'GET /api/rollouts/{resource}/{namespace}/{name}': read(
    'A progressive rollout with its steps, pods and available actions',
    rolloutDetailSchema,
    { path: workloadPath, query: objectQuery },
  ),
  'GET /api/rollouts/{resource}/{namespace}/{name}/diff': read(
    'The differences between its source and target revision',
    diffSchema,
    { path: workloadPath, query: objectQuery },
  ),
  'GET /api/rollouts/{resource}/{namespace}/{name}/actions': read(
    'Actions on it through Shiplog, rejected attempts included',
    actionListSchema,
    { path: workloadPath, query: objectQuery },
  ),
  'POST /api/rollouts/{resource}/{namespace}/{name}/approve': act(
    'Approve the current step',
    approvalRequestSchema,
  ),
  'POST /api/rollouts/{resource}/{namespace}/{name}/jump': act('Go to another step', jumpRequestSchema),
  'POST /api/rollouts/{resource}/{namespace}/{name}/pause': act('Pause the rollout', rolloutControlSchema),
  'POST /api/rollouts/{resource}/{namespace}/{name}/resume': act('Resume the rollout', rolloutControlSchema),
  'POST /api/rollouts/{resource}/{namespace}/{name}/disable': act(
    'Disable the rollout; one in progress is promoted',
    rolloutControlSchema,
  ),
  'POST /api/rollouts/{resource}/{namespace}/{name}/enable': act('Enable the rollout', rolloutControlSchema),
  'POST /api/rollouts/{resource}/{namespace}/{name}/promoteFull': act(
    'Promote and skip the remaining steps',
    rolloutControlSchema,
  ),
  'POST /api/rollouts/{resource}/{namespace}/{name}/abort': act(
    'Abort; the spec keeps its template',
    rolloutControlSchema,
  ),
  'POST /api/rollouts/{resource}/{namespace}/{name}/retry': act(
    'Retry an aborted rollout',
    rolloutControlSchema,
  ),
  'POST /api/rollouts/{resource}/{namespace}/{name}/restart': act(
    'Restart the pods of a rollout',
    rolloutControlSchema,
  ),
  'POST /api/rollouts/{resource}/{namespace}/{name}/rollback': act(
    'Roll back to the revision that it started from',
    progressiveRollbackSchema,
  ),
  'POST /api/rollouts/{resource}/{namespace}/{name}/delete': act(
    'Delete the rollout, and revert what it did where possible',
    deletionRequestSchema,
  ),
  'GET /api/rollouthistories': read(
    'RolloutHistory objects of OpenKruise, newest first',
    rolloutHistoryListSchema,
    { query: rolloutHistoryListQuerySchema },
  ),
  'GET /api/rollouthistories/{namespace}/{name}': read(
    'A RolloutHistory with its template',
    rolloutHistoryDetailSchema,
    { path: rolloutHistoryPath, query: objectQuery },
  ),

  'GET /api/records': read('Records of rollouts, newest first', recordListSchema, {
    query: recordListQuerySchema,
  }),
  'GET /api/records/{id}': read(
    "The record of a rollout, without access to the cluster; with `format=rollouthistory` in the format of OpenKruise's RolloutHistory",
    z.union([recordSchema, kruiseRolloutHistorySchema]),
    { path: recordPath, query: recordFormatQuerySchema },
  ),
  'PUT /api/records/{id}/review': change(
    'Set the verdict',
    reviewRequestSchema,
    reviewAnswerSchema,
    recordPath,
  ),
  'POST /api/records/{id}/comments': change(
    'Comment on a rollout or on one of its changes',
    commentRequestSchema,
    commentItemSchema,
    recordPath,
  ),
  'PUT /api/records/{id}/comments/{comment}': change(
    'Edit your own comment',
    commentEditSchema,
    commentItemSchema,
    commentPath,
  ),
  'PUT /api/records/{id}/pin': change(
    'Exempt its templates from retention, or stop doing so',
    pinRequestSchema,
    recordItemSchema,
    recordPath,
  ),
  'GET /api/review': read('Rollouts that wait for a verdict', reviewQueueSchema, {
    query: reviewQueueQuerySchema,
  }),
  'PUT /api/review': change(
    'Set one verdict on several records; each is saved or not by itself',
    bulkReviewRequestSchema,
    bulkReviewAnswerSchema,
    z.object({}),
  ),
  'GET /api/review/follow-ups': read('Open follow-ups, the earliest due date first', followUpListSchema, {
    query: followUpsQuerySchema,
  }),
  'GET /api/people': read('People who have signed in, the ones seen last first', peopleSchema, {
    query: peopleQuerySchema,
  }),
  'GET /api/reports': read('Figures of a period; CSV and Markdown with `format`', reportSchema, {
    query: reportQuerySchema,
  }),
  'GET /api/timeline': read('Rollouts of all workloads in a period', timelineSchema, {
    query: timelineQuerySchema,
  }),
  'GET /api/archive': read('Size and oldest entry of the archive', archiveSchema, {
    query: z.object(ofClusters),
  }),
  'GET /api/activity': read(
    'Actions through Shiplog, rejected and failed attempts included, newest first; CSV with `format`',
    activitySchema,
    { query: activityQuerySchema },
  ),

  'GET /api/activity/events': read(
    'Reviews, comments, and pins of workloads that you can see, and sign-ins, newest first',
    activityEventsSchema,
    { query: activityEventsQuerySchema },
  ),
  'GET /api/identity': read(
    'Who you are for each cluster: whom Shiplog impersonates, and the answer of the API server',
    identitySchema,
  ),
  'GET /api/preferences': read('Your saved views, and what lists show you first', preferencesSchema),
  'PUT /api/preferences': {
    ...change('Replace them', preferencesRequestSchema, preferencesSchema, z.object({})),
    failures: {
      400: 'Malformed; names the field',
      401: 'Not signed in',
      403: 'Access is anonymous: there is no person to keep them for',
      409: 'Another browser changed them meanwhile; `details.preferences` has the current ones',
      413: 'Too long',
      503: 'The archive is unavailable',
    },
  },
  'GET /api/session': {
    ...read('Who sends the request, and how people sign in', sessionSchema),
    failures: {},
  },
  'POST /api/session': {
    ...read('Sign in; the answer sets the cookie of the session', sessionSchema),
    body: signInRequestSchema,
    failures: {
      400: 'Malformed; names the field',
      401: 'The credential is not accepted',
      429: 'Too many credentials of this address were not valid; `Retry-After` says when to try again',
    },
  },
  'DELETE /api/session': { ...read('Sign out', sessionSchema), failures: {} },
  'GET /api/stream': {
    ...read(
      'Server-sent events: `change` with keys, `state` of the connection, `resync` after a gap, `bye` at the end',
      z.string(),
    ),
    mediaType: 'text/event-stream',
    failures: {},
  },
  'GET /api/healthz': {
    ...read('Liveness: the process responds', z.object({ ok: z.literal(true) })),
    success: 'It responds',
    failures: {},
  },
  'GET /api/readyz': {
    ...read(
      'Readiness: every cache is filled, or known to be forbidden, and opening the archive was tried',
      readinessSchema,
    ),
    success: 'They are, or were once',
    failures: { 503: 'Not yet' },
    failure: readinessSchema,
  },
  'GET /api/support': read(
    'A report for support: versions, configuration without secrets, states, and the latest problems; for holders of the local key',
    supportSchema,
  ),
  'GET /api/openapi.json': {
    ...read('This description', z.record(z.string(), z.unknown())),
    success: 'OpenAPI 3.1',
    failures: {},
  },
  'GET /metrics': {
    ...read('Metrics in the text format of Prometheus', z.string()),
    mediaType: 'text/plain',
    failures: {},
  },
};

export type Routes = typeof routes;
export type RouteKey = keyof Routes;

/** What a caller sends to a route, and what it gets. */
export type PathOf<K extends RouteKey> = z.input<Routes[K]['path']>;
export type QueryOf<K extends RouteKey> = z.input<Routes[K]['query']>;
export type BodyOf<K extends RouteKey> = Routes[K]['body'] extends infer Body extends z.core.$ZodType
  ? Immutable<z.input<Body>>
  : undefined;
export type AnswerOf<K extends RouteKey> = Immutable<z.output<Routes[K]['answer']>>;
