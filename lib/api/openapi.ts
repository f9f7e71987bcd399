import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { z } from 'zod';
import {
  actionAnswerSchema,
  actionListSchema,
  actionSchema,
  controlRequestSchema,
  partitionRequestSchema,
  podDeleteRequestSchema,
  rollbackRequestSchema,
} from '@/lib/api/actions';
import { activityQuerySchema, activitySchema } from '@/lib/api/activity';
import { clusterSchema } from '@/lib/api/cluster';
import { errorSchema, nameSchema, resourceIdSchema, revisionRefSchema } from '@/lib/api/common';
import { diffQuerySchema, diffSchema } from '@/lib/api/diff';
import {
  archiveSchema,
  commentEditSchema,
  commentRequestSchema,
  commentSchema,
  pinRequestSchema,
  recordItemSchema,
  recordListQuerySchema,
  recordListSchema,
  recordFormatQuerySchema,
  recordSchema,
  reviewAnswerSchema,
  reviewRequestSchema,
} from '@/lib/api/records';
import { reportQuerySchema, reportSchema } from '@/lib/api/reports';
import { followUpListSchema, reviewQueueQuerySchema, reviewQueueSchema } from '@/lib/api/review';
import {
  approvalRequestSchema,
  deletionRequestSchema,
  jumpRequestSchema,
  progressiveRollbackSchema,
  rolloutControlSchema,
} from '@/lib/api/rollout-actions';
import {
  rolloutDetailSchema,
  rolloutHistoryDetailSchema,
  rolloutHistoryListQuerySchema,
  rolloutHistoryListSchema,
  rolloutListQuerySchema,
  rolloutListSchema,
} from '@/lib/api/rollouts';
import { timelineQuerySchema, timelineSchema } from '@/lib/api/timeline';
import {
  eventListSchema,
  incarnationQuerySchema,
  logTailSchema,
  earlierIncarnationSchema,
  podListSchema,
  podTrackSchema,
  revisionBodySchema,
  revisionManifestSchema,
  trackQuerySchema,
  workloadDetailSchema,
  workloadListQuerySchema,
  workloadListSchema,
} from '@/lib/api/workloads';

const workloadPath = z.object({ resource: resourceIdSchema, namespace: nameSchema, name: nameSchema });
const base = '/api/workloads/{resource}/{namespace}/{name}';
const rolloutBase = '/api/rollouts/{resource}/{namespace}/{name}';

/** The OpenAPI description of the HTTP API, generated from the schemas that both sides use for parsing. */
export function openApiDocument(version: string) {
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Shiplog',
      version,
      description:
        'Rollout histories of Kubernetes workloads. Every answer that shows cluster state says how old it is; ' +
        'mutations need JSON and `seen`, the value that the detail answer gives for what was on the screen.',
    },
    paths: { ...reads(), ...rollouts(), ...actions(), ...records(), ...operations() },
  });
}

function reads(): ZodOpenApiPathsObject {
  return {
    '/api/cluster': { get: read('The cluster, the viewer and the connection', clusterSchema) },
    '/api/workloads': {
      get: read('All workloads that the viewer may see', workloadListSchema, {
        query: workloadListQuerySchema,
      }),
    },
    [base]: {
      get: read(
        'A workload and its history; with the uid of an earlier life what the archive has of that',
        z.union([workloadDetailSchema, earlierIncarnationSchema]),
        { path: workloadPath, query: incarnationQuerySchema },
      ),
    },
    [`${base}/track`]: {
      get: read('Pods by revision over the latest recorded rollouts', podTrackSchema, {
        path: workloadPath,
        query: trackQuerySchema,
      }),
    },
    [`${base}/revisions/{revision}`]: {
      get: read(
        'What a rollback to the revision would write; YAML with Accept: application/yaml',
        revisionBodySchema,
        {
          path: workloadPath.extend({ revision: revisionRefSchema }),
        },
      ),
    },
    [`${base}/revisions/{revision}/manifest`]: {
      get: read(
        'The object that carries a revision, by number, id or its own name; also one that is kept beside the revisions',
        revisionManifestSchema,
        {
          path: workloadPath.extend({ revision: revisionRefSchema }),
        },
      ),
    },
    [`${base}/diff`]: {
      get: read(
        'What changed: number, id (also of an earlier life), `live` for the present spec, `pod:{name}`',
        diffSchema,
        {
          path: workloadPath,
          query: diffQuerySchema,
        },
      ),
    },
    [`${base}/pods`]: { get: read('The pods with their revisions', podListSchema, { path: workloadPath }) },
    [`${base}/events`]: { get: read('Events, newest first', eventListSchema, { path: workloadPath }) },
    [`${base}/pods/{pod}/logs`]: {
      get: read('The last lines of a container', logTailSchema, {
        path: workloadPath.extend({ pod: nameSchema }),
        query: z.object({ container: z.string().optional(), previous: z.enum(['1']).optional() }),
      }),
    },
    [`${base}/actions`]: {
      get: read('What was done through Shiplog, refused attempts included; newest first', actionListSchema, {
        path: workloadPath,
      }),
    },
    '/api/actions/{id}': {
      get: read('How an action goes', actionSchema, { path: z.object({ id: z.string() }) }),
    },
  };
}

function rollouts(): ZodOpenApiPathsObject {
  return {
    '/api/rollouts': {
      get: read('Rollouts in steps, of every system', rolloutListSchema, { query: rolloutListQuerySchema }),
    },
    [rolloutBase]: {
      get: read('One of them with its steps, its pods and what can be done', rolloutDetailSchema, {
        path: workloadPath,
      }),
    },
    [`${rolloutBase}/diff`]: {
      get: read('What it changes, from its source to its target', diffSchema, { path: workloadPath }),
    },
    [`${rolloutBase}/actions`]: {
      get: read('What was done to it through Shiplog, refused attempts included', actionListSchema, {
        path: workloadPath,
      }),
    },
    '/api/rollouthistories': {
      get: read('The records that systems keep by themselves, newest first', rolloutHistoryListSchema, {
        query: rolloutHistoryListQuerySchema,
      }),
    },
    '/api/rollouthistories/{namespace}/{name}': {
      get: read('One of them with the template that it holds', rolloutHistoryDetailSchema, {
        path: workloadPath.omit({ resource: true }),
      }),
    },
  };
}

function actions(): ZodOpenApiPathsObject {
  return {
    [`${base}/rollback`]: { post: write('Return to a revision', rollbackRequestSchema) },
    [`${base}/pause`]: { post: write('Pause', controlRequestSchema) },
    [`${base}/resume`]: { post: write('Resume', controlRequestSchema) },
    [`${base}/restart`]: { post: write('Restart every pod', controlRequestSchema) },
    [`${base}/partition`]: { post: write('Move the partition', partitionRequestSchema) },
    [`${base}/pods/{pod}/delete`]: {
      post: write(
        'Delete a pod that blocks',
        podDeleteRequestSchema,
        workloadPath.extend({ pod: nameSchema }),
      ),
    },
    [`${rolloutBase}/approve`]: { post: write('Approve the step that waits', approvalRequestSchema) },
    [`${rolloutBase}/jump`]: { post: write('Go to another step', jumpRequestSchema) },
    [`${rolloutBase}/pause`]: { post: write('Pause the rollout', rolloutControlSchema) },
    [`${rolloutBase}/resume`]: { post: write('Resume the rollout', rolloutControlSchema) },
    [`${rolloutBase}/disable`]: {
      post: write('Disable the rollout; a release under way is promoted', rolloutControlSchema),
    },
    [`${rolloutBase}/enable`]: { post: write('Enable the rollout', rolloutControlSchema) },
    [`${rolloutBase}/promoteFull`]: {
      post: write('Promote the release without the steps that are left', rolloutControlSchema),
    },
    [`${rolloutBase}/abort`]: {
      post: write('Abort the release; the spec keeps its template', rolloutControlSchema),
    },
    [`${rolloutBase}/retry`]: { post: write('Begin an aborted release again', rolloutControlSchema) },
    [`${rolloutBase}/restart`]: { post: write('Restart the pods of a rollout', rolloutControlSchema) },
    [`${rolloutBase}/rollback`]: {
      post: write('Roll the release back to where it started', progressiveRollbackSchema),
    },
    [`${rolloutBase}/delete`]: {
      post: write('Delete the rollout, and take back what it has done where it can', deletionRequestSchema),
    },
  };
}

function records(): ZodOpenApiPathsObject {
  const path = z.object({ id: z.string() });
  const oneComment = path.extend({ comment: z.string() });
  return {
    '/api/records': {
      get: read('Records of rollouts, newest first', recordListSchema, { query: recordListQuerySchema }),
    },
    '/api/records/{id}': {
      get: read('One rollout whole; needs no cluster', recordSchema, {
        path,
        query: recordFormatQuerySchema,
      }),
    },
    '/api/records/{id}/review': {
      put: change('Give a verdict', reviewRequestSchema, reviewAnswerSchema, path),
    },
    '/api/records/{id}/comments': {
      post: change('Comment on a rollout, or on one change of it', commentRequestSchema, commentSchema, path),
    },
    '/api/records/{id}/comments/{comment}': {
      put: change('Rewrite a comment of your own', commentEditSchema, commentSchema, oneComment),
    },
    '/api/records/{id}/pin': {
      put: change('Keep its templates for ever, or no longer', pinRequestSchema, recordItemSchema, path),
    },
    '/api/review': {
      get: read('What waits for a verdict', reviewQueueSchema, { query: reviewQueueQuerySchema }),
    },
    '/api/review/follow-ups': {
      get: read('Follow-ups that nobody has closed, due first', followUpListSchema),
    },
    '/api/reports': {
      get: read('Figures of a period; CSV and Markdown with `format`', reportSchema, {
        query: reportQuerySchema,
      }),
    },
    '/api/timeline': {
      get: read('What went on between two moments, over all workloads', timelineSchema, {
        query: timelineQuerySchema,
      }),
    },
    '/api/archive': { get: read('How big the archive is and how far back it reaches', archiveSchema) },
    '/api/activity': {
      get: read('What was done through Shiplog, refused attempts included; newest first', activitySchema, {
        query: activityQuerySchema,
      }),
    },
  };
}

function operations(): ZodOpenApiPathsObject {
  const ready = z.object({ ready: z.boolean(), waitingFor: z.array(z.string()) });
  return {
    '/api/stream': {
      get: text(
        'Server-sent events: `change` with keys, `state` of the connection, `resync` after a gap, `bye` at the end',
        'text/event-stream',
      ),
    },
    '/api/healthz': {
      get: readWithoutErrors('The process answers', {
        '200': ['It does', z.object({ ok: z.literal(true) })],
      }),
    },
    '/api/readyz': {
      get: readWithoutErrors('Every cache is filled, or known to be forbidden', {
        '200': ['They are, or were once', ready],
        '503': ['Not yet', ready],
      }),
    },
    '/api/openapi.json': {
      get: readWithoutErrors('This description', {
        '200': ['OpenAPI 3.1', z.record(z.string(), z.unknown())],
      }),
    },
    '/metrics': { get: text('Metrics in the text format of Prometheus', 'text/plain') },
  };
}

const json = (schema: z.core.$ZodType) => ({ content: { 'application/json': { schema } } });

const errorResponses = {
  '400': { description: 'Malformed; names the field', ...json(errorSchema) },
  '403': { description: 'Not allowed, with the reason of the API server', ...json(errorSchema) },
  '404': { description: 'No such workload or revision', ...json(errorSchema) },
  '503': { description: 'The cluster is out of reach', ...json(errorSchema) },
};

function read(
  summary: string,
  schema: z.core.$ZodType,
  requestParams: NonNullable<ZodOpenApiOperationObject['requestParams']> = {},
): ZodOpenApiOperationObject {
  return {
    summary,
    requestParams,
    responses: { '200': { description: summary, ...json(schema) }, ...errorResponses },
  };
}

function readWithoutErrors(
  summary: string,
  answers: Record<`${2 | 5}${number}`, readonly [string, z.ZodType]>,
): ZodOpenApiOperationObject {
  const responses = Object.entries(answers).map(([status, [description, schema]]) => [
    status,
    { description, ...json(schema) },
  ]);
  return { summary, responses: Object.fromEntries(responses) as ZodOpenApiOperationObject['responses'] };
}

function text(summary: string, type: string): ZodOpenApiOperationObject {
  return {
    summary,
    responses: { '200': { description: summary, content: { [type]: { schema: z.string() } } } },
  };
}

function write(
  summary: string,
  body: z.core.$ZodType,
  path: z.ZodObject = workloadPath,
): ZodOpenApiOperationObject {
  return {
    summary,
    requestParams: { path, header: z.object({ 'idempotency-key': z.string().max(200).optional() }) },
    requestBody: { required: true, ...json(body) },
    responses: {
      '200': { description: 'Planned (dryRun) or accepted', ...json(actionAnswerSchema) },
      ...errorResponses,
      '409': { description: 'Changed since it was seen; carries the fresh diff', ...json(errorSchema) },
      '422': { description: 'Refused, with the findings', ...json(errorSchema) },
    },
  };
}

function change(
  summary: string,
  body: z.core.$ZodType,
  answer: z.core.$ZodType,
  path: z.ZodObject,
): ZodOpenApiOperationObject {
  return {
    summary,
    requestParams: { path, header: z.object({ 'idempotency-key': z.string().max(200).optional() }) },
    requestBody: { required: true, ...json(body) },
    responses: {
      '200': { description: 'Kept', ...json(answer) },
      ...errorResponses,
      '409': {
        description: 'Decided by somebody else meanwhile; carries the present review',
        ...json(errorSchema),
      },
      '413': { description: 'Too long', ...json(errorSchema) },
    },
  };
}
