import { z } from 'zod/mini';
import {
  freshnessSchema,
  imageSchema,
  instant,
  maskedObject,
  pageLimit,
  partialSchema,
} from '@/lib/api/common';
import { controllerRecordFindings, controllerRecordStates } from '@/lib/api/rollout-values';
import { type Immutable } from '@/lib/immutable';

/** A fact of a record with its source. */
const fact = <T extends z.core.$ZodType>(value: T) =>
  z.object({
    value,
    source: z.enum(['rolloutHistory', 'labels', 'managedFields', 'rollout', 'revisions', 'record']),
  });

const findingSchema = z.object({
  code: z.enum(controllerRecordFindings),
  /** A sentence. */
  text: z.string(),
});
export type ControllerRecordFinding = Immutable<z.infer<typeof findingSchema>>;

/** The pods that the system recorded of a step. */
const stepSchema = z.object({
  index: z.number(),
  podCount: z.number(),
  pods: z.array(z.object({ name: z.string(), ip: z.nullable(z.string()), node: z.nullable(z.string()) })),
});
export type ControllerRecordStep = Immutable<z.infer<typeof stepSchema>>;

export const rolloutHistoryItemSchema = z.object({
  cluster: z.string(),
  resource: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  state: z.enum(controllerRecordStates),
  /** The system's own term; empty while it is not completed. */
  phase: z.string(),
  /** Of the state, for people. */
  message: z.string(),
  /** Warnings, each with a code for scripts. */
  findings: z.array(findingSchema),
  /** When the object was created; not when a rollout began. */
  createdAt: instant,
  completedAt: z.nullable(fact(instant)),
  rollout: z.nullable(z.extend(fact(z.string()), { resource: z.string(), exists: z.boolean() })),
  releaseId: z.nullable(fact(z.string())),
  workload: z.nullable(
    z.extend(
      fact(
        z.object({
          resource: z.nullable(z.string()),
          apiVersion: z.string(),
          kind: z.string(),
          name: z.string(),
        }),
      ),
      { exists: z.boolean() },
    ),
  ),
  revision: z.nullable(fact(z.object({ id: z.string(), number: z.nullable(z.number()), name: z.string() }))),
  images: z.array(imageSchema),
  service: z.nullable(z.string()),
  ingress: z.nullable(z.string()),
  httpRoute: z.nullable(z.string()),
  steps: z.array(stepSchema),
  /** Shiplog's record of the same rollout; null where there is none, or none that can be matched. */
  record: z.nullable(z.object({ id: z.string() })),
  /** Shiplog's records of rollouts of the same revision of the same workload: `/records/{id}`, newest first. */
  records: z.array(
    z.object({
      id: z.string(),
      outcome: z.nullable(z.string()),
      startedAt: z.nullable(instant),
      endedAt: z.nullable(instant),
    }),
  ),
});
export type RolloutHistoryItem = Immutable<z.infer<typeof rolloutHistoryItemSchema>>;

export const rolloutHistoryListSchema = z.extend(freshnessSchema, {
  items: z.array(rolloutHistoryItemSchema),
  nextCursor: z.nullable(z.string()),
  partial: z.array(partialSchema),
  /** Whether the cluster serves the kind at all. */
  served: z.boolean(),
  /** What an empty list means; null when it is not empty. */
  note: z.nullable(z.string()),
});
export type RolloutHistoryList = Immutable<z.infer<typeof rolloutHistoryListSchema>>;

export const rolloutHistoryListQuerySchema = z.object({
  namespace: z.optional(z.string().check(z.maxLength(253))),
  rollout: z.optional(z.string().check(z.maxLength(253))),
  limit: pageLimit,
  cursor: z.optional(z.string().check(z.maxLength(500))),
});
export type RolloutHistoryListQuery = z.infer<typeof rolloutHistoryListQuerySchema>;

export const rolloutHistoryDetailSchema = z.extend(freshnessSchema, {
  history: rolloutHistoryItemSchema,
  /** The template that it holds, masked; null where it holds none or the viewer may not see it. */
  template: z.nullable(maskedObject),
  partial: z.array(partialSchema),
});
export type RolloutHistoryDetail = Immutable<z.infer<typeof rolloutHistoryDetailSchema>>;
