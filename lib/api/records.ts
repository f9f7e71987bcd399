import { z } from 'zod';
import { ownerSchema } from '@/lib/api/owner';
import { instant, maskedText, ofClusters, partialSchema, workloadIdentitySchema } from '@/lib/api/common';
import { diffSchema, revertedRolloutsSchema } from '@/lib/api/diff';
import { recordedRevisionSchema } from '@/lib/api/incarnation';
import { recordParts } from '@/lib/api/record-values';
import { recordedProgressiveRolloutSchema, recordedStepSchema, rolloutRecordSchema } from '@/lib/api/record';
import { reviewItemSchema } from '@/lib/api/review';
import type { Immutable } from '@/lib/immutable';

/*
 * Records as answers show them. Texts are masked, and hashes are keyed: equal templates have equal hashes,
 * which reveal nothing else.
 */

const revisionRefSchema = recordedRevisionSchema.pick({ number: true, id: true, hash: true });

const stepSchema = recordedStepSchema.pick({
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

const progressiveRolloutSchema = recordedProgressiveRolloutSchema.pick({
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
export const recordItemSchema = rolloutRecordSchema
  .pick({
    id: true,
    workload: true,
    from: true,
    to: true,
    startedAt: true,
    startedNotAfter: true,
    endedAt: true,
    outcome: true,
    undoneBy: true,
    actor: true,
    cause: true,
    summary: true,
    restart: true,
    images: true,
    desiredPods: true,
    steps: true,
    progressiveRollout: true,
    spans: true,
  })
  .extend({
    workload: workloadIdentitySchema,
    /** Null for the first rollout of a workload. */
    from: revisionRefSchema.nullable(),
    to: revisionRefSchema,
    steps: z.array(stepSchema),
    progressiveRollout: progressiveRolloutSchema.nullable(),
    /** Id of the record that reverted it. */
    revertedBy: z.string().nullable(),
    /** What it reverted, where it returned to an earlier template. */
    reverts: revertedRolloutsSchema.nullable(),
    pinned: z.boolean(),
    /** What the viewer is not allowed to see of it. */
    hidden: z.array(z.enum(recordParts)),
    review: reviewItemSchema,
  });
export type RecordItem = Immutable<z.infer<typeof recordItemSchema>>;

/** A short summary of a record, for lists and bars. */
export const rolloutSummarySchema = recordItemSchema.pick({
  id: true,
  outcome: true,
  undoneBy: true,
  startedAt: true,
  endedAt: true,
  actor: true,
  cause: true,
});
export type RolloutSummary = Immutable<z.infer<typeof rolloutSummarySchema>>;

/** Why the viewer can't add to a record; null where they can. */
export const refusalsSchema = z.object({
  reviews: maskedText.nullable(),
  comments: maskedText.nullable(),
  pins: maskedText.nullable(),
});

export const recordListSchema = z.object({
  items: z.array(recordItemSchema),
  nextCursor: z.string().nullable(),
  partial: z.array(partialSchema),
});
export type RecordList = Immutable<z.infer<typeof recordListSchema>>;

const recorded = rolloutRecordSchema.shape;

/** One rollout in full: a permalink that needs no cluster. */
export const recordSchema = recordItemSchema.extend({
  activation: recorded.activation,
  /** Ids of the records before and after it in the same incarnation of the workload. */
  neighbours: z.object({ previous: z.string().nullable(), next: z.string().nullable() }),
  labels: recorded.workload.shape.labels,
  strategy: recorded.strategy,
  actionId: recorded.actionId,
  others: z.array(revisionRefSchema),
  clockAheadMs: recorded.clockAheadMs,
  unwatched: recorded.unwatched,
  samples: recorded.samples,
  events: recorded.events,
  /**
   * Objects in the cluster that record the same progressive rollout:
   * `/api/rollouthistories/{namespace}/{name}`.
   */
  rolloutHistories: z.array(z.object({ namespace: z.string(), name: z.string() })),
  /** What manages the workload now, and what that does to a rollback; empty once it is deleted. */
  owners: z.array(ownerSchema),
  /** What changed in the template; null where it can't be shown, which `diffNote` explains. */
  diff: diffSchema.nullable(),
  diffNote: maskedText.nullable(),
  refusals: refusalsSchema,
});
export type RecordAnswer = Immutable<z.infer<typeof recordSchema>>;

export const recordFormatQuerySchema = z.object({
  /** `rollouthistory`: in the format of OpenKruise's RolloutHistory. */
  format: z.enum(['json', 'rollouthistory']).default('json'),
});

/** How big the archive is and how far back it reaches. */
export const archiveSchema = z.object({
  engine: z.enum(['sqlite', 'postgres']),
  bytes: z.number(),
  oldestAt: instant.nullable(),
});
export type ArchiveAnswer = z.infer<typeof archiveSchema>;

const filterText = z.string().max(253).optional();

export const recordListQuerySchema = z.object({
  ...ofClusters,
  /** Words that all occur, by prefix, in workload, namespace, images, cause, summary or actor. */
  q: z.string().max(200).optional(),
  /** One or several, comma separated. */
  namespace: z.string().max(4_000).optional(),
  resource: z.string().max(2_000).optional(),
  name: filterText,
  uid: filterText,
  /** One or several, comma separated; `open` for those that have not ended. */
  outcome: z.string().max(200).optional(),
  actor: filterText,
  image: z.string().max(1_000).optional(),
  /** RFC 3339 time, or a duration back from now: `1h`, `7d`. */
  since: z.string().max(40).optional(),
  until: z.string().max(40).optional(),
  reviewed: z.enum(['0', '1', 'true', 'false']).optional(),
  /** `me`: those with a comment that mentions the viewer. */
  mentions: z.enum(['me']).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional(),
});
export type RecordListQuery = z.output<typeof recordListQuerySchema>;

export const pinRequestSchema = z.strictObject({ pinned: z.boolean() });
