import { z } from 'zod';
import { rolloutActionNames } from '@/lib/api/action-values';
import {
  conditionSchema,
  freshnessSchema,
  imageSchema,
  instant,
  maskedText,
  ofClusters,
  pageLimit,
  partialSchema,
  writerSchema,
} from '@/lib/api/common';
import { podSchema } from '@/lib/api/pods';
import { rolloutSummarySchema } from '@/lib/api/records';
import { rolloutStyleSchema, stepPauseSchema, trafficSchema } from '@/lib/api/rollout-fields';
import { rolloutStates, stepStates } from '@/lib/api/rollout-values';
import { generatorSchema } from '@/lib/api/workloads';
import type { Immutable } from '@/lib/immutable';

const rolloutStateSchema = z.enum(rolloutStates);
const stepStateSchema = z.enum(stepStates);

/** The condition under which it continues; `text` is a sentence. */
const waitSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.enum(['approval', 'traffic', 'analysis', 'resume', 'workload', 'controller', 'cleanup']),
    text: maskedText,
  }),
  z.object({ kind: z.literal('time'), text: maskedText, seconds: z.number(), until: instant.nullable() }),
  z.object({ kind: z.literal('pods'), text: maskedText, missing: z.number().nullable() }),
]);
export type Wait = Immutable<z.infer<typeof waitSchema>>;

const rolloutPodSchema = podSchema
  .pick({
    uid: true,
    name: true,
    ip: true,
    node: true,
    phase: true,
    ready: true,
    readyAt: true,
    createdAt: true,
    restarts: true,
  })
  .extend({
    /** Why it won't become ready by itself; null where no reason is known. */
    blocked: z.string().nullable(),
    /** Of the workload, by number; null where it has none. */
    revision: z.number().nullable(),
    revisionId: z.string().nullable(),
  });
export type RolloutPod = Immutable<z.infer<typeof rolloutPodSchema>>;

const rolloutStepSchema = z.object({
  /** Counts from 1. */
  index: z.number(),
  state: stepStateSchema,
  /** What it does besides pods and traffic: "waits 60 seconds". */
  does: maskedText.nullable(),
  /** Start of this state of the step. */
  since: instant.nullable(),
  replicas: z.object({
    /** Desired pods of the new revision after this step. */
    planned: z.number().nullable(),
    /** The plan in the system's format: `20%`, `3`. */
    requested: z.string().nullable(),
    updated: z.number().nullable(),
    ready: z.number().nullable(),
  }),
  /** `evidence` names the source of `actual`. */
  traffic: z.object({
    planned: trafficSchema.nullable(),
    actual: trafficSchema.nullable(),
    evidence: maskedText.nullable(),
  }),
  pause: stepPauseSchema.nullable(),
  startedAt: instant.nullable(),
  /** When all its pods were ready. */
  readyAt: instant.nullable(),
  waitsFor: waitSchema.nullable(),
  pods: z.array(rolloutPodSchema),
});
export type RolloutStep = Immutable<z.infer<typeof rolloutStepSchema>>;

/** A revision as the system names it, and the one of the workload's history that it is. */
const rolloutRevisionSchema = z.object({
  /** The system's own name for it: a hash or a name. */
  hash: z.string().nullable(),
  /** Null while no source object of the workload carries it. */
  id: z.string().nullable(),
  number: z.number().nullable(),
  name: z.string().nullable(),
  /** The workload requests it, and no source object has recorded it so far. */
  pending: z.boolean(),
  images: z.array(imageSchema),
});
export type RolloutRevision = Immutable<z.infer<typeof rolloutRevisionSchema>>;

const rolloutActionSchema = z.object({
  name: z.enum(rolloutActionNames),
  allowed: z.boolean(),
  /** Why it can't be done now. */
  reason: maskedText.nullable(),
  /**
   * Where the action is unavailable: a rollback of the workload has the same effect. Omitted: there is no
   * substitute.
   */
  instead: z.literal('workload').optional(),
  /** Warnings to read before the action. */
  consequence: maskedText.nullable(),
  /** The steps that can be requested with it; null where it takes none. */
  steps: z.array(z.number()).nullable(),
  /** Of a deletion that may revert the rollout: whether it does so as the object stands. Omitted: it can't. */
  revert: z.boolean().optional(),
});
export type RolloutAction = Immutable<z.infer<typeof rolloutActionSchema>>;

/** Another object of the system that takes part in the rollout. */
const relatedObjectSchema = z.object({
  resource: z.string(),
  kind: z.string(),
  name: z.string(),
  phase: z.string().nullable(),
  message: maskedText.nullable(),
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
  deletedAt: instant.nullable(),
  workload: z.object({
    /** Null for a kind that Shiplog does not know. */
    resource: z.string().nullable(),
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
    message: maskedText.nullable(),
    stepState: z.string().nullable(),
    conditions: z.array(conditionSchema),
  }),
  since: instant.nullable(),
  style: rolloutStyleSchema,
  paused: z.boolean(),
  disabled: z.boolean(),
  /** `index` 0: none has begun. `next`: the step that comes after it, where that is not the following one. */
  step: z.object({
    index: z.number(),
    total: z.number(),
    state: stepStateSchema.nullable(),
    next: z.number().nullable(),
  }),
  waitsFor: waitSchema.nullable(),
  /** `id`: the system's own of one rollout. */
  run: z.object({ id: z.string().nullable(), startedAt: instant.nullable() }),
  revisions: z.object({
    stable: rolloutRevisionSchema.nullable(),
    updated: rolloutRevisionSchema.nullable(),
  }),
  replicas: z.object({
    desired: z.number().nullable(),
    updated: z.number().nullable(),
    ready: z.number().nullable(),
  }),
  /** Whether new pods replace stable ones; omitted where the style implies it. */
  replacesPods: z.boolean().optional(),
  /** Workloads of the namespace that own the stable pods. Omitted: the workload itself owns them. */
  sources: z.array(z.object({ resource: z.string(), name: z.string() })).optional(),
  /** What the plan specifies besides its steps, in sentences. Omitted: nothing. */
  plan: z.array(maskedText).optional(),
  steps: z.array(rolloutStepSchema),
  /** Of the new revision, in no known step. */
  unassignedPods: z.array(rolloutPodSchema),
  /** Workloads that the system created for the rollout, such as a canary Deployment. */
  auxiliaries: z.array(z.object({ resource: z.string(), name: z.string() })),
  routes: z.array(z.object({ kind: z.string(), name: z.string() })),
  relatedObjects: z.array(relatedObjectSchema),
  /** Warnings, as sentences. */
  notes: z.array(maskedText),
  actions: z.array(rolloutActionSchema),
});

const rolloutStepItemSchema = rolloutStepSchema.extend({
  /** Of all its pods; `pods` holds 200 of a rollout at most in a list. */
  podCount: z.number(),
});
export type RolloutStepItem = Immutable<z.infer<typeof rolloutStepItemSchema>>;

export const rolloutItemSchema = progressiveRolloutSchema.extend({
  cluster: z.string(),
  run: progressiveRolloutSchema.shape.run.extend({
    /** Who wrote the template as it began, by managedFields; null where they don't prove it. */
    writer: writerSchema.nullable(),
  }),
  revisions: progressiveRolloutSchema.shape.revisions.extend({
    /** What changed from one to the other, in one line. */
    summary: maskedText.nullable(),
    /** Parameters for the workload's `…/diff`; null where one of them is deleted. */
    compare: z
      .object({
        from: z.string(),
        to: z.string(),
        /** In the same namespace, where they are not revisions of the workload. */
        of: z.object({ resource: z.string(), name: z.string() }).optional(),
      })
      .nullable(),
  }),
  steps: z.array(rolloutStepItemSchema),
  unassignedPodCount: z.number(),
  /** Precondition token of an action: covers the object, its step, its revisions and the workload's template. */
  seen: z.string(),
});
export type RolloutItem = Immutable<z.infer<typeof rolloutItemSchema>>;

export const rolloutListSchema = freshnessSchema.extend({
  items: z.array(rolloutItemSchema),
  nextCursor: z.string().nullable(),
  partial: z.array(partialSchema),
  /** Over everything that the viewer may see and that matches the filters other than `state`. */
  counts: z.object({ total: z.number(), byState: z.partialRecord(rolloutStateSchema, z.number()) }),
  /** Whether the cluster serves any rollout system. */
  served: z.boolean(),
});
export type RolloutList = Immutable<z.infer<typeof rolloutListSchema>>;

export const rolloutListQuerySchema = z.object({
  ...ofClusters,
  namespace: z.string().max(253).optional(),
  system: z.string().max(63).optional(),
  /** One state or several, comma separated. */
  state: z.string().max(300).optional(),
  /** Only these: `rollouts.rollouts.kruise.io/shop/cart`, comma separated. */
  keys: z.string().max(16_000).optional(),
  limit: pageLimit,
  cursor: z.string().max(500).optional(),
});
export type RolloutListQuery = z.infer<typeof rolloutListQuerySchema>;

export const rolloutDetailSchema = freshnessSchema.extend({
  rollout: rolloutItemSchema,
  /** Shiplog's record of the rollout in progress, or of the last one: `/records/{id}`. */
  record: rolloutSummarySchema.nullable(),
  /** The workload that generated its workload, if the viewer may see it. */
  generator: generatorSchema.optional(),
  partial: z.array(partialSchema),
});
export type RolloutDetail = Immutable<z.infer<typeof rolloutDetailSchema>>;
