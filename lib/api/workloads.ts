import { z } from 'zod/mini';
import {
  freshnessSchema,
  instant,
  partialSchema,
  workloadIdentitySchema,
  writerSchema,
} from '@/lib/api/common';
import { outcomes } from '@/lib/ledger/record';
import { groupStates } from '@/lib/workloads/groups';
import { actionKinds } from '@/lib/workloads/plan';
import { workloadStates } from '@/lib/workloads/status';

export const stateSchema = z.enum(workloadStates);

export const imageSchema = z.object({ container: z.string(), image: z.string() });

export const podsByRevisionSchema = z.object({
  /** Null: the pods' revision is gone or unknown. */
  revision: z.nullable(z.number()),
  id: z.nullable(z.string()),
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

/** Who began a rollout, and how we know: a person, or the manager that wrote the template. */
export const actorSchema = z.object({
  name: z.string(),
  source: z.enum(['shiplog', 'managedFields']),
  manager: z.nullable(z.string()),
});

/** What the archive tells of a rollout, in the few words that lists and bars have room for. */
export const rolloutMarkSchema = z.object({
  /** Id of the record: `/records/{id}`. */
  id: z.string(),
  /** Null while it is open. */
  outcome: z.nullable(z.enum(outcomes)),
  startedAt: z.nullable(instant),
  /** Null while it is open, and where nobody saw the end. */
  endedAt: z.nullable(instant),
  actor: z.nullable(actorSchema),
  cause: z.nullable(z.string()),
});
export type RolloutMark = z.infer<typeof rolloutMarkSchema>;

/** The transition to the present target, as far as the cluster proves it. Null times mean unknown. */
export const lastRolloutSchema = z.object({
  from: z.nullable(z.number()),
  to: z.nullable(z.number()),
  startedAt: z.nullable(instant),
  /** Bound of an unknown start: it began no later than this. */
  notAfter: z.nullable(instant),
  writer: z.nullable(writerSchema),
  changeCause: z.nullable(z.string()),
  restart: z.boolean(),
  /** Null where nothing was recorded. */
  record: z.nullable(rolloutMarkSchema),
});

export const workloadItemSchema = z.extend(workloadIdentitySchema, {
  state: stateSchema,
  message: z.string(),
  /** Its kind does not tell how its rollouts go, and nothing else is amiss: `unknown` is no reason to look. */
  untold: z.optional(z.literal(true)),
  /** It is `held` because a step of its rollout waits for a person. */
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

export const activationSchema = z.object({
  number: z.number(),
  from: z.nullable(instant),
  fromNotBefore: z.nullable(instant),
  fromNotAfter: z.nullable(instant),
  to: z.nullable(instant),
  open: z.boolean(),
  /** The rollout that it began with; null where none was recorded. */
  record: z.nullable(rolloutMarkSchema),
});

export const revisionSchema = z.object({
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
  /** What changed against the revision in `before`, in one line; null for the first one known. */
  summary: z.nullable(z.string()),
  /**
   * The revision that was the target before this one became it last. `ran` false: what was is not known, and this is the
   * nearest revision that is. Absent: none is known.
   */
  before: z.optional(z.object({ id: z.string(), number: z.nullable(z.number()), ran: z.boolean() })),
  risks: z.number(),
  restart: z.boolean(),
  /** The cluster still has it. False: only the archive does, and `archived` says since when. */
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
  /** Why it holds no template, so that it can't be gone back to; what it holds is its body. Absent: it holds one. */
  fault: z.optional(z.string()),
  /** True: nothing that runs could be matched with any revision, so `live: false` means that nobody can tell. */
  livenessUnknown: z.optional(z.boolean()),
  /** Who wrote this source object's number or content last, from managedFields. */
  writer: z.nullable(writerSchema),
  /** What else its source object says of it, in words; absent where that is nothing. */
  notes: z.optional(z.array(z.string())),
  /** Why what it recorded cannot be read; absent where it can. */
  unreadable: z.optional(z.string()),
});
export type RevisionItem = z.infer<typeof revisionSchema>;

export const blockerSchema = z.object({
  pod: z.string(),
  podUid: z.string(),
  revision: z.nullable(z.number()),
  block: podBlockSchema,
});

export const ownerSchema = z.object({
  /** `Argo CD`, `Flux`, `Helm`, or the kind of a controlling owner. */
  tool: z.string(),
  name: z.nullable(z.string()),
  /** What it means for a rollback. */
  note: z.string(),
});

export const controlSchema = z.object({
  action: z.enum(actionKinds),
  /** False: `reason` says why it can't be done now. */
  enabled: z.boolean(),
  reason: z.nullable(z.string()),
});

export const linkSchema = z.object({ label: z.string(), url: z.string() });

export const conditionSchema = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.nullable(z.string()),
  message: z.nullable(z.string()),
  lastTransitionTime: z.nullable(instant),
  lastUpdateTime: z.nullable(instant),
});

/** Pods that are made, replaced and counted together. */
export const groupSchema = z.object({
  index: z.number(),
  /** `disagrees`: its pods run different revisions, and nothing will repair that by itself. */
  state: z.enum(groupStates),
  /** By its leader; null while it is not there, and where its revision is gone. */
  revision: z.nullable(z.number()),
  revisionId: z.nullable(z.string()),
  /** It runs a revision whose object is gone. */
  unknownRevision: z.boolean(),
  /** What its leader was made by, whether or not there is a revision of it. */
  key: z.nullable(z.string()),
  /** What the others of a group that disagrees were made by; empty for all others. */
  otherKeys: z.array(z.object({ key: z.string(), revision: z.nullable(z.number()) })),
  /** Pods that it is to have. */
  size: z.number(),
  pods: z.object({ total: z.number(), ready: z.number() }),
  /** What a restart of the group deletes. Null while it is not there, and for who may not list pods. */
  leader: z.nullable(z.object({ uid: z.string(), name: z.string() })),
  updated: z.boolean(),
  ready: z.boolean(),
  /** The partition keeps it from the target. */
  held: z.boolean(),
  /** Beyond the wanted number, for as long as a rollout lasts. */
  surge: z.boolean(),
});
export type GroupItem = z.infer<typeof groupSchema>;

export const groupsSchema = z.object({
  /** By index; the first ones of very many. */
  items: z.array(groupSchema),
  /** How many there are beside `items`. */
  more: z.number(),
  desired: z.number(),
  /** To be updated: neither surge nor held. `updated` and `ready` count these alone. */
  wanted: z.number(),
  updated: z.number(),
  ready: z.number(),
  /** Pods that all the groups together are to have. */
  pods: z.number(),
  partition: z.number(),
  /** In which order and how many at a time: one sentence. */
  order: z.string(),
  /** What becomes of the revisions when a rollout is through: one sentence. */
  afterwards: z.string(),
  /** Objects that make the pods, for reading only; the first ones of very many. */
  parts: z.array(
    z.object({
      kind: z.string(),
      name: z.string(),
      group: z.nullable(z.number()),
      /** Those that Kubernetes keeps of the part itself, newest first; they are no revisions of the workload. */
      revisions: z.array(z.object({ name: z.string(), number: z.nullable(z.number()) })),
    }),
  ),
  /** Why they cannot be acted on. */
  partsNote: z.string(),
});
export type GroupsItem = z.infer<typeof groupsSchema>;

/** A workload that is created again under its name has another uid and begins another life. */
export const lifeSchema = z.object({
  uid: z.string(),
  from: instant,
  /** Null for the present one. */
  to: z.nullable(instant),
});
export type Life = z.infer<typeof lifeSchema>;

/** A workload that others were made for. */
export const makerSchema = z.object({
  resource: z.string(),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
});

/** What a workload describes and its controller makes other workloads of. */
export const componentSchema = z.object({
  /** Empty for what bears the name of none. */
  name: z.string(),
  type: z.string(),
  /** Null where its controller does not say. */
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
      /** The rollout in steps that moves it. */
      rollout: z.nullable(z.object({ resource: z.string(), namespace: z.string(), name: z.string() })),
    }),
  ),
  /** How many there are beside them. */
  hidden: z.number(),
});
export type ComponentItem = z.infer<typeof componentSchema>;

export const workloadDetailSchema = z.extend(freshnessSchema, {
  workload: z.extend(workloadItemSchema, {
    /** HMAC over cluster, uid and the unmasked template: what a mutation must have seen. */
    seen: z.string(),
    /** One or two sentences for the top of the page; the state word goes before them. */
    sentence: z.string(),
    strategy: z.string(),
    paused: z.boolean(),
    replicas: z.nullable(z.number()),
    /** Null for a kind that has none. */
    partition: z.nullable(z.number()),
    /** What stays by it: pods with lower ordinals, or that many of the wanted pods. */
    partitionKeeps: z.nullable(z.enum(['ordinals', 'number'])),
    /** What the partition counts where that is not pods, and how many of them are wanted. */
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
        /** How many recorded rollouts a rollback to it reverts. Absent: no record tells. */
        reverts: z.optional(z.number()),
      }),
    ),
    /** What `kubectl rollout status` says. */
    kubectlStatus: z.string(),
    /** What prints that line. Absent: `kubectl rollout status`. */
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
    /** True: only the order of the revisions says which of them is the target. */
    targetAssumed: z.optional(z.boolean()),
    /** Why its object is not there to be read; absent where it is. */
    standIn: z.optional(
      z.object({
        state: z.enum(['gone', 'unreadable', 'unfollowed', 'component', 'none']),
        owner: z.nullable(z.object({ apiVersion: z.string(), kind: z.string(), name: z.string() })),
        component: z.nullable(z.string()),
      }),
    ),
    /** Of a kind whose pods live and die in groups; absent for all others. */
    groups: z.optional(groupsSchema),
    /** What it describes, with the workloads that were made of it; absent for kinds that make pods. */
    components: z.optional(z.array(componentSchema)),
    /** The workload that this one was made for, if the viewer may see it. */
    maker: z.optional(makerSchema),
    /** The rollout in steps that moves it; null where there is none, or none that the viewer may see. */
    rollout: z.nullable(
      z.object({
        resource: z.string(),
        namespace: z.string(),
        name: z.string(),
        /** Our own record of the release that is under way; null where none is. */
        record: z.nullable(z.object({ id: z.string() })),
      }),
    ),
  }),
  revisions: z.array(revisionSchema),
  /** Match the selector, are owned by nobody. */
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
  /** Numbers that must have existed and are gone. */
  gaps: z.array(z.number()),
  /** Of this name, the present one first; empty where nothing was recorded. */
  lives: z.array(lifeSchema),
  warnings: z.array(z.string()),
  partial: z.array(partialSchema),
});
export type WorkloadDetail = z.infer<typeof workloadDetailSchema>;

/** Uid of an earlier life; without it the present one. */
export const lifeQuerySchema = z.object({
  uid: z.optional(z.string().check(z.minLength(1)).check(z.maxLength(100))),
});

/** A life that is over, from the archive alone: the answer of a workload's address with `?uid=`. */
export const pastLifeSchema = z.object({
  workload: z.extend(workloadIdentitySchema, { labels: z.record(z.string(), z.string()) }),
  life: lifeSchema,
  lives: z.array(lifeSchema),
  /** All with `retained: false`; `target` is the last one. */
  revisions: z.array(revisionSchema),
});
export type PastLife = z.infer<typeof pastLifeSchema>;

export const trackQuerySchema = z.extend(lifeQuerySchema, {
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
              /** Null where the revision is known no more. */
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

export const podItemSchema = z.object({
  uid: z.string(),
  name: z.string(),
  revision: z.nullable(z.number()),
  revisionId: z.nullable(z.string()),
  target: z.boolean(),
  /** Of a kind whose pods live and die in groups: which one, and its place there; 0 leads. */
  group: z.optional(z.object({ index: z.number(), member: z.number() })),
  /** The workload that has it, where a rollout runs that one beside this one, for example as a canary. */
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

export const eventItemSchema = z.object({
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
export type EventList = z.infer<typeof eventListSchema>;

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
  /** What a rollback to it would put into the spec, masked values aside. */
  template: z.record(z.string(), z.unknown()),
});
export type RevisionBody = z.infer<typeof revisionBodySchema>;

/** The object that carries a revision, credentials masked. */
export const revisionManifestSchema = z.object({ name: z.string(), yaml: z.string() });
export type RevisionManifest = z.infer<typeof revisionManifestSchema>;
