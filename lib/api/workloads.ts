import { z } from 'zod';
import { workloadActionNames } from '@/lib/api/action-values';
import {
  conditionSchema,
  freshnessSchema,
  imageSchema,
  instant,
  linkSchema,
  maskedMap,
  maskedText,
  ofClusters,
  partialSchema,
  workloadIdentitySchema,
  writerSchema,
} from '@/lib/api/common';
import { ownerSchema } from '@/lib/api/owner';
import { groupsSchema } from '@/lib/api/groups';
import { incarnationItemSchema } from '@/lib/api/earlier-incarnation';
import { blockerSchema } from '@/lib/api/pods';
import { rolloutSummarySchema } from '@/lib/api/records';
import { revisionItemSchema } from '@/lib/api/revisions';
import { workloadStates } from '@/lib/api/workload-values';
import type { Immutable } from '@/lib/immutable';

const stateSchema = z.enum(workloadStates);

const podsByRevisionSchema = z.object({
  /** Null: the pods' revision is pruned or unknown. */
  revision: z.number().nullable(),
  id: z.string().nullable(),
  /** The revision that the spec requests. */
  target: z.boolean(),
  pods: z.number(),
  ready: z.number(),
});

/** The transition to the current target, as far as the cluster proves it. Null times mean unknown. */
const lastRolloutSchema = z.object({
  from: z.number().nullable(),
  to: z.number().nullable(),
  startedAt: instant.nullable(),
  /** Bound of an unknown start: it began no later than this. */
  notAfter: instant.nullable(),
  writer: writerSchema.nullable(),
  changeCause: maskedText.nullable(),
  restart: z.boolean(),
  /** Null where nothing was recorded. */
  record: rolloutSummarySchema.nullable(),
});

const dueActionSchema = z.object({
  /** `open`: what it waits for is confirmed elsewhere; the page of the rollout says where. */
  action: z.enum(['approve', 'resume', 'rollback', 'open']),
  /** The full name of the action: "Approve batch 3"; without the target of a rollback. */
  label: z.string(),
  /** The rollout that it acts on; null for the workload itself. */
  rollout: z.object({ resource: z.string(), namespace: z.string(), name: z.string() }).nullable(),
});

export type DueAction = Immutable<z.infer<typeof dueActionSchema>>;

export const workloadItemSchema = workloadIdentitySchema.extend({
  state: stateSchema,
  message: maskedText,
  /** Its kind does not report its rollouts, and there is no other problem: `unknown` then needs no attention. */
  unreported: z.literal(true).optional(),
  /** It is `held` because a step of its rollout waits for approval. */
  awaitsApproval: z.literal(true).optional(),
  /** What holds it is a rollout that continues without a person. */
  heldByRollout: z.literal(true).optional(),
  /** The action that its state calls for, in lists only. Absent: none, or the viewer can't do it. */
  dueAction: dueActionSchema.optional(),
  since: instant.nullable(),
  /** Null while the template is pending (recorded by no revision yet). */
  targetRevision: z.number().nullable(),
  targetId: z.string().nullable(),
  revisions: z.object({ total: z.number(), live: z.number() }),
  pods: z.object({
    desired: z.number(),
    ready: z.number(),
    /** Target first, then newest first. */
    byRevision: z.array(podsByRevisionSchema),
  }),
  images: z.array(imageSchema),
  lastRollout: lastRolloutSchema.nullable(),
  createdAt: instant,
  labels: maskedMap,
});
export type WorkloadItem = Immutable<z.infer<typeof workloadItemSchema>>;

export const workloadListSchema = freshnessSchema.extend({
  items: z.array(workloadItemSchema),
  nextCursor: z.string().nullable(),
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
  ...ofClusters,
  namespace: z.string().max(253).optional(),
  resource: z.string().max(253).optional(),
  /** One state or several, comma separated. */
  state: z.string().max(200).optional(),
  /** Words that all occur in name, namespace, image, cause or writer. */
  q: z.string().max(200).optional(),
  labelSelector: z.string().max(1000).optional(),
  /** RFC 3339 time, or a duration back from now: `1h`, `30m`, `7d`. */
  changedSince: z.string().max(40).optional(),
  /** Only these: `deployments.apps/shop/cart`, comma separated. */
  keys: z.string().max(16_000).optional(),
  /** Only those with more than one live revision. */
  moreThanOneLive: z.enum(['1']).optional(),
  /** Only those with a rollout in progress that is not among those in progress of `GET /api/rollouts`. */
  plainRollout: z.enum(['1']).optional(),
  limit: z.coerce.number().int().min(1).max(20_000).default(500),
  cursor: z.string().max(500).optional(),
});
export type WorkloadListQuery = z.infer<typeof workloadListQuerySchema>;

/** What writes a workload from a description elsewhere, or controls it. */

const controlSchema = z.object({
  action: z.enum(workloadActionNames),
  /** False: `reason` explains why it can't be done now. */
  enabled: z.boolean(),
  reason: maskedText.nullable(),
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
  healthy: z.boolean().nullable(),
  message: maskedText.nullable(),
});

export const componentItemSchema = componentSchema.extend({
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
      rollout: z.object({ resource: z.string(), namespace: z.string(), name: z.string() }).nullable(),
    }),
  ),
  /** How many there are beyond them. */
  hidden: z.number(),
});
export type ComponentItem = Immutable<z.infer<typeof componentItemSchema>>;

/** Who writes the revisions of a workload. */
const producerSchema = z.object({
  /** "Kruise UnitedDeployment"; null where Shiplog does not know the controller. */
  name: z.string().nullable(),
  /** The meaning of its numbers and revisions, and what they do not mean: one sentence each. */
  notes: z.array(maskedText),
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
  owner: z.object({ apiVersion: z.string(), kind: z.string(), name: z.string() }).nullable(),
  /** Name of the component that the revisions name. */
  component: z.string().nullable(),
});

export const workloadDetailSchema = freshnessSchema.extend({
  workload: workloadItemSchema.extend({
    /** HMAC over cluster, uid and the unmasked template: identifies what the viewer saw, for an action. */
    seen: z.string(),
    /** One or two sentences for the top of the page, after the state. */
    sentence: maskedText,
    strategy: z.string(),
    paused: z.boolean(),
    replicas: z.number().nullable(),
    /** Null for a kind that has none. */
    partition: z.number().nullable(),
    /** What it holds: pods with lower ordinals, or that many of the desired pods. */
    partitionKeeps: z.enum(['ordinals', 'number']).nullable(),
    /** What the partition counts where that is not pods, and the desired number of them. */
    partitionOf: z.object({ noun: z.string(), total: z.number() }).optional(),
    revisionHistoryLimit: z.number().nullable(),
    generation: z.number(),
    observedGeneration: z.number().nullable(),
    deletedAt: instant.nullable(),
    blockers: z.array(blockerSchema),
    conditions: z.array(conditionSchema),
    owners: z.array(ownerSchema),
    controls: z.array(controlSchema),
    /** What a rollback offers first. */
    defaultTarget: z
      .object({
        id: z.string(),
        number: z.number().nullable(),
        why: z.string(),
        /** How many recorded rollouts a rollback to it reverts. Absent: unknown. */
        reverts: z.number().optional(),
        /** The archive can't be read, so nothing proves that it ran well. Absent: it is chosen by default. */
        unproven: z.literal(true).optional(),
      })
      .nullable(),
    /** What `kubectl rollout status` prints; empty where it quotes pods that the viewer can't list. */
    kubectlStatus: maskedText,
    /** The command that prints it. Absent: `kubectl rollout status`. */
    kubectlCommand: z.string().optional(),
    links: z.array(linkSchema),
    annotations: maskedMap,
    /** A rollback may move the partition in the same write. */
    movesPartition: z.literal(true).optional(),
    /** Who writes its revisions and what they mean; absent for kinds that Shiplog knows well. */
    producer: producerSchema.optional(),
    /** True: only the order of the revisions shows which of them is the target. */
    targetAssumed: z.boolean().optional(),
    /** Why its object can't be read; absent where it can. */
    placeholder: placeholderSchema.optional(),
    /** Of a kind whose pods are created and deleted in groups; absent for all others. */
    groups: groupsSchema.optional(),
    /** What it describes, with the workloads generated from it; absent for kinds that create pods. */
    components: z.array(componentItemSchema).optional(),
    /** The workload that generated this one, if the viewer may see it. */
    generator: generatorSchema.optional(),
    /** The progressive rollout that controls it; null where there is none, or none that the viewer may see. */
    rollout: z
      .object({
        resource: z.string(),
        namespace: z.string(),
        name: z.string(),
        /** Shiplog's record of the rollout in progress; null where there is none. */
        record: z.object({ id: z.string() }).nullable(),
      })
      .nullable(),
  }),
  revisions: z.array(revisionItemSchema),
  /** Match the selector, have no owner. */
  orphans: z.array(z.object({ name: z.string(), number: z.number().nullable(), createdAt: instant })),
  /** Objects that its controller keeps as ControllerRevisions and that are no revisions, newest first. */
  stored: z
    .array(
      z.object({
        name: z.string(),
        createdAt: instant,
        /** What it is a copy of; null where it only holds some state. */
        holds: z.object({ kind: z.string(), name: z.string().nullable() }).nullable(),
      }),
    )
    .optional(),
  /** Numbers that must have existed and are pruned. */
  gaps: z.array(z.number()),
  /** Of this name, the current one first; empty where nothing was recorded. */
  incarnations: z.array(incarnationItemSchema),
  warnings: z.array(maskedText),
  partial: z.array(partialSchema),
});
export type WorkloadDetail = Immutable<z.infer<typeof workloadDetailSchema>>;
