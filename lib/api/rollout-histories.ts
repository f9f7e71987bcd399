import { z } from 'zod';
import {
  freshnessSchema,
  imageSchema,
  instant,
  maskedMap,
  maskedObject,
  maskedText,
  ofClusters,
  pageLimit,
  partialSchema,
} from '@/lib/api/common';
import { controllerRecordFindings, controllerRecordStates } from '@/lib/api/rollout-values';
import type { Immutable } from '@/lib/immutable';

/** A fact of a record with its source. */
const fact = <T extends z.core.$ZodType>(value: T) =>
  z.object({
    value,
    source: z.enum(['rolloutHistory', 'labels', 'managedFields', 'rollout', 'revisions', 'record']),
  });

const findingSchema = z.object({
  code: z.enum(controllerRecordFindings),
  /** A sentence. */
  text: maskedText,
});
export type ControllerRecordFinding = Immutable<z.infer<typeof findingSchema>>;

/** The pods that the system recorded of a step. */
const stepSchema = z.object({
  index: z.number(),
  podCount: z.number(),
  pods: z.array(z.object({ name: z.string(), ip: z.string().nullable(), node: z.string().nullable() })),
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
  message: maskedText,
  /** Warnings, each with a code for scripts. */
  findings: z.array(findingSchema),
  /** When the object was created; not when a rollout began. */
  createdAt: instant,
  completedAt: fact(instant).nullable(),
  rollout: fact(z.string()).extend({ resource: z.string(), exists: z.boolean() }).nullable(),
  rolloutId: fact(z.string()).nullable(),
  workload: fact(
    z.object({
      resource: z.string().nullable(),
      apiVersion: z.string(),
      kind: z.string(),
      name: z.string(),
    }),
  )
    .extend({ exists: z.boolean() })
    .nullable(),
  revision: fact(z.object({ id: z.string(), number: z.number().nullable(), name: z.string() })).nullable(),
  images: z.array(imageSchema),
  service: z.string().nullable(),
  ingress: z.string().nullable(),
  httpRoute: z.string().nullable(),
  steps: z.array(stepSchema),
  /** Shiplog's record of the same rollout; null where there is none, or none that can be matched. */
  record: z.object({ id: z.string() }).nullable(),
  /** Shiplog's records of rollouts of the same revision of the same workload: `/records/{id}`, newest first. */
  records: z.array(
    z.object({
      id: z.string(),
      outcome: z.string().nullable(),
      startedAt: instant.nullable(),
      endedAt: instant.nullable(),
    }),
  ),
});
export type RolloutHistoryItem = Immutable<z.infer<typeof rolloutHistoryItemSchema>>;

export const rolloutHistoryListSchema = freshnessSchema.extend({
  items: z.array(rolloutHistoryItemSchema),
  nextCursor: z.string().nullable(),
  partial: z.array(partialSchema),
  /** Whether the cluster serves the kind at all. */
  served: z.boolean(),
  /** What an empty list means; null when it is not empty. */
  note: z.string().nullable(),
});
export type RolloutHistoryList = Immutable<z.infer<typeof rolloutHistoryListSchema>>;

export const rolloutHistoryListQuerySchema = z.object({
  ...ofClusters,
  namespace: z.string().max(253).optional(),
  rollout: z.string().max(253).optional(),
  limit: pageLimit,
  cursor: z.string().max(500).optional(),
});
export type RolloutHistoryListQuery = z.infer<typeof rolloutHistoryListQuerySchema>;

export const rolloutHistoryDetailSchema = freshnessSchema.extend({
  history: rolloutHistoryItemSchema,
  /** The template that it holds, masked; null where it holds none or the viewer may not see it. */
  template: maskedObject.nullable(),
  partial: z.array(partialSchema),
});
export type RolloutHistoryDetail = Immutable<z.infer<typeof rolloutHistoryDetailSchema>>;

const kruiseReference = z.object({ name: z.string(), data: maskedObject.optional() });

/**
 * A record in the format of OpenKruise's RolloutHistory, which `buildRolloutHistory` makes: the answer of a record's
 * address with `?format=rollouthistory`.
 */
export const kruiseRolloutHistorySchema = z.object({
  apiVersion: z.literal('rollouts.kruise.io/v1alpha1'),
  kind: z.literal('RolloutHistory'),
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    labels: maskedMap,
    /** What the format has no member for, as `shiplog.dev/{name}`. */
    annotations: maskedMap,
    /** When the rollout began. Absent where that was not observed. */
    creationTimestamp: instant.optional(),
  }),
  spec: z.object({
    rollout: z.object({ name: z.string(), rolloutID: z.string(), data: maskedObject.optional() }),
    workload: z.object({
      apiVersion: z.string(),
      kind: z.string(),
      name: z.string(),
      /** Absent where the template is unknown, or the viewer may not read it. */
      data: z.object({ template: maskedObject }).optional(),
    }),
    /** With an empty name where the rollout had none. */
    service: kruiseReference,
    trafficRouting: z.object({
      ingress: kruiseReference.optional(),
      httpRoute: kruiseReference.optional(),
    }),
  }),
  status: z.object({
    /** Empty while the rollout is open. */
    phase: z.enum(['', 'completed']),
    canarySteps: z.array(
      z.object({
        canaryStepIndex: z.number(),
        pods: z
          .array(z.object({ name: z.string(), ip: z.string().optional(), nodeName: z.string().optional() }))
          .optional(),
      }),
    ),
  }),
});
