import { z } from 'zod/mini';
import { actionKinds } from '@/lib/api/action-values';
import {
  conditionSchema,
  freshnessSchema,
  imageSchema,
  instant,
  linkSchema,
  maskedMap,
  maskedText,
  partialSchema,
  workloadIdentitySchema,
  writerSchema,
} from '@/lib/api/common';
import { groupsSchema } from '@/lib/api/groups';
import { incarnationItemSchema } from '@/lib/api/earlier-incarnation';
import { blockerSchema } from '@/lib/api/pods';
import { rolloutSummarySchema } from '@/lib/api/records';
import { revisionItemSchema } from '@/lib/api/revisions';
import { workloadStates } from '@/lib/api/workload-values';
import { type Immutable } from '@/lib/immutable';

const stateSchema = z.enum(workloadStates);

const podsByRevisionSchema = z.object({
  /** Null: the pods' revision is pruned or unknown. */
  revision: z.nullable(z.number()),
  id: z.nullable(z.string()),
  /** The revision that the spec requests. */
  target: z.boolean(),
  pods: z.number(),
  ready: z.number(),
});

/** The transition to the current target, as far as the cluster proves it. Null times mean unknown. */
const lastRolloutSchema = z.object({
  from: z.nullable(z.number()),
  to: z.nullable(z.number()),
  startedAt: z.nullable(instant),
  /** Bound of an unknown start: it began no later than this. */
  notAfter: z.nullable(instant),
  writer: z.nullable(writerSchema),
  changeCause: z.nullable(maskedText),
  restart: z.boolean(),
  /** Null where nothing was recorded. */
  record: z.nullable(rolloutSummarySchema),
});

export const workloadItemSchema = z.extend(workloadIdentitySchema, {
  state: stateSchema,
  message: maskedText,
  /** Its kind does not report its rollouts, and there is no other problem: `unknown` then needs no attention. */
  untold: z.optional(z.literal(true)),
  /** It is `held` because a step of its rollout waits for approval. */
  awaitsApproval: z.optional(z.literal(true)),
  since: z.nullable(instant),
  /** Null while the template is pending (recorded by no revision yet). */
  targetRevision: z.nullable(z.number()),
  targetId: z.nullable(z.string()),
  revisions: z.object({ total: z.number(), live: z.number() }),
  pods: z.object({
    desired: z.number(),
    ready: z.number(),
    /** Target first, then newest first. */
    byRevision: z.array(podsByRevisionSchema),
  }),
  images: z.array(imageSchema),
  lastRollout: z.nullable(lastRolloutSchema),
  createdAt: instant,
  labels: maskedMap,
});
export type WorkloadItem = Immutable<z.infer<typeof workloadItemSchema>>;

export const workloadListSchema = z.extend(freshnessSchema, {
  items: z.array(workloadItemSchema),
  nextCursor: z.nullable(z.string()),
  partial: z.array(partialSchema),
  /** Counts over everything that the viewer may see and that matches the filters other than `state`. */
  counts: z.object({
    total: z.number(),
    byState: z.partialRecord(stateSchema, z.number()),
    changedInLastHour: z.number(),
    moreThanOneLive: z.number(),
  }),
  namespaces: z.array(z.string()),
});
export type WorkloadList = Immutable<z.infer<typeof workloadListSchema>>;

export const workloadListQuerySchema = z.object({
  namespace: z.optional(z.string().check(z.maxLength(253))),
  resource: z.optional(z.string().check(z.maxLength(253))),
  /** One state or several, comma separated. */
  state: z.optional(z.string().check(z.maxLength(200))),
  /** Words that all occur in name, namespace, image, cause or writer. */
  q: z.optional(z.string().check(z.maxLength(200))),
  labelSelector: z.optional(z.string().check(z.maxLength(1000))),
  /** RFC 3339 time, or a duration back from now: `1h`, `30m`, `7d`. */
  changedSince: z.optional(z.string().check(z.maxLength(40))),
  /** Only these: `deployments.apps/shop/cart`, comma separated. */
  keys: z.optional(z.string().check(z.maxLength(16_000))),
  /** `live>1` rows only. */
  moreThanOneLive: z.optional(z.enum(['1'])),
  limit: z._default(z.coerce.number().check(z.int()).check(z.minimum(1)).check(z.maximum(20_000)), 500),
  cursor: z.optional(z.string().check(z.maxLength(500))),
});
export type WorkloadListQuery = z.infer<typeof workloadListQuerySchema>;

const managingToolSchema = z.object({
  /** `Argo CD`, `Flux`, `Helm`, or the kind of a controlling owner. */
  tool: z.string(),
  /** The object that describes the workload there, where a label or annotation names it. */
  name: z.nullable(z.string()),
  /** Its consequence for a rollback. */
  note: z.string(),
});
export type ManagingTool = Immutable<z.infer<typeof managingToolSchema>>;

const controlSchema = z.object({
  action: z.enum(actionKinds),
  /** False: `reason` explains why it can't be done now. */
  enabled: z.boolean(),
  reason: z.nullable(z.string()),
});

/** A workload that generates others. */
export const generatorSchema = z.object({
  resource: z.string(),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
});

/** A component that a workload describes, and that its controller creates other workloads from. */
export const componentSchema = z.object({
  /** Empty where none has the name. */
  name: z.string(),
  type: z.string(),
  /** Null where its controller does not report it. */
  healthy: z.nullable(z.boolean()),
  message: z.nullable(maskedText),
});

export const componentItemSchema = z.extend(componentSchema, {
  /** Those that the viewer may see. */
  workloads: z.array(
    z.object({
      resource: z.string(),
      kind: z.string(),
      namespace: z.string(),
      name: z.string(),
      state: stateSchema,
      message: maskedText,
      /** The progressive rollout that controls it. */
      rollout: z.nullable(z.object({ resource: z.string(), namespace: z.string(), name: z.string() })),
    }),
  ),
  /** How many there are beyond them. */
  hidden: z.number(),
});
export type ComponentItem = Immutable<z.infer<typeof componentItemSchema>>;

/** Who writes the revisions of a workload. */
const producerSchema = z.object({
  /** "Kruise UnitedDeployment"; null where Shiplog does not know the controller. */
  name: z.nullable(z.string()),
  /** The meaning of its numbers and revisions, and what they do not mean: one sentence each. */
  notes: z.array(z.string()),
});
export type ProducerDescription = Immutable<z.infer<typeof producerSchema>>;

/**
 * For a workload whose object could not be read: ControllerRevisions show that it exists, or existed. `gone`:
 * the owner is deleted, or another object has its name now; `unreadable`: reading it is not allowed;
 * `unfollowed`: there are more kinds of owners than are read; `component`: the owner has several components,
 * and this is one of them; `none`: nothing controls the revisions.
 */
export const placeholderSchema = z.object({
  state: z.enum(['gone', 'unreadable', 'unfollowed', 'component', 'none']),
  owner: z.nullable(z.object({ apiVersion: z.string(), kind: z.string(), name: z.string() })),
  /** Name of the component that the revisions name. */
  component: z.nullable(z.string()),
});

export const workloadDetailSchema = z.extend(freshnessSchema, {
  workload: z.extend(workloadItemSchema, {
    /** HMAC over cluster, uid and the unmasked template: identifies what the viewer saw, for an action. */
    seen: z.string(),
    /** One or two sentences for the top of the page, after the state. */
    sentence: maskedText,
    strategy: z.string(),
    paused: z.boolean(),
    replicas: z.nullable(z.number()),
    /** Null for a kind that has none. */
    partition: z.nullable(z.number()),
    /** What it holds: pods with lower ordinals, or that many of the desired pods. */
    partitionKeeps: z.nullable(z.enum(['ordinals', 'number'])),
    /** What the partition counts where that is not pods, and the desired number of them. */
    partitionOf: z.optional(z.object({ noun: z.string(), total: z.number() })),
    revisionHistoryLimit: z.nullable(z.number()),
    generation: z.number(),
    observedGeneration: z.nullable(z.number()),
    deletedAt: z.nullable(instant),
    blockers: z.array(blockerSchema),
    conditions: z.array(conditionSchema),
    owners: z.array(managingToolSchema),
    controls: z.array(controlSchema),
    /** What a rollback offers first. */
    defaultTarget: z.nullable(
      z.object({
        id: z.string(),
        number: z.nullable(z.number()),
        why: z.string(),
        /** How many recorded rollouts a rollback to it reverts. Absent: unknown. */
        reverts: z.optional(z.number()),
      }),
    ),
    /** What `kubectl rollout status` prints. */
    kubectlStatus: maskedText,
    /** The command that prints it. Absent: `kubectl rollout status`. */
    kubectlCommand: z.optional(z.string()),
    links: z.array(linkSchema),
    annotations: maskedMap,
    /** A rollback may move the partition in the same write. */
    movesPartition: z.optional(z.literal(true)),
    /** Who writes its revisions and what they mean; absent for kinds that Shiplog knows well. */
    producer: z.optional(producerSchema),
    /** True: only the order of the revisions shows which of them is the target. */
    targetAssumed: z.optional(z.boolean()),
    /** Why its object can't be read; absent where it can. */
    standIn: z.optional(placeholderSchema),
    /** Of a kind whose pods are created and deleted in groups; absent for all others. */
    groups: z.optional(groupsSchema),
    /** What it describes, with the workloads generated from it; absent for kinds that create pods. */
    components: z.optional(z.array(componentItemSchema)),
    /** The workload that generated this one, if the viewer may see it. */
    maker: z.optional(generatorSchema),
    /** The progressive rollout that controls it; null where there is none, or none that the viewer may see. */
    rollout: z.nullable(
      z.object({
        resource: z.string(),
        namespace: z.string(),
        name: z.string(),
        /** Shiplog's record of the rollout in progress; null where there is none. */
        record: z.nullable(z.object({ id: z.string() })),
      }),
    ),
  }),
  revisions: z.array(revisionItemSchema),
  /** Match the selector, have no owner. */
  orphans: z.array(z.object({ name: z.string(), number: z.nullable(z.number()), createdAt: instant })),
  /** Objects that its controller keeps as ControllerRevisions and that are no revisions, newest first. */
  stored: z.optional(
    z.array(
      z.object({
        name: z.string(),
        createdAt: instant,
        /** What it is a copy of; null where it only holds some state. */
        holds: z.nullable(z.object({ kind: z.string(), name: z.nullable(z.string()) })),
      }),
    ),
  ),
  /** Numbers that must have existed and are pruned. */
  gaps: z.array(z.number()),
  /** Of this name, the current one first; empty where nothing was recorded. */
  lives: z.array(incarnationItemSchema),
  warnings: z.array(maskedText),
  partial: z.array(partialSchema),
});
export type WorkloadDetail = Immutable<z.infer<typeof workloadDetailSchema>>;
