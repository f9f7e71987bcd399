import { z } from 'zod/mini';
import { freshnessSchema, instant, partialSchema, writerSchema } from '@/lib/api/common';
import { rolloutStyleSchema, stepPauseSchema, trafficSchema } from '@/lib/api/rollout-parts';
import { conditionSchema, imageSchema, makerSchema, rolloutMarkSchema } from '@/lib/api/workloads';
import { recordFindings, recordStates } from '@/lib/rollout/record-picture';
import { rolloutActionNames, rolloutStates, stepStates } from '@/lib/rollout/rollout';

export const rolloutStateSchema = z.enum(rolloutStates);
export const stepStateSchema = z.enum(stepStates);

/** What has to happen before it goes on; `text` is a sentence. */
export const waitSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.enum(['approval', 'traffic', 'analysis', 'resume', 'workload', 'controller', 'cleanup']),
    text: z.string(),
  }),
  z.object({ kind: z.literal('time'), text: z.string(), seconds: z.number(), until: z.nullable(instant) }),
  z.object({ kind: z.literal('pods'), text: z.string(), missing: z.nullable(z.number()) }),
]);

export const rolloutPodSchema = z.object({
  uid: z.string(),
  name: z.string(),
  ip: z.nullable(z.string()),
  node: z.nullable(z.string()),
  phase: z.string(),
  ready: z.boolean(),
  readyAt: z.nullable(instant),
  createdAt: instant,
  restarts: z.number(),
  /** Why it won't become ready by itself; null where nothing says so. */
  blocked: z.nullable(z.string()),
  revision: z.nullable(z.number()),
  revisionId: z.nullable(z.string()),
});
export type RolloutPodItem = z.infer<typeof rolloutPodSchema>;

export const rolloutStepSchema = z.object({
  /** Counts from 1. */
  index: z.number(),
  state: stepStateSchema,
  /** What it does, where that is more than pods and traffic: "waits 60 seconds". */
  does: z.nullable(z.string()),
  since: z.nullable(instant),
  replicas: z.object({
    /** Pods of the new revision that there are to be after this step. */
    planned: z.nullable(z.number()),
    /** The plan in the system's words: `20%`, `3`. */
    asked: z.nullable(z.string()),
    updated: z.nullable(z.number()),
    ready: z.nullable(z.number()),
  }),
  /** `evidence` says what `actual` is known from. */
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

export const releaseRevisionSchema = z.object({
  /** The system's own word for it. */
  hash: z.nullable(z.string()),
  /** Null while no source object of the workload carries it. */
  id: z.nullable(z.string()),
  number: z.nullable(z.number()),
  name: z.nullable(z.string()),
  /** The workload asks for it, and nothing has recorded it so far. */
  pending: z.boolean(),
  images: z.array(imageSchema),
});

export const rolloutActionSchema = z.object({
  name: z.enum(rolloutActionNames),
  allowed: z.boolean(),
  /** Why it can't be done now. */
  reason: z.nullable(z.string()),
  /** Of what can't be done: a rollback of the workload does the same. Left out: nothing does. */
  instead: z.optional(z.literal('workload')),
  /** What one should know before. */
  consequence: z.nullable(z.string()),
  /** The steps that may be named with it; null where it takes none. */
  steps: z.nullable(z.array(z.number())),
  /** Of a deletion that may take back what was done: whether it does so as things stand. Left out: it can't. */
  revert: z.optional(z.boolean()),
});

export const rolloutItemSchema = z.object({
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
  /** The system's own word. */
  phase: z.string(),
  /** Of the state, for people. */
  message: z.string(),
  /** What the system itself says; it may lag behind. */
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
    stable: z.nullable(releaseRevisionSchema),
    updated: z.nullable(releaseRevisionSchema),
    /** What changed from one to the other, in one line. */
    summary: z.nullable(z.string()),
    /** What to ask the workload's `…/diff` for; null where one of them is gone. */
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
  /** Whether new pods take the place of stable ones; left out where the style says it. */
  replacesPods: z.optional(z.boolean()),
  /** Workloads of the namespace that the stable pods are of. Left out: they are of the workload. */
  sources: z.optional(z.array(z.object({ resource: z.string(), name: z.string() }))),
  /** What the plan says that steps do not tell, in sentences. */
  plan: z.optional(z.array(z.string())),
  steps: z.array(rolloutStepSchema),
  /** Of the new revision, in no step that can be told. */
  unassignedPods: z.array(rolloutPodSchema),
  unassignedPodCount: z.number(),
  /** Workloads that the system made for the release, such as a canary Deployment. */
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
  /** Sentences about what is odd. */
  notes: z.array(z.string()),
  actions: z.array(rolloutActionSchema),
  /** What an action must have seen: it stands for the object, its step, its revisions and the workload's template. */
  seen: z.string(),
});
export type RolloutItem = z.infer<typeof rolloutItemSchema>;

export const rolloutListSchema = z.extend(freshnessSchema, {
  items: z.array(rolloutItemSchema),
  nextCursor: z.nullable(z.string()),
  partial: z.array(partialSchema),
  /** Over everything that the viewer may see and the filters but `state` let through. */
  counts: z.object({ total: z.number(), byState: z.partialRecord(rolloutStateSchema, z.number()) }),
  /** Whether the cluster serves any system of rollouts. */
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
  /** Our own record of the release that is under way, or that was the last one: `/records/{id}`. */
  record: z.nullable(rolloutMarkSchema),
  /** What its workload was made for, if the viewer may see it. */
  maker: z.optional(makerSchema),
  partial: z.array(partialSchema),
});
export type RolloutDetail = z.infer<typeof rolloutDetailSchema>;

/** A fact of a record with what it is known from. */
const fact = <T extends z.core.$ZodType>(value: T) =>
  z.object({
    value,
    source: z.enum(['rolloutHistory', 'labels', 'managedFields', 'rollout', 'revisions', 'record']),
  });

export const rolloutHistoryItemSchema = z.object({
  cluster: z.string(),
  resource: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  state: z.enum(recordStates),
  /** The system's own word; empty while it is not completed. */
  phase: z.string(),
  /** Of the state, for people. */
  message: z.string(),
  /** What is odd about it, each with a code for scripts. */
  findings: z.array(
    z.object({
      code: z.enum(recordFindings),
      text: z.string(),
    }),
  ),
  /** When the object was made; not when a release began. */
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
  /** Our own record of the same release; null where there is none, or none that can be told. */
  record: z.nullable(z.object({ id: z.string() })),
  /** Our own records of rollouts of the same revision of the same workload: `/records/{id}`, newest first. */
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
  /** The template that it holds, masked; null where it holds none or it may not be seen. */
  template: z.nullable(z.record(z.string(), z.unknown())),
  partial: z.array(partialSchema),
});
export type RolloutHistoryDetail = z.infer<typeof rolloutHistoryDetailSchema>;
