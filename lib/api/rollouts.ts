import { z } from 'zod/mini';
import { rolloutActionNames } from '@/lib/api/action-values';
import {
  conditionSchema,
  freshnessSchema,
  imageSchema,
  instant,
  maskedText,
  pageLimit,
  partialSchema,
  writerSchema,
} from '@/lib/api/common';
import { podSchema } from '@/lib/api/pods';
import { rolloutSummarySchema } from '@/lib/api/records';
import { rolloutStyleSchema, stepPauseSchema, trafficSchema } from '@/lib/api/rollout-fields';
import { rolloutStates, stepStates } from '@/lib/api/rollout-values';
import { generatorSchema } from '@/lib/api/workloads';
import { type Immutable } from '@/lib/immutable';

const rolloutStateSchema = z.enum(rolloutStates);
const stepStateSchema = z.enum(stepStates);

/** The condition under which it continues; `text` is a sentence. */
const waitSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.enum(['approval', 'traffic', 'analysis', 'resume', 'workload', 'controller', 'cleanup']),
    text: z.string(),
  }),
  z.object({ kind: z.literal('time'), text: z.string(), seconds: z.number(), until: z.nullable(instant) }),
  z.object({ kind: z.literal('pods'), text: z.string(), missing: z.nullable(z.number()) }),
]);
export type Wait = Immutable<z.infer<typeof waitSchema>>;

const rolloutPodSchema = z.extend(
  z.pick(podSchema, {
    uid: true,
    name: true,
    ip: true,
    node: true,
    phase: true,
    ready: true,
    readyAt: true,
    createdAt: true,
    restarts: true,
  }),
  {
    /** Why it won't become ready by itself; null where no reason is known. */
    blocked: z.nullable(z.string()),
    /** Of the workload, by number; null where it has none. */
    revision: z.nullable(z.number()),
    revisionId: z.nullable(z.string()),
  },
);
export type RolloutPod = Immutable<z.infer<typeof rolloutPodSchema>>;

const rolloutStepSchema = z.object({
  /** Counts from 1. */
  index: z.number(),
  state: stepStateSchema,
  /** What it does besides pods and traffic: "waits 60 seconds". */
  does: z.nullable(z.string()),
  /** Start of this state of the step. */
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
  /** When all its pods were ready. */
  readyAt: z.nullable(instant),
  waitsFor: z.nullable(waitSchema),
  pods: z.array(rolloutPodSchema),
});
export type RolloutStep = Immutable<z.infer<typeof rolloutStepSchema>>;

/** A revision as the system names it, and the one of the workload's history that it is. */
const releaseRevisionSchema = z.object({
  /** The system's own name for it: a hash or a name. */
  hash: z.nullable(z.string()),
  /** Null while no source object of the workload carries it. */
  id: z.nullable(z.string()),
  number: z.nullable(z.number()),
  name: z.nullable(z.string()),
  /** The workload requests it, and no source object has recorded it so far. */
  pending: z.boolean(),
  images: z.array(imageSchema),
});
export type ReleaseRevision = Immutable<z.infer<typeof releaseRevisionSchema>>;

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
export type RolloutAction = Immutable<z.infer<typeof rolloutActionSchema>>;

/** Another object of the system that takes part in the release. */
const relatedObjectSchema = z.object({
  resource: z.string(),
  kind: z.string(),
  name: z.string(),
  phase: z.nullable(z.string()),
  message: z.nullable(maskedText),
});
export type RelatedObjectSummary = Immutable<z.infer<typeof relatedObjectSchema>>;

/**
 * A rollout of any system. What a system lacks is null or empty; what only one has is described in text (`notes`,
 * `consequence`) or listed in `beside`. Times are null where nothing proves them.
 */
export const progressiveRolloutSchema = z.object({
  /** `openkruise`, `argo`, `flagger` */
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
  message: maskedText,
  /** The system's own message; it may lag behind. */
  reported: z.object({
    message: z.nullable(maskedText),
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
  /** `id`: the system's own of one release. */
  release: z.object({ id: z.nullable(z.string()), startedAt: z.nullable(instant) }),
  revisions: z.object({
    stable: z.nullable(releaseRevisionSchema),
    updated: z.nullable(releaseRevisionSchema),
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
  /** What the plan specifies besides its steps, in sentences. Omitted: nothing. */
  plan: z.optional(z.array(z.string())),
  steps: z.array(rolloutStepSchema),
  /** Of the new revision, in no known step. */
  unassignedPods: z.array(rolloutPodSchema),
  /** Workloads that the system created for the rollout, such as a canary Deployment. */
  auxiliaries: z.array(z.object({ resource: z.string(), name: z.string() })),
  routes: z.array(z.object({ kind: z.string(), name: z.string() })),
  beside: z.array(relatedObjectSchema),
  /** Warnings, as sentences. */
  notes: z.array(maskedText),
  actions: z.array(rolloutActionSchema),
});

const rolloutStepItemSchema = z.extend(rolloutStepSchema, {
  /** Of all its pods; `pods` holds 200 of a rollout at most in a list. */
  podCount: z.number(),
});
export type RolloutStepItem = Immutable<z.infer<typeof rolloutStepItemSchema>>;

export const rolloutItemSchema = z.extend(progressiveRolloutSchema, {
  cluster: z.string(),
  release: z.extend(progressiveRolloutSchema.shape.release, {
    /** Who wrote the template as it began, by managedFields; null where they don't prove it. */
    writer: z.nullable(writerSchema),
  }),
  revisions: z.extend(progressiveRolloutSchema.shape.revisions, {
    /** What changed from one to the other, in one line. */
    summary: z.nullable(maskedText),
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
  steps: z.array(rolloutStepItemSchema),
  unassignedPodCount: z.number(),
  /** Precondition token of an action: covers the object, its step, its revisions and the workload's template. */
  seen: z.string(),
});
export type RolloutItem = Immutable<z.infer<typeof rolloutItemSchema>>;

export const rolloutListSchema = z.extend(freshnessSchema, {
  items: z.array(rolloutItemSchema),
  nextCursor: z.nullable(z.string()),
  partial: z.array(partialSchema),
  /** Over everything that the viewer may see and that matches the filters other than `state`. */
  counts: z.object({ total: z.number(), byState: z.partialRecord(rolloutStateSchema, z.number()) }),
  /** Whether the cluster serves any rollout system. */
  served: z.boolean(),
});
export type RolloutList = Immutable<z.infer<typeof rolloutListSchema>>;

export const rolloutListQuerySchema = z.object({
  namespace: z.optional(z.string().check(z.maxLength(253))),
  system: z.optional(z.string().check(z.maxLength(63))),
  /** One state or several, comma separated. */
  state: z.optional(z.string().check(z.maxLength(300))),
  /** Only these: `rollouts.rollouts.kruise.io/shop/cart`, comma separated. */
  keys: z.optional(z.string().check(z.maxLength(16_000))),
  limit: pageLimit,
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
export type RolloutDetail = Immutable<z.infer<typeof rolloutDetailSchema>>;
