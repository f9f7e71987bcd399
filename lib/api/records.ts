import { z } from 'zod/mini';
import { instant, workloadIdentitySchema } from '@/lib/api/common';
import { diffSchema, revertedRolloutsSchema } from '@/lib/api/diff';
import { recordedRevisionSchema } from '@/lib/api/incarnation';
import { recordedProgressiveRolloutSchema, recordedStepSchema, rolloutRecordSchema } from '@/lib/api/record';
import { reviewItemSchema } from '@/lib/api/review';
import { type Immutable } from '@/lib/immutable';

/*
 * Records as answers show them. Texts are masked, and hashes are keyed: equal templates have equal hashes,
 * which reveal nothing else.
 */

const revisionRefSchema = z.pick(recordedRevisionSchema, { number: true, id: true, hash: true });

const stepSchema = z.pick(recordedStepSchema, {
  index: true,
  name: true,
  kind: true,
  planned: true,
  startedAt: true,
  endedAt: true,
  state: true,
  pods: true,
  more: true,
  moreRemoved: true,
  removed: true,
});
export type StepItem = Immutable<z.infer<typeof stepSchema>>;

const progressiveRolloutSchema = z.pick(recordedProgressiveRolloutSchema, {
  system: true,
  resource: true,
  name: true,
  uid: true,
  id: true,
  style: true,
  routes: true,
  plan: true,
  planEditedAt: true,
  jumps: true,
  result: true,
  unassigned: true,
  moreUnassigned: true,
});
export type RecordedProgressiveRolloutItem = Immutable<z.infer<typeof progressiveRolloutSchema>>;

/** One rollout as lists show it. */
export const recordItemSchema = z.extend(
  z.pick(rolloutRecordSchema, {
    id: true,
    workload: true,
    from: true,
    to: true,
    startedAt: true,
    startedNotAfter: true,
    endedAt: true,
    outcome: true,
    actor: true,
    cause: true,
    summary: true,
    restart: true,
    images: true,
    desiredPods: true,
    steps: true,
    release: true,
    spans: true,
  }),
  {
    workload: workloadIdentitySchema,
    /** Null for the first rollout of a workload. */
    from: z.nullable(revisionRefSchema),
    to: revisionRefSchema,
    steps: z.array(stepSchema),
    release: z.nullable(progressiveRolloutSchema),
    /** Id of the record that reverted it. */
    revertedBy: z.nullable(z.string()),
    /** What it reverted, where it returned to an earlier template. */
    takesBack: z.nullable(revertedRolloutsSchema),
    pinned: z.boolean(),
    review: reviewItemSchema,
  },
);
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

const recorded = rolloutRecordSchema.shape;

/** One rollout in full: a permalink that needs no cluster. */
export const recordSchema = z.extend(recordItemSchema, {
  activation: recorded.activation,
  /** Ids of the records before and after it in the same incarnation of the workload. */
  neighbours: z.object({ previous: z.nullable(z.string()), next: z.nullable(z.string()) }),
  labels: recorded.workload.shape.labels,
  strategy: recorded.strategy,
  actionId: recorded.actionId,
  others: z.array(revisionRefSchema),
  unwatched: recorded.unwatched,
  samples: recorded.samples,
  events: recorded.events,
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

export const pinRequestSchema = z.strictObject({ pinned: z.boolean() });
