import { z } from 'zod/mini';
import { freshnessSchema, instant, partialSchema, writerSchema } from '@/lib/api/common';
import { rolloutStyleSchema, stepPauseSchema, trafficSchema } from '@/lib/api/rollout-fields';
import { conditionSchema, imageSchema, generatorSchema, rolloutSummarySchema } from '@/lib/api/workloads';
import {
  rolloutStates,
  stepStates,
  controllerRecordFindings,
  controllerRecordStates,
} from '@/lib/api/rollout-values';
import { rolloutActionNames } from '@/lib/api/action-values';

const rolloutStateSchema = z.enum(rolloutStates);
const stepStateSchema = z.enum(stepStates);

/** What it waits for; `text` is a sentence. */
const waitSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.enum(['approval', 'traffic', 'analysis', 'resume', 'workload', 'controller', 'cleanup']),
    text: z.string(),
  }),
  z.object({ kind: z.literal('time'), text: z.string(), seconds: z.number(), until: z.nullable(instant) }),
  z.object({ kind: z.literal('pods'), text: z.string(), missing: z.nullable(z.number()) }),
]);

const rolloutPodSchema = z.object({
  uid: z.string(),
  name: z.string(),
  ip: z.nullable(z.string()),
  node: z.nullable(z.string()),
  phase: z.string(),
  ready: z.boolean(),
  readyAt: z.nullable(instant),
  createdAt: instant,
  restarts: z.number(),
  /** Why it won't become ready by itself; null where unknown. */
  blocked: z.nullable(z.string()),
  revision: z.nullable(z.number()),
  revisionId: z.nullable(z.string()),
});
export type RolloutPodItem = z.infer<typeof rolloutPodSchema>;

const rolloutStepSchema = z.object({
  /** Counts from 1. */
  index: z.number(),
  state: stepStateSchema,
  /** What it does besides pods and traffic: "waits 60 seconds". */
  does: z.nullable(z.string()),
  since: z.nullable(instant),
  replicas: z.object({
    /** Desired pods of the new revision after this step. */
    planned: z.nullable(z.number()),
    /** The plan in the system's format: `20%`, `3`. */
    asked: z.nullable(z.string()),
    updated: z.nullable(z.number()),
    ready: z.nullable(z.number()),
  }),
  /** `evidence` names the source of `actual`. */
  traffic: z.object({
    planned: z.nullable(trafficSchema),
    actual: z.nullable(trafficSchema),
    evidence: z.nullable(z.string()),
  }),
  pause: z.nullable(stepPauseSchema),
  startedAt: z.nullable(instant),
  readyAt: z.nullable(instant),
  waitsFor: z.nullable(waitSchema),
  /** Of all its pods; `pods` holds 200 of a rollout at most in a list. */
  podCount: z.number(),
  pods: z.array(rolloutPodSchema),
});
export type RolloutStepItem = z.infer<typeof rolloutStepSchema>;

const rolloutRevisionSchema = z.object({
  /** The system's own term for it. */
  hash: z.nullable(z.string()),
  /** Null while no source object of the workload carries it. */
  id: z.nullable(z.string()),
  number: z.nullable(z.number()),
  name: z.nullable(z.string()),
  /** The workload requests it, and no source object has recorded it so far. */
  pending: z.boolean(),
  images: z.array(imageSchema),
});

const rolloutActionSchema = z.object({
  name: z.enum(rolloutActionNames),
  allowed: z.boolean(),
  /** Why it can't be done now. */
  reason: z.nullable(z.string()),
  /**
   * Where the action is unavailable: a rollback of the workload has the same effect. Omitted: there is no
   * substitute.
   */
  instead: z.optional(z.literal('workload')),
  /** Warnings to read before the action. */
  consequence: z.nullable(z.string()),
  /** The steps that can be requested with it; null where it takes none. */
  steps: z.nullable(z.array(z.number())),
  /** Of a deletion that may revert the rollout: whether it does so as the object stands. Omitted: it can't. */
  revert: z.optional(z.boolean()),
});

const rolloutItemSchema = z.object({
  cluster: z.string(),
  /** `openkruise` */
  system: z.string(),
  resource: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  createdAt: instant,
  deletedAt: z.nullable(instant),
  workload: z.object({
    /** Null for a kind that Shiplog does not know. */
    resource: z.nullable(z.string()),
    apiVersion: z.string(),
    kind: z.string(),
    name: z.string(),
    state: z.enum(['found', 'missing', 'unknown']),
  }),
  state: rolloutStateSchema,
  /** The system's own term. */
  phase: z.string(),
  /** Of the state, for people. */
  message: z.string(),
  /** The system's own message; it may lag behind. */
  reported: z.object({
    message: z.nullable(z.string()),
    stepState: z.nullable(z.string()),
    conditions: z.array(conditionSchema),
  }),
  since: z.nullable(instant),
  style: rolloutStyleSchema,
  paused: z.boolean(),
  disabled: z.boolean(),
  /** `index` 0: none has begun. `next`: the step that comes after it, where that is not the following one. */
  step: z.object({
    index: z.number(),
    total: z.number(),
    state: z.nullable(stepStateSchema),
    next: z.nullable(z.number()),
  }),
  waitsFor: z.nullable(waitSchema),
  release: z.object({
    id: z.nullable(z.string()),
    startedAt: z.nullable(instant),
    /** Who wrote the template as it began, by managedFields; null where they don't prove it. */
    writer: z.nullable(writerSchema),
  }),
  revisions: z.object({
    stable: z.nullable(rolloutRevisionSchema),
    updated: z.nullable(rolloutRevisionSchema),
    /** What changed from one to the other, in one line. */
    summary: z.nullable(z.string()),
    /** Parameters for the workload's `…/diff`; null where one of them is deleted. */
    compare: z.nullable(
      z.object({
        from: z.string(),
        to: z.string(),
        /** In the same namespace, where they are not revisions of the workload. */
        of: z.optional(z.object({ resource: z.string(), name: z.string() })),
      }),
    ),
  }),
  replicas: z.object({
    desired: z.nullable(z.number()),
    updated: z.nullable(z.number()),
    ready: z.nullable(z.number()),
  }),
  /** Whether new pods replace stable ones; omitted where the style implies it. */
  replacesPods: z.optional(z.boolean()),
  /** Workloads of the namespace that own the stable pods. Omitted: the workload itself owns them. */
  sources: z.optional(z.array(z.object({ resource: z.string(), name: z.string() }))),
  /** What the plan specifies besides its steps, in sentences. */
  plan: z.optional(z.array(z.string())),
  steps: z.array(rolloutStepSchema),
  /** Of the new revision, in no known step. */
  unassignedPods: z.array(rolloutPodSchema),
  unassignedPodCount: z.number(),
  /** Workloads that the system created for the rollout, such as a canary Deployment. */
  auxiliaries: z.array(z.object({ resource: z.string(), name: z.string() })),
  routes: z.array(z.object({ kind: z.string(), name: z.string() })),
  beside: z.array(
    z.object({
      resource: z.string(),
      kind: z.string(),
      name: z.string(),
      phase: z.nullable(z.string()),
      message: z.nullable(z.string()),
    }),
  ),
  /** Warnings, as sentences. */
  notes: z.array(z.string()),
  actions: z.array(rolloutActionSchema),
  /** Precondition token of an action: covers the object, its step, its revisions and the workload's template. */
  seen: z.string(),
});
export type RolloutItem = z.infer<typeof rolloutItemSchema>;

export const rolloutListSchema = z.extend(freshnessSchema, {
  items: z.array(rolloutItemSchema),
  nextCursor: z.nullable(z.string()),
  partial: z.array(partialSchema),
  /** Over everything that the viewer may see and that matches the filters other than `state`. */
  counts: z.object({ total: z.number(), byState: z.partialRecord(rolloutStateSchema, z.number()) }),
  /** Whether the cluster serves any rollout system. */
  served: z.boolean(),
});
export type RolloutList = z.infer<typeof rolloutListSchema>;

const limit = z._default(z.coerce.number().check(z.int()).check(z.minimum(1)).check(z.maximum(200)), 50);

export const rolloutListQuerySchema = z.object({
  namespace: z.optional(z.string().check(z.maxLength(253))),
  system: z.optional(z.string().check(z.maxLength(63))),
  /** One state or several, comma separated. */
  state: z.optional(z.string().check(z.maxLength(300))),
  /** Only these: `rollouts.rollouts.kruise.io/shop/cart`, comma separated. */
  keys: z.optional(z.string().check(z.maxLength(16_000))),
  limit,
  cursor: z.optional(z.string().check(z.maxLength(500))),
});
export type RolloutListQuery = z.infer<typeof rolloutListQuerySchema>;

export const rolloutDetailSchema = z.extend(freshnessSchema, {
  rollout: rolloutItemSchema,
  /** Shiplog's record of the rollout in progress, or of the last one: `/records/{id}`. */
  record: z.nullable(rolloutSummarySchema),
  /** The workload that generated its workload, if the viewer may see it. */
  maker: z.optional(generatorSchema),
  partial: z.array(partialSchema),
});
export type RolloutDetail = z.infer<typeof rolloutDetailSchema>;

/** A fact of a record with its source. */
const fact = <T extends z.core.$ZodType>(value: T) =>
  z.object({
    value,
    source: z.enum(['rolloutHistory', 'labels', 'managedFields', 'rollout', 'revisions', 'record']),
  });

const rolloutHistoryItemSchema = z.object({
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
  findings: z.array(
    z.object({
      code: z.enum(controllerRecordFindings),
      text: z.string(),
    }),
  ),
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
  steps: z.array(
    z.object({
      index: z.number(),
      podCount: z.number(),
      pods: z.array(z.object({ name: z.string(), ip: z.nullable(z.string()), node: z.nullable(z.string()) })),
    }),
  ),
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
export type RolloutHistoryItem = z.infer<typeof rolloutHistoryItemSchema>;

export const rolloutHistoryListSchema = z.extend(freshnessSchema, {
  items: z.array(rolloutHistoryItemSchema),
  nextCursor: z.nullable(z.string()),
  partial: z.array(partialSchema),
  /** Whether the cluster serves the kind at all. */
  served: z.boolean(),
  /** What an empty list means; null when it is not empty. */
  note: z.nullable(z.string()),
});
export type RolloutHistoryList = z.infer<typeof rolloutHistoryListSchema>;

export const rolloutHistoryListQuerySchema = z.object({
  namespace: z.optional(z.string().check(z.maxLength(253))),
  rollout: z.optional(z.string().check(z.maxLength(253))),
  limit,
  cursor: z.optional(z.string().check(z.maxLength(500))),
});
export type RolloutHistoryListQuery = z.infer<typeof rolloutHistoryListQuerySchema>;

export const rolloutHistoryDetailSchema = z.extend(freshnessSchema, {
  history: rolloutHistoryItemSchema,
  /** The template that it holds, masked; null where it holds none or the viewer may not see it. */
  template: z.nullable(z.record(z.string(), z.unknown())),
  partial: z.array(partialSchema),
});
export type RolloutHistoryDetail = z.infer<typeof rolloutHistoryDetailSchema>;
