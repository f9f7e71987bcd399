import { z } from 'zod/mini';
import { actorSchema, imageSchema, instant, workloadIdentitySchema } from '@/lib/api/common';
import { diffSchema, revertedRolloutsSchema } from '@/lib/api/diff';
import { rolloutStyleSchema, stepPauseSchema, trafficSchema } from '@/lib/api/rollout-fields';
import { outcomes, progressiveResults, spanWaits, stepOutcomes } from '@/lib/records/record';
import { type Immutable } from '@/lib/immutable';
import { COMMENT_CHARS_MAX } from '@/lib/records/review';

export const verdicts = ['good', 'bad', 'followUp'] as const;

/** A calendar day: `2026-01-31`. */
const day = z.string().check(
  z.regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2026-01-31'),
  z.refine((text) => isDay(text), 'must be a day of the calendar'),
);

/** Text written by people: anything printable, with lines and tabs. */
const prose = z.string().check(
  z.maxLength(COMMENT_CHARS_MAX),
  z.refine((text) => !hasControls(text), 'must hold no control characters but line ends and tabs'),
);
const comment = prose.check(z.refine((text) => text.trim() !== '', 'must say something'));

const followUpSchema = z.object({ person: z.string(), due: z.string() });

/** A verdict as it was given at one time. */
const verdictSchema = z.object({
  verdict: z.enum(verdicts),
  by: z.string(),
  at: instant,
  followUp: z.nullable(followUpSchema),
});
export type VerdictItem = Immutable<z.infer<typeof verdictSchema>>;

export const commentSchema = z.object({
  id: z.string(),
  recordId: z.string(),
  by: z.string(),
  /** `viewer.id` of its author, who may rewrite it; of a comment without one, the name decides. */
  byId: z.optional(z.string()),
  at: instant,
  /** Markdown as it was written, credentials masked. */
  body: z.string(),
  /** Path of the change of the record's diff that it belongs to; null for the record itself. */
  path: z.nullable(z.string()),
  /** Id of the comment that it answers. */
  answers: z.nullable(z.string()),
  /** Earlier texts, oldest first. */
  edits: z.array(z.object({ at: instant, by: z.string(), body: z.string() })),
});
export type CommentItem = Immutable<z.infer<typeof commentSchema>>;

/** The team's verdict. Version 0: there is none yet. */
const reviewSchema = z.object({
  version: z.number(),
  verdict: z.nullable(z.enum(verdicts)),
  by: z.nullable(z.string()),
  at: z.nullable(instant),
  followUp: z.nullable(followUpSchema),
  /** Earlier verdicts, oldest first. */
  history: z.array(verdictSchema),
  comments: z.array(commentSchema),
});
export type ReviewItem = Immutable<z.infer<typeof reviewSchema>>;

/** `hash` is keyed: equal templates have equal hashes, which reveal nothing else. */
const revisionRefSchema = z.object({
  number: z.nullable(z.number()),
  id: z.nullable(z.string()),
  hash: z.string(),
});

const stepPodSchema = z.object({
  name: z.string(),
  uid: z.string(),
  ip: z.nullable(z.string()),
  node: z.nullable(z.string()),
  readyAt: z.nullable(instant),
  restarts: z.number(),
  /** Its group of the workload; omitted where there are none. */
  group: z.optional(z.string()),
});

const stepSchema = z.object({
  index: z.number(),
  name: z.string(),
  kind: z.enum(['wave', 'partition', 'canary', 'batch']),
  planned: z.nullable(z.string()),
  startedAt: z.nullable(instant),
  endedAt: z.nullable(instant),
  state: z.enum(stepOutcomes),
  /** The first 200. */
  pods: z.array(stepPodSchema),
  /** How many are not listed: beyond the limit, or replaced under the same name. Omitted: none. */
  more: z.optional(z.number()),
  /** How many went beyond the first 200 of `removed`. Omitted: none. */
  moreRemoved: z.optional(z.number()),
  /**
   * Pods of other revisions that they replaced; `hash` is that of the template that they ran, keyed as in
   * `from`.
   */
  removed: z.array(
    z.object({
      name: z.string(),
      uid: z.string(),
      hash: z.nullable(z.string()),
      goneAt: z.nullable(instant),
    }),
  ),
});
export type StepItem = Immutable<z.infer<typeof stepSchema>>;

/** The progressive rollout behind a rollout. */
const recordedProgressiveRolloutSchema = z.object({
  /** `openkruise` */
  system: z.string(),
  /** Of the object that controlled the workload, in its namespace; it may be deleted. */
  resource: z.string(),
  name: z.string(),
  uid: z.string(),
  /** The system's id for it, which may be reused. */
  id: z.nullable(z.string()),
  style: rolloutStyleSchema,
  /** Services, Ingresses, routes whose traffic it moved. */
  routes: z.array(z.object({ kind: z.string(), name: z.string() })),
  /** The plan of each step when the progressive rollout was first observed, in the system's format. */
  plan: z.array(
    z.object({
      index: z.number(),
      replicas: z.nullable(z.string()),
      traffic: z.nullable(trafficSchema),
      pause: z.nullable(stepPauseSchema),
    }),
  ),
  /** When the plan was first observed to differ. */
  planEditedAt: z.nullable(instant),
  /** Where it did not continue with the following step. */
  jumps: z.array(z.object({ from: z.number(), to: z.number(), at: z.nullable(instant) })),
  /** Null while it is in progress. */
  result: z.nullable(z.enum(progressiveResults)),
  /** Pods of the new revision that came after the last step, or belong to no known one. The first 200. */
  unassigned: z.array(stepPodSchema),
  /** How many more. Omitted: none. */
  moreUnassigned: z.optional(z.number()),
});
export type RecordedProgressiveRolloutItem = Immutable<z.infer<typeof recordedProgressiveRolloutSchema>>;

/** One rollout as lists show it. */
export const recordItemSchema = z.object({
  id: z.string(),
  workload: workloadIdentitySchema,
  /** Null for the first rollout of a workload. */
  from: z.nullable(revisionRefSchema),
  to: revisionRefSchema,
  startedAt: z.nullable(instant),
  /** Bound of an unknown start: it began no later. */
  startedNotAfter: z.nullable(instant),
  endedAt: z.nullable(instant),
  /** Null while it is open. */
  outcome: z.nullable(z.enum(outcomes)),
  actor: z.nullable(actorSchema),
  cause: z.nullable(z.string()),
  /** What changed, in a sentence. */
  summary: z.string(),
  restart: z.boolean(),
  images: z.array(imageSchema),
  desiredPods: z.nullable(z.number()),
  steps: z.array(stepSchema),
  /** Null where no system stepped it. */
  release: z.nullable(recordedProgressiveRolloutSchema),
  spans: z.array(
    z.object({
      kind: z.enum(['stuck', 'held']),
      /** Of a held one. Absent: a partition holds it, or the reason is unknown. */
      waitsFor: z.optional(z.enum(spanWaits)),
      /** Of one without progress: its release controller says that it has failed, but it may still recover. */
      hasFailed: z.optional(z.literal(true)),
      from: instant,
      to: z.nullable(instant),
      reason: z.string(),
      /** When this reason first appeared. Absent in records of former versions. */
      reasonAt: z.optional(instant),
    }),
  ),
  /** Id of the record that reverted it. */
  revertedBy: z.nullable(z.string()),
  /** What it reverted, where it returned to an earlier template. */
  takesBack: z.nullable(revertedRolloutsSchema),
  pinned: z.boolean(),
  review: reviewSchema,
});
export type RecordItem = Immutable<z.infer<typeof recordItemSchema>>;

/** A short summary of a record, for lists and bars. */
export const rolloutSummarySchema = z.pick(recordItemSchema, {
  id: true,
  outcome: true,
  startedAt: true,
  endedAt: true,
  actor: true,
  cause: true,
});
export type RolloutSummary = Immutable<z.infer<typeof rolloutSummarySchema>>;

export const recordListSchema = z.object({
  items: z.array(recordItemSchema),
  nextCursor: z.nullable(z.string()),
});
export type RecordList = Immutable<z.infer<typeof recordListSchema>>;

/** One rollout in full: a permalink that needs no cluster. */
export const recordSchema = z.extend(recordItemSchema, {
  activation: z.number(),
  /** Ids of the records before and after it in the same incarnation of the workload. */
  neighbours: z.object({ previous: z.nullable(z.string()), next: z.nullable(z.string()) }),
  labels: z.record(z.string(), z.string()),
  strategy: z.string(),
  actionId: z.nullable(z.string()),
  /** Other revisions that still had pods when it began. */
  others: z.array(revisionRefSchema),
  /** Gaps: intervals in which Shiplog was not watching. */
  unwatched: z.array(z.object({ from: instant, to: instant })),
  /** Pods by revision over time: `[hash, pods, ready]`. */
  samples: z.array(
    z.object({ at: instant, byRevision: z.array(z.tuple([z.string(), z.number(), z.number()])) }),
  ),
  events: z.array(
    z.object({
      at: instant,
      reason: z.string(),
      message: z.string(),
      object: z.string(),
      count: z.number(),
    }),
  ),
  /**
   * Objects in the cluster that record the same progressive rollout:
   * `/api/rollouthistories/{namespace}/{name}`.
   */
  rolloutHistories: z.array(z.object({ namespace: z.string(), name: z.string() })),
  /** What changed in the template; null where it can't be shown, which `diffNote` explains. */
  diff: z.nullable(diffSchema),
  diffNote: z.nullable(z.string()),
});
export type RecordAnswer = Immutable<z.infer<typeof recordSchema>>;

export const recordFormatQuerySchema = z.object({
  /** `rollouthistory`: in the format of OpenKruise's RolloutHistory. */
  format: z._default(z.enum(['json', 'rollouthistory']), 'json'),
});

/** How big the archive is and how far back it reaches. */
export const archiveSchema = z.object({
  engine: z.enum(['sqlite', 'postgres']),
  bytes: z.number(),
  oldestAt: z.nullable(instant),
});
export type ArchiveAnswer = z.infer<typeof archiveSchema>;

const filterText = z.optional(z.string().check(z.maxLength(253)));

export const recordListQuerySchema = z.object({
  /** Words that all occur, by prefix, in workload, namespace, images, cause, summary or actor. */
  q: z.optional(z.string().check(z.maxLength(200))),
  /** One or several, comma separated. */
  namespace: z.optional(z.string().check(z.maxLength(4_000))),
  resource: z.optional(z.string().check(z.maxLength(2_000))),
  name: filterText,
  uid: filterText,
  /** One or several, comma separated; `open` for those that have not ended. */
  outcome: z.optional(z.string().check(z.maxLength(200))),
  actor: filterText,
  image: z.optional(z.string().check(z.maxLength(1_000))),
  /** RFC 3339 time, or a duration back from now: `1h`, `7d`. */
  since: z.optional(z.string().check(z.maxLength(40))),
  until: z.optional(z.string().check(z.maxLength(40))),
  reviewed: z.optional(z.enum(['0', '1', 'true', 'false'])),
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(200)), 50),
  cursor: z.optional(z.string().check(z.maxLength(500))),
});
export type RecordListQuery = z.output<typeof recordListQuerySchema>;

export const reviewRequestSchema = z
  .strictObject({
    verdict: z.enum(verdicts),
    comment: z._default(prose, ''),
    followUp: z._default(
      z.nullable(
        z.strictObject({
          person: z.string().check(
            z.maxLength(200),
            z.refine((text) => text.trim() !== '', 'must name somebody'),
            z.refine((text) => !hasControls(text), 'must hold no control characters'),
          ),
          due: day,
        }),
      ),
      null,
    ),
    /** `review.version` as shown to the viewer. */
    ifVersion: z.number().check(z.int(), z.minimum(0)),
  })
  .check(
    z.refine(({ verdict, followUp }) => followUp === null || verdict === 'followUp', {
      path: ['followUp'],
      message: 'belongs to the verdict followUp only',
    }),
    z.refine(({ verdict, followUp }) => followUp !== null || verdict !== 'followUp', {
      path: ['followUp'],
      message: 'must say who follows up and by when, as {"person": "ann", "due": "2026-01-31"}',
    }),
  );
export type ReviewRequest = z.input<typeof reviewRequestSchema>;

export const commentRequestSchema = z.strictObject({
  body: comment,
  path: z._default(
    z.nullable(
      z.string().check(
        z.maxLength(1_000),
        z.refine((text) => !hasControls(text), 'must hold no control characters'),
      ),
    ),
    null,
  ),
  answers: z._default(z.nullable(z.string().check(z.maxLength(200))), null),
});
export type CommentRequest = z.input<typeof commentRequestSchema>;

export const commentEditSchema = z.strictObject({ body: comment });
export const pinRequestSchema = z.strictObject({ pinned: z.boolean() });

export const reviewAnswerSchema = z.object({ review: reviewSchema });
export type ReviewAnswer = Immutable<z.infer<typeof reviewAnswerSchema>>;

function isDay(text: string): boolean {
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}

function hasControls(text: string): boolean {
  return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(
    text,
  );
}
