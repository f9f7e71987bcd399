import { z } from 'zod';
import { freshnessSchema, instant, partialSchema, writerSchema } from '@/lib/api/common';
import { actionKinds } from '@/lib/workloads/plan';
import { workloadStates } from '@/lib/workloads/status';

export const stateSchema = z.enum(workloadStates);

export const imageSchema = z.object({ container: z.string(), image: z.string() });

export const podsByRevisionSchema = z.object({
  /** Null: the pods' revision is gone or unknown. */
  revision: z.number().nullable(),
  id: z.string().nullable(),
  /** The revision that the spec asks for. */
  target: z.boolean(),
  pods: z.number(),
  ready: z.number(),
});

export const podBlockSchema = z.object({
  kind: z.enum([
    'imagePull',
    'crashLoop',
    'configError',
    'unschedulable',
    'volume',
    'init',
    'readiness',
    'notStarted',
    'terminating',
    'failed',
  ]),
  container: z.string().nullable(),
  reason: z.string(),
  message: z.string().nullable(),
  since: instant.nullable(),
  restarts: z.number(),
  lastTermination: z
    .object({
      reason: z.string().nullable(),
      exitCode: z.number().nullable(),
      finishedAt: instant.nullable(),
    })
    .nullable(),
});

/** The transition to the present target, as far as the cluster proves it. Null times mean unknown. */
export const lastRolloutSchema = z.object({
  from: z.number().nullable(),
  to: z.number().nullable(),
  startedAt: instant.nullable(),
  /** Bound of an unknown start: it began no later than this. */
  notAfter: instant.nullable(),
  writer: writerSchema.nullable(),
  changeCause: z.string().nullable(),
  restart: z.boolean(),
});

export const workloadItemSchema = z.object({
  cluster: z.string(),
  resource: z.string(),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  state: stateSchema,
  message: z.string(),
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
  labels: z.record(z.string(), z.string()),
});
export type WorkloadItem = z.infer<typeof workloadItemSchema>;

export const workloadListSchema = freshnessSchema.extend({
  items: z.array(workloadItemSchema),
  nextCursor: z.string().nullable(),
  partial: z.array(partialSchema),
  /** Counts over everything that the viewer may see and the filters but `state` let through. */
  counts: z.object({
    total: z.number(),
    byState: z.partialRecord(stateSchema, z.number()),
    changedInLastHour: z.number(),
    moreThanOneLive: z.number(),
  }),
  namespaces: z.array(z.string()),
});
export type WorkloadList = z.infer<typeof workloadListSchema>;

export const workloadListQuerySchema = z.object({
  namespace: z.string().max(253).optional(),
  resource: z.string().max(253).optional(),
  /** One state or several, comma separated. */
  state: z.string().max(200).optional(),
  /** Words that all occur in name, namespace, image, cause or writer. */
  q: z.string().max(200).optional(),
  labelSelector: z.string().max(1000).optional(),
  /** RFC 3339 time, or a duration back from now: `1h`, `30m`, `7d`. */
  changedSince: z.string().max(40).optional(),
  /** `live>1` rows only. */
  moreThanOneLive: z.enum(['1']).optional(),
  limit: z.coerce.number().int().min(1).max(20_000).default(500),
  cursor: z.string().max(500).optional(),
});
export type WorkloadListQuery = z.infer<typeof workloadListQuerySchema>;

export const activationSchema = z.object({
  number: z.number(),
  from: instant.nullable(),
  fromNotBefore: instant.nullable(),
  fromNotAfter: instant.nullable(),
  to: instant.nullable(),
  open: z.boolean(),
});

export const revisionSchema = z.object({
  id: z.string(),
  number: z.number().nullable(),
  /** Name of the source object. */
  name: z.string(),
  target: z.boolean(),
  current: z.boolean(),
  live: z.boolean(),
  serving: z.boolean(),
  pods: z.object({ total: z.number(), ready: z.number() }),
  images: z.array(imageSchema),
  changeCause: z.string().nullable(),
  causeInheritedFrom: z.number().nullable(),
  createdAt: instant,
  activations: z.array(activationSchema),
  /** What changed against the revision before it, in one line; null for the first one known. */
  summary: z.string().nullable(),
  risks: z.number(),
  restart: z.boolean(),
  retained: z.boolean(),
  prunedNext: z.boolean(),
  alsoNumbers: z.array(z.number()),
  duplicateOf: z.string().nullable(),
  sharesNumber: z.boolean(),
  explanation: z.string().nullable(),
  /** Who wrote this source object's number or content last, from managedFields. */
  writer: writerSchema.nullable(),
});
export type RevisionItem = z.infer<typeof revisionSchema>;

export const blockerSchema = z.object({
  pod: z.string(),
  podUid: z.string(),
  revision: z.number().nullable(),
  block: podBlockSchema,
});

export const ownerSchema = z.object({
  /** `Argo CD`, `Flux`, `Helm`, or the kind of a controlling owner. */
  tool: z.string(),
  name: z.string().nullable(),
  /** What it means for a rollback. */
  note: z.string(),
});

export const controlSchema = z.object({
  action: z.enum(actionKinds),
  /** False: `reason` says why it can't be done now. */
  enabled: z.boolean(),
  reason: z.string().nullable(),
});

export const linkSchema = z.object({ label: z.string(), url: z.string() });

export const conditionSchema = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().nullable(),
  message: z.string().nullable(),
  lastTransitionTime: instant.nullable(),
  lastUpdateTime: instant.nullable(),
});

export const workloadDetailSchema = freshnessSchema.extend({
  workload: workloadItemSchema.extend({
    /** HMAC over cluster, uid and the unmasked template: what a mutation must have seen. */
    seen: z.string(),
    /** One or two sentences for the top of the page; the state word goes before them. */
    sentence: z.string(),
    strategy: z.string(),
    paused: z.boolean(),
    replicas: z.number().nullable(),
    partition: z.number().nullable(),
    revisionHistoryLimit: z.number().nullable(),
    generation: z.number(),
    observedGeneration: z.number().nullable(),
    deletedAt: instant.nullable(),
    blockers: z.array(blockerSchema),
    conditions: z.array(conditionSchema),
    owners: z.array(ownerSchema),
    controls: z.array(controlSchema),
    /** What a rollback offers first. */
    defaultTarget: z.object({ id: z.string(), number: z.number().nullable(), why: z.string() }).nullable(),
    /** What `kubectl rollout status` says. */
    kubectlStatus: z.string(),
    links: z.array(linkSchema),
    annotations: z.record(z.string(), z.string()),
  }),
  revisions: z.array(revisionSchema),
  /** Match the selector, are owned by nobody. */
  orphans: z.array(z.object({ name: z.string(), number: z.number().nullable(), createdAt: instant })),
  /** Numbers that must have existed and are gone. */
  gaps: z.array(z.number()),
  warnings: z.array(z.string()),
  partial: z.array(partialSchema),
});
export type WorkloadDetail = z.infer<typeof workloadDetailSchema>;

export const podItemSchema = z.object({
  uid: z.string(),
  name: z.string(),
  revision: z.number().nullable(),
  revisionId: z.string().nullable(),
  target: z.boolean(),
  node: z.string().nullable(),
  ip: z.string().nullable(),
  phase: z.string(),
  ready: z.boolean(),
  readyAt: instant.nullable(),
  createdAt: instant,
  startedAt: instant.nullable(),
  deletedAt: instant.nullable(),
  restarts: z.number(),
  images: z.array(imageSchema),
  block: podBlockSchema.nullable(),
  links: z.array(linkSchema),
});
export type PodItem = z.infer<typeof podItemSchema>;

export const podListSchema = freshnessSchema.extend({
  items: z.array(podItemSchema),
  partial: z.array(partialSchema),
});

export const eventItemSchema = z.object({
  id: z.string(),
  type: z.string(),
  reason: z.string(),
  message: z.string(),
  count: z.number(),
  first: instant.nullable(),
  last: instant.nullable(),
  object: z.object({ kind: z.string(), name: z.string() }),
  /** The revision that the object belongs to, where that is known. */
  revision: z.number().nullable(),
  revisionId: z.string().nullable(),
});
export type EventItem = z.infer<typeof eventItemSchema>;

export const eventListSchema = freshnessSchema.extend({
  items: z.array(eventItemSchema),
  partial: z.array(partialSchema),
});

export const logTailSchema = z.object({
  container: z.string(),
  previous: z.boolean(),
  lines: z.array(z.string()),
  truncated: z.boolean(),
});
export type LogTail = z.infer<typeof logTailSchema>;

export const revisionBodySchema = z.object({
  number: z.number().nullable(),
  id: z.string(),
  name: z.string(),
  /** What a rollback to it would put into the spec, masked values aside. */
  template: z.record(z.string(), z.unknown()),
});
export type RevisionBody = z.infer<typeof revisionBodySchema>;
