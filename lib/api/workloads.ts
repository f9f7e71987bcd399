import { z } from 'zod/mini';
import {
  freshnessSchema,
  instant,
  partialSchema,
  workloadIdentitySchema,
  writerSchema,
} from '@/lib/api/common';
import { outcomes } from '@/lib/records/record';
import { actionKinds } from '@/lib/api/action-values';
import { workloadStates, groupStates } from '@/lib/api/workload-values';

const stateSchema = z.enum(workloadStates);

export const imageSchema = z.object({ container: z.string(), image: z.string() });

const podsByRevisionSchema = z.object({
  /** Null: the pods' revision is pruned or unknown. */
  revision: z.nullable(z.number()),
  id: z.nullable(z.string()),
  /** The revision that the spec requests. */
  target: z.boolean(),
  pods: z.number(),
  ready: z.number(),
});

const podBlockSchema = z.object({
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
  container: z.nullable(z.string()),
  reason: z.string(),
  message: z.nullable(z.string()),
  since: z.nullable(instant),
  restarts: z.number(),
  lastTermination: z.nullable(
    z.object({
      reason: z.nullable(z.string()),
      exitCode: z.nullable(z.number()),
      finishedAt: z.nullable(instant),
    }),
  ),
});

/** Who started a rollout, and the evidence: a person, or the manager that wrote the template. */
export const actorSchema = z.object({
  name: z.string(),
  source: z.enum(['shiplog', 'managedFields']),
  manager: z.nullable(z.string()),
});

/** A short summary of the archive's record, for lists and bars. */
export const rolloutSummarySchema = z.object({
  /** Id of the record: `/records/{id}`. */
  id: z.string(),
  /** Null while it is open. */
  outcome: z.nullable(z.enum(outcomes)),
  startedAt: z.nullable(instant),
  /** Null while it is open, and where its end was not observed. */
  endedAt: z.nullable(instant),
  actor: z.nullable(actorSchema),
  cause: z.nullable(z.string()),
});
export type RolloutSummary = z.infer<typeof rolloutSummarySchema>;

/** The transition to the current target, as far as the cluster proves it. Null times mean unknown. */
const lastRolloutSchema = z.object({
  from: z.nullable(z.number()),
  to: z.nullable(z.number()),
  startedAt: z.nullable(instant),
  /** Bound of an unknown start: it began no later than this. */
  notAfter: z.nullable(instant),
  writer: z.nullable(writerSchema),
  changeCause: z.nullable(z.string()),
  restart: z.boolean(),
  /** Null where nothing was recorded. */
  record: z.nullable(rolloutSummarySchema),
});

const workloadItemSchema = z.extend(workloadIdentitySchema, {
  state: stateSchema,
  message: z.string(),
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
  labels: z.record(z.string(), z.string()),
});
export type WorkloadItem = z.infer<typeof workloadItemSchema>;

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
export type WorkloadList = z.infer<typeof workloadListSchema>;

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

const activationSchema = z.object({
  number: z.number(),
  from: z.nullable(instant),
  fromNotBefore: z.nullable(instant),
  fromNotAfter: z.nullable(instant),
  to: z.nullable(instant),
  open: z.boolean(),
  /** The rollout that it began with; null where none was recorded. */
  record: z.nullable(rolloutSummarySchema),
});

const revisionSchema = z.object({
  id: z.string(),
  number: z.nullable(z.number()),
  /** Name of the source object. */
  name: z.string(),
  target: z.boolean(),
  current: z.boolean(),
  live: z.boolean(),
  serving: z.boolean(),
  pods: z.object({ total: z.number(), ready: z.number() }),
  images: z.array(imageSchema),
  changeCause: z.nullable(z.string()),
  causeInheritedFrom: z.nullable(z.number()),
  createdAt: instant,
  activations: z.array(activationSchema),
  /** What changed against the revision in `before`, in one line; null for the first known one. */
  summary: z.nullable(z.string()),
  /**
   * The target before this revision last became it. `ran` false: the previous target is unknown, and this is
   * the nearest known revision. Absent: none is known.
   */
  before: z.optional(z.object({ id: z.string(), number: z.nullable(z.number()), ran: z.boolean() })),
  risks: z.number(),
  restart: z.boolean(),
  /** The cluster retains it. False: only the archive has it, and `archived` shows since when. */
  retained: z.boolean(),
  archived: z.nullable(
    z.object({
      prunedAt: z.nullable(instant),
      /** False: its template has expired, so it can neither be compared nor rolled back to. */
      hasTemplate: z.boolean(),
    }),
  ),
  prunedNext: z.boolean(),
  alsoNumbers: z.array(z.number()),
  duplicateOf: z.nullable(z.string()),
  sharesNumber: z.boolean(),
  explanation: z.nullable(z.string()),
  /**
   * Why it holds no template, so that a rollback to it is impossible; its body is what it holds. Absent: it
   * holds one.
   */
  fault: z.optional(z.string()),
  /** True: no running pod could be matched with a revision, so `live: false` means unknown. */
  livenessUnknown: z.optional(z.boolean()),
  /** Who last wrote this source object's number or content, from managedFields. */
  writer: z.nullable(writerSchema),
  /** Additional notes on its source object, as text; absent where there are none. */
  notes: z.optional(z.array(z.string())),
  /** Why what it recorded cannot be read; absent where it can. */
  unreadable: z.optional(z.string()),
});
export type RevisionItem = z.infer<typeof revisionSchema>;

const blockerSchema = z.object({
  pod: z.string(),
  podUid: z.string(),
  revision: z.nullable(z.number()),
  block: podBlockSchema,
});

const ownerSchema = z.object({
  /** `Argo CD`, `Flux`, `Helm`, or the kind of a controlling owner. */
  tool: z.string(),
  name: z.nullable(z.string()),
  /** What it means for a rollback. */
  note: z.string(),
});

const controlSchema = z.object({
  action: z.enum(actionKinds),
  /** False: `reason` explains why it can't be done now. */
  enabled: z.boolean(),
  reason: z.nullable(z.string()),
});

const linkSchema = z.object({ label: z.string(), url: z.string() });

export const conditionSchema = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.nullable(z.string()),
  message: z.nullable(z.string()),
  lastTransitionTime: z.nullable(instant),
  lastUpdateTime: z.nullable(instant),
});

/** Pods that are created, replaced and counted together. */
const groupSchema = z.object({
  index: z.number(),
  /** `disagrees`: its pods run different revisions, and no controller will repair that by itself. */
  state: z.enum(groupStates),
  /** By its leader; null while that is missing, and where its revision is pruned. */
  revision: z.nullable(z.number()),
  revisionId: z.nullable(z.string()),
  /** It runs a revision whose object is deleted. */
  unknownRevision: z.boolean(),
  /** What its leader was created by, with or without a revision of it. */
  key: z.nullable(z.string()),
  /** What the others of a group that disagrees were created by; empty for all others. */
  otherKeys: z.array(z.object({ key: z.string(), revision: z.nullable(z.number()) })),
  /** Desired pods. */
  size: z.number(),
  pods: z.object({ total: z.number(), ready: z.number() }),
  /** What a restart of the group deletes. Null while it is missing, and for viewers who may not list pods. */
  leader: z.nullable(z.object({ uid: z.string(), name: z.string() })),
  updated: z.boolean(),
  ready: z.boolean(),
  /** The partition keeps it from the target. */
  held: z.boolean(),
  /** Beyond the desired number, for the duration of a rollout. */
  surge: z.boolean(),
});
export type GroupItem = z.infer<typeof groupSchema>;

export const groupsSchema = z.object({
  /** By index; the first ones of very many. */
  items: z.array(groupSchema),
  /** How many there are beyond `items`. */
  more: z.number(),
  desired: z.number(),
  /** To be updated: neither surge nor held. `updated` and `ready` count these alone. */
  wanted: z.number(),
  updated: z.number(),
  ready: z.number(),
  /** Desired pods of all the groups together. */
  pods: z.number(),
  partition: z.number(),
  /** In which order and how many at a time: one sentence. */
  order: z.string(),
  /** What happens to the revisions when a rollout is over: one sentence. */
  afterwards: z.string(),
  /** Objects that create the pods, read-only; the first ones of very many. */
  parts: z.array(
    z.object({
      kind: z.string(),
      name: z.string(),
      group: z.nullable(z.number()),
      /** Those that Kubernetes keeps of the child itself, newest first; they are no revisions of the workload. */
      revisions: z.array(z.object({ name: z.string(), number: z.nullable(z.number()) })),
    }),
  ),
  /** Why they cannot be acted on. */
  partsNote: z.string(),
});
export type GroupsItem = z.infer<typeof groupsSchema>;

/** A workload that is created again under its name has another uid and is another incarnation. */
const incarnationSchema = z.object({
  uid: z.string(),
  from: instant,
  /** Null for the current one. */
  to: z.nullable(instant),
});
export type Incarnation = z.infer<typeof incarnationSchema>;

/** A workload that generates others. */
export const generatorSchema = z.object({
  resource: z.string(),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
});

/** What a workload describes and its controller generates other workloads from. */
const componentSchema = z.object({
  /** Empty where none has the name. */
  name: z.string(),
  type: z.string(),
  /** Null where its controller does not report it. */
  healthy: z.nullable(z.boolean()),
  message: z.nullable(z.string()),
  /** Those that the viewer may see. */
  workloads: z.array(
    z.object({
      resource: z.string(),
      kind: z.string(),
      namespace: z.string(),
      name: z.string(),
      state: stateSchema,
      message: z.string(),
      /** The progressive rollout that controls it. */
      rollout: z.nullable(z.object({ resource: z.string(), namespace: z.string(), name: z.string() })),
    }),
  ),
  /** How many there are beyond them. */
  hidden: z.number(),
});
export type ComponentItem = z.infer<typeof componentSchema>;

export const workloadDetailSchema = z.extend(freshnessSchema, {
  workload: z.extend(workloadItemSchema, {
    /** HMAC over cluster, uid and the unmasked template: identifies what the viewer saw, for an action. */
    seen: z.string(),
    /** One or two sentences for the top of the page, after the state. */
    sentence: z.string(),
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
    owners: z.array(ownerSchema),
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
    kubectlStatus: z.string(),
    /** The command that prints it. Absent: `kubectl rollout status`. */
    kubectlCommand: z.optional(z.string()),
    links: z.array(linkSchema),
    annotations: z.record(z.string(), z.string()),
    /** A rollback may move the partition in the same write. */
    movesPartition: z.optional(z.literal(true)),
    /** Who writes its revisions and what they mean; absent for kinds that Shiplog knows well. */
    producer: z.optional(
      z.object({
        /** Null where Shiplog does not know the controller. */
        name: z.nullable(z.string()),
        notes: z.array(z.string()),
      }),
    ),
    /** True: only the order of the revisions shows which of them is the target. */
    targetAssumed: z.optional(z.boolean()),
    /** Why its object can't be read; absent where it can. */
    standIn: z.optional(
      z.object({
        state: z.enum(['gone', 'unreadable', 'unfollowed', 'component', 'none']),
        owner: z.nullable(z.object({ apiVersion: z.string(), kind: z.string(), name: z.string() })),
        component: z.nullable(z.string()),
      }),
    ),
    /** Of a kind whose pods are created and deleted in groups; absent for all others. */
    groups: z.optional(groupsSchema),
    /** What it describes, with the workloads generated from it; absent for kinds that create pods. */
    components: z.optional(z.array(componentSchema)),
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
  revisions: z.array(revisionSchema),
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
  lives: z.array(incarnationSchema),
  warnings: z.array(z.string()),
  partial: z.array(partialSchema),
});
export type WorkloadDetail = z.infer<typeof workloadDetailSchema>;

/** Uid of an earlier incarnation; default: the current one. */
export const incarnationQuerySchema = z.object({
  uid: z.optional(z.string().check(z.minLength(1)).check(z.maxLength(100))),
});

/** An earlier incarnation, from the archive alone: the answer of a workload's address with `?uid=`. */
export const earlierIncarnationSchema = z.object({
  workload: z.extend(workloadIdentitySchema, { labels: z.record(z.string(), z.string()) }),
  life: incarnationSchema,
  lives: z.array(incarnationSchema),
  /** All with `retained: false`; `target` is the last one. */
  revisions: z.array(revisionSchema),
});
export type EarlierIncarnation = z.infer<typeof earlierIncarnationSchema>;

export const trackQuerySchema = z.extend(incarnationQuerySchema, {
  /** Rollouts begun since then: RFC 3339 time, or a duration back from now. */
  since: z.optional(z.string().check(z.maxLength(40))),
});

/** Pods by revision over the recorded rollouts of a workload, oldest first: `GET …/track`. */
export const podTrackSchema = z.object({
  rollouts: z.array(
    z.object({
      record: z.string(),
      samples: z.array(
        z.object({
          at: instant,
          pods: z.array(
            z.object({
              /** Null where the revision is no longer known. */
              revisionId: z.nullable(z.string()),
              pods: z.number(),
              ready: z.number(),
            }),
          ),
        }),
      ),
    }),
  ),
});
export type PodTrack = z.infer<typeof podTrackSchema>;

const podItemSchema = z.object({
  uid: z.string(),
  name: z.string(),
  revision: z.nullable(z.number()),
  revisionId: z.nullable(z.string()),
  target: z.boolean(),
  /** Of a kind whose pods are created and deleted in groups: its group, and its index in it; 0 is the leader. */
  group: z.optional(z.object({ index: z.number(), member: z.number() })),
  /** The workload that has it, where a rollout runs one besides this one, for example as a canary. */
  beside: z.optional(z.object({ kind: z.string(), name: z.string() })),
  node: z.nullable(z.string()),
  ip: z.nullable(z.string()),
  phase: z.string(),
  ready: z.boolean(),
  readyAt: z.nullable(instant),
  createdAt: instant,
  startedAt: z.nullable(instant),
  deletedAt: z.nullable(instant),
  restarts: z.number(),
  images: z.array(imageSchema),
  block: z.nullable(podBlockSchema),
  links: z.array(linkSchema),
});
export type PodItem = z.infer<typeof podItemSchema>;

export const podListSchema = z.extend(freshnessSchema, {
  items: z.array(podItemSchema),
  partial: z.array(partialSchema),
});
export type PodList = z.infer<typeof podListSchema>;

const eventItemSchema = z.object({
  id: z.string(),
  type: z.string(),
  reason: z.string(),
  message: z.string(),
  count: z.number(),
  first: z.nullable(instant),
  last: z.nullable(instant),
  object: z.object({ kind: z.string(), name: z.string() }),
  /** The revision that the object belongs to, where that is known. */
  revision: z.nullable(z.number()),
  revisionId: z.nullable(z.string()),
});
export type EventItem = z.infer<typeof eventItemSchema>;

export const eventListSchema = z.extend(freshnessSchema, {
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
  number: z.nullable(z.number()),
  id: z.string(),
  name: z.string(),
  /** What a rollback to it would write to the spec, masked values excepted. */
  template: z.record(z.string(), z.unknown()),
});
export type RevisionBody = z.infer<typeof revisionBodySchema>;

/** The object that carries a revision, credentials masked. */
export const revisionManifestSchema = z.object({ name: z.string(), yaml: z.string() });
export type RevisionManifest = z.infer<typeof revisionManifestSchema>;
