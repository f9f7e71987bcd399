import 'server-only';
import { z } from 'zod';
import { type Action, actionSchema } from '@/lib/api/actions';
import {
  type ArchivedActivation,
  type ArchivedRevision,
  outcomes,
  type PodSample,
  progressiveResults,
  type RolloutRecord,
  spanWaits,
  stepOutcomes,
  type WorkloadIncarnation,
} from '@/lib/records/record';
import { rolloutStyles } from '@/lib/api/rollout-values';
import { type ReviewComment, type Review } from '@/lib/records/review';

/* The documents of rows and files, parsed where they are read. */

const text = z.string();
const nullableText = text.nullable();
const labels = z.record(text, text);
const images = z.array(z.object({ container: text, image: text }));

export const incarnationSchema: z.ZodType<WorkloadIncarnation> = z.object({
  cluster: text,
  resource: text,
  kind: text,
  namespace: text,
  name: text,
  uid: text,
  createdAt: text,
  deletedAt: nullableText,
  labels,
});

export const revisionSchema: z.ZodType<ArchivedRevision> = z.object({
  workloadUid: text,
  id: text,
  hash: text,
  numbers: z.array(z.number()),
  name: text,
  changeCause: nullableText,
  images,
  createdAt: text,
  firstSeenAt: text,
  prunedAt: nullableText,
});

const revisionRef = z.object({
  number: z.number().nullable(),
  id: nullableText,
  hash: text,
  meaning: text.optional(),
});

export const activationSchema: z.ZodType<ArchivedActivation> = z.object({
  workloadUid: text,
  index: z.number(),
  revision: revisionRef,
  from: nullableText,
  fromNotAfter: nullableText,
  to: nullableText,
});

const actor = z.object({ name: text, source: z.enum(['shiplog', 'managedFields']), manager: nullableText });

const stepPod = z.object({
  name: text,
  uid: text,
  ip: nullableText,
  node: nullableText,
  readyAt: nullableText,
  restarts: z.number(),
  group: text.optional(),
});

const step = z.object({
  index: z.number(),
  name: text,
  kind: z.enum(['wave', 'partition', 'canary', 'batch']),
  planned: nullableText,
  startedAt: nullableText,
  endedAt: nullableText,
  state: z.enum(stepOutcomes),
  pods: z.array(stepPod),
  more: z.number().optional(),
  unlisted: z.array(text).optional(),
  moreRemoved: z.number().optional(),
  // Rows from before this was recorded have none.
  removed: z.array(z.object({ name: text, uid: text, hash: nullableText, goneAt: nullableText })).default([]),
});

const traffic = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('weight'), percent: z.number() }),
  z.object({ kind: z.literal('matches'), rules: z.array(text) }),
]);

const pause = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('approval') }),
  z.object({ kind: z.literal('time'), seconds: z.number() }),
]);

const release = z.object({
  system: text,
  resource: text,
  name: text,
  uid: text,
  id: nullableText,
  style: z.enum(rolloutStyles),
  routes: z.array(z.object({ kind: text, name: text })),
  plan: z.array(
    z.object({
      index: z.number(),
      replicas: nullableText,
      traffic: traffic.nullable(),
      pause: pause.nullable(),
    }),
  ),
  planEditedAt: nullableText,
  jumps: z.array(z.object({ from: z.number(), to: z.number(), at: nullableText })),
  result: z.enum(progressiveResults).nullable(),
  unassigned: z.array(stepPod),
  moreUnassigned: z.number().optional(),
  unlistedUnassigned: z.array(text).optional(),
});

const sample = z.object({ at: text, byRevision: z.array(z.tuple([text, z.number(), z.number()])) });
export const samplesSchema: z.ZodType<PodSample[]> = z.array(sample);

const event = z.object({ at: text, reason: text, message: text, object: text, count: z.number() });

/** The document of a record; pins and samples are stored apart. */
export type RecordDocument = Omit<RolloutRecord, 'samples' | 'pinned'>;

const recordDocument = z.object({
  id: text,
  workload: z.object({
    cluster: text,
    resource: text,
    kind: text,
    namespace: text,
    name: text,
    uid: text,
    labels,
  }),
  activation: z.number(),
  from: revisionRef.nullable(),
  to: revisionRef,
  others: z.array(revisionRef),
  startedAt: nullableText,
  startedNotAfter: nullableText,
  endedAt: nullableText,
  outcome: z.enum(outcomes).nullable(),
  unwatched: z.array(z.object({ from: text, to: text })),
  actor: actor.nullable(),
  actionId: nullableText,
  cause: nullableText,
  summary: text,
  restart: z.boolean(),
  images,
  strategy: text,
  desiredPods: z.number().nullable(),
  steps: z.array(step),
  // As with `removed`: older rows have none.
  release: release.nullable().default(null),
  spans: z.array(
    z.object({
      kind: z.enum(['stuck', 'held']),
      waitsFor: z.enum(spanWaits).optional(),
      hasFailed: z.literal(true).optional(),
      from: text,
      to: nullableText,
      reason: text,
      reasonAt: text.optional(),
    }),
  ),
  events: z.array(event),
});

/** What a record summary needs of it; the rest, which may be long, is not parsed. */
export const summaryDocumentSchema = recordDocument
  .pick({
    id: true,
    activation: true,
    from: true,
    to: true,
    others: true,
    startedAt: true,
    startedNotAfter: true,
    endedAt: true,
    outcome: true,
    actor: true,
    cause: true,
    summary: true,
    restart: true,
  })
  .extend({
    workload: z.object({ uid: text }),
    release: release.pick({ resource: true, name: true, uid: true, id: true }).nullable().default(null),
  });

export const recordDocumentSchema: z.ZodType<RecordDocument> = recordDocument;

export const recordSchema: z.ZodType<RolloutRecord> = recordDocument.extend({
  samples: z.array(sample),
  pinned: z.boolean(),
});

// Documents of earlier versions hold the name alone.
const author = { by: text, byId: text.optional() };

const verdict = z.object({
  verdict: z.enum(['good', 'bad', 'followUp']),
  ...author,
  at: text,
  followUp: z.object({ person: text, due: text }).nullable(),
});

export const reviewSchema: z.ZodType<Review> = verdict.extend({
  version: z.number().int().positive(),
  history: z.array(verdict),
});

export const commentSchema: z.ZodType<ReviewComment> = z.object({
  id: text,
  recordId: text,
  ...author,
  at: text,
  body: text,
  path: nullableText,
  answers: nullableText,
  edits: z.array(z.object({ at: text, ...author, body: text })),
});

/** The state of an action through Shiplog at one time. */
export interface ArchivedAction {
  at: string;
  action: Action;
  /** Of a rejection or failure: the error's code and the API server's own words. */
  code: string | null;
  apiMessage: string | null;
  /** The identity that the API server saw; null where that was Shiplog's own. */
  identity: { user: string; groups: readonly string[] } | null;
  /** The origin of the page that sent the request, null for a program. */
  origin: string | null;
  /** Hash of the template that was the target. */
  fromHash: string | null;
  /** Why it was rejected. */
  findings: readonly { code: string; message: string }[];
  /** Keyed hash of the idempotency key of the request. */
  idempotencyKey: string | null;
}

export const archivedActionSchema: z.ZodType<ArchivedAction> = z.object({
  at: text,
  action: actionSchema,
  code: nullableText,
  apiMessage: nullableText,
  identity: z.object({ user: text, groups: z.array(text) }).nullable(),
  origin: nullableText,
  fromHash: nullableText,
  findings: z.array(z.object({ code: text, message: text })),
  idempotencyKey: nullableText,
});
