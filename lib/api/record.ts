import { z } from 'zod';
import { actorSchema, imageSchema, instant, maskedText } from '@/lib/api/common';
import { incarnationSchema, recordedRevisionSchema } from '@/lib/api/incarnation';
import { outcomes, progressiveResults, spanWaits, stepOutcomes } from '@/lib/api/record-values';
import { rolloutStyleSchema, stepPauseSchema, trafficSchema } from '@/lib/api/rollout-fields';
import type { Immutable } from '@/lib/immutable';

/*
 * The record of a rollout as it is stored. Times are null where they were not observed. Answers pick from it:
 * a member that none of them names is private.
 */

const stepPodSchema = z.object({
  name: z.string(),
  uid: z.string(),
  ip: z.string().nullable(),
  node: z.string().nullable(),
  readyAt: instant.nullable(),
  restarts: z.number(),
  /** Its group of the workload. Absent: there are no groups. */
  group: z.string().optional(),
});
export type StepPod = Immutable<z.infer<typeof stepPodSchema>>;

/** A pod of another revision that went during the rollout. */
const removedPodSchema = z.object({
  name: z.string(),
  uid: z.string(),
  /** Of the template that it ran; null where its revision was unknown. */
  hash: z.string().nullable(),
  /** When it was first observed terminating; null if that was not watched. */
  goneAt: instant.nullable(),
});
export type RemovedPod = Immutable<z.infer<typeof removedPodSchema>>;

/**
 * A canary step, a batch, a partition move, or a wave of a plain rolling update, with the pods that it
 * created and those that they replaced.
 */
export const recordedStepSchema = z.object({
  /** Counts from 1. */
  index: z.number(),
  name: z.string(),
  kind: z.enum(['wave', 'partition', 'canary', 'batch']),
  /** What the step requests: "4 of 6 pods", "partition 3"; null where unknown. */
  planned: z.string().nullable(),
  startedAt: instant.nullable(),
  endedAt: instant.nullable(),
  state: z.enum(stepOutcomes),
  /** The first 200. */
  pods: z.array(stepPodSchema),
  /** How many are not listed: beyond the limit, or replaced under the same name. Absent: none. */
  more: z.number().optional(),
  /** uids of those of them that may still exist, see `StepPodList`. */
  unlisted: z.array(z.string()).optional(),
  /** How many went beyond the first 200 of `removed`. Absent: none. */
  moreRemoved: z.number().optional(),
  /** Pods of other revisions that they replaced: the first 200, each name once. */
  removed: z.array(removedPodSchema),
});
export type RecordedStep = Immutable<z.infer<typeof recordedStepSchema>>;

/** The plan of a step when the progressive rollout was first observed. */
const plannedStepSchema = z.object({
  /** Counts from 1. */
  index: z.number(),
  /** In the system's format: `20%`, `3`. */
  replicas: z.string().nullable(),
  traffic: trafficSchema.nullable(),
  pause: stepPauseSchema.nullable(),
});
export type PlannedStep = Immutable<z.infer<typeof plannedStepSchema>>;

/** The progressive rollout behind a rollout; its steps are those of the record. */
export const recordedProgressiveRolloutSchema = z.object({
  /** `openkruise` */
  system: z.string(),
  /** Of the object that controlled the workload, in its namespace; it may be deleted. */
  resource: z.string(),
  name: z.string(),
  uid: z.string(),
  /** The system's id for it, which may be reused. */
  id: z.string().nullable(),
  style: rolloutStyleSchema,
  /** Services, Ingresses, routes whose traffic it moved. */
  routes: z.array(z.object({ kind: z.string(), name: z.string() })),
  plan: z.array(plannedStepSchema),
  /** When the plan was first observed to differ. */
  planEditedAt: instant.nullable(),
  /** Where it did not continue with the following step. */
  jumps: z.array(z.object({ from: z.number(), to: z.number(), at: instant.nullable() })),
  /** Null while it is in progress. */
  result: z.enum(progressiveResults).nullable(),
  /** Pods of the new revision that came after the last step, or belong to no known one. The first 200. */
  unassigned: z.array(stepPodSchema),
  /** How many more. Absent: none. */
  moreUnassigned: z.number().optional(),
  /** As `unlisted` of a step. */
  unlistedUnassigned: z.array(z.string()).optional(),
});
export type RecordedProgressiveRollout = Immutable<z.infer<typeof recordedProgressiveRolloutSchema>>;

/** A period inside a rollout in which it made no progress. */
const rolloutSpanSchema = z.object({
  kind: z.enum(['stuck', 'held']),
  /** Of a held one. Absent: a partition holds it, or the reason is unknown. */
  waitsFor: z.enum(spanWaits).optional(),
  /** Of one without progress: its rollout controller says that it has failed, but it may still recover. */
  hasFailed: z.literal(true).optional(),
  from: instant,
  to: instant.nullable(),
  /** The latest sentence on it. */
  reason: maskedText,
  /** When that sentence first appeared; earlier ones differed. Absent in records of former versions. */
  reasonAt: instant.optional(),
});
export type RolloutSpan = Immutable<z.infer<typeof rolloutSpanSchema>>;

/** Pods by revision at one moment: `[[hash, pods, ready], …]`. */
export const podSampleSchema = z.object({
  at: instant,
  byRevision: z.array(z.tuple([z.string(), z.number(), z.number()])),
});
export type PodSample = Immutable<z.infer<typeof podSampleSchema>>;

export const rolloutEventSchema = z.object({
  at: instant,
  reason: maskedText,
  message: maskedText,
  object: z.string(),
  count: z.number(),
});
export type RolloutEvent = Immutable<z.infer<typeof rolloutEventSchema>>;

/** The record of one rollout: immutable once it has ended, except for its review. */
export const rolloutRecordSchema = z.object({
  /** Derived from cluster, uid and activation, so that the same rollout never gets a second record. */
  id: z.string(),
  workload: incarnationSchema.omit({ createdAt: true, deletedAt: true }),
  activation: z.number(),
  /** Null for the first rollout of an incarnation. */
  from: recordedRevisionSchema.nullable(),
  to: recordedRevisionSchema,
  /** Other revisions that still had pods when it began. */
  others: z.array(recordedRevisionSchema),
  startedAt: instant.nullable(),
  /** Bound of an unknown start: it began no later. */
  startedNotAfter: instant.nullable(),
  /**
   * Null while it is open, and where its end was not observed. With an unknown outcome: when it was over at
   * the latest.
   */
  endedAt: instant.nullable(),
  /** Null while it is open. */
  outcome: z.enum(outcomes).nullable(),
  /** When pods were desired after it had ended without any. Absent: it never had. */
  resumedAt: instant.optional(),
  /** The field manager of the owner that put the template before back. Absent: none did. */
  undoneBy: z.string().optional(),
  /** How far times of the cluster were ahead of their observation, at which they are cut. Absent: none was. */
  clockAheadMs: z.number().optional(),
  /** Gaps: intervals between start and end in which Shiplog was not watching. */
  unwatched: z.array(z.object({ from: instant, to: instant })),
  actor: actorSchema.nullable(),
  /** Id of the action through Shiplog that started it. */
  actionId: z.string().nullable(),
  cause: maskedText.nullable(),
  /** What changed, in a sentence, masked. */
  summary: maskedText,
  restart: z.boolean(),
  images: z.array(imageSchema),
  strategy: z.string(),
  desiredPods: z.number().nullable(),
  steps: z.array(recordedStepSchema),
  /** Null where no system stepped it. */
  progressiveRollout: recordedProgressiveRolloutSchema.nullable(),
  spans: z.array(rolloutSpanSchema),
  /** Pods by revision over time. */
  samples: z.array(podSampleSchema),
  events: z.array(rolloutEventSchema),
  pinned: z.boolean(),
});
export type RolloutRecord = Immutable<z.infer<typeof rolloutRecordSchema>>;
