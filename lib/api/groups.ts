import { z } from 'zod';
import { groupStates } from '@/lib/api/workload-values';
import type { Immutable } from '@/lib/immutable';

/** Pods that are created, replaced and counted together. */
export const groupSchema = z.object({
  index: z.number(),
  state: z.enum(groupStates),
  /** Its leader was created by a revision whose object no longer exists. */
  unknownRevision: z.boolean(),
  /** The revision that its leader names, whether or not its object exists; null while the leader is missing. */
  key: z.string().nullable(),
  /** Desired pods, including its leader. */
  size: z.number(),
  /** All of its pods run the target. */
  updated: z.boolean(),
  ready: z.boolean(),
  /** The partition keeps it from the target. */
  held: z.boolean(),
  /** Beyond the desired number, for the duration of a rollout. */
  surge: z.boolean(),
});

const groupItemSchema = groupSchema.extend({
  /** By its leader; null while that is missing, and where its revision is pruned. */
  revision: z.number().nullable(),
  revisionId: z.string().nullable(),
  /** What the others of a group that disagrees were created by; empty for all others. */
  otherKeys: z.array(z.object({ key: z.string(), revision: z.number().nullable() })),
  pods: z.object({ total: z.number(), ready: z.number() }),
  /** What a restart of the group deletes. Null while it is missing, and for viewers who may not list pods. */
  leader: z.object({ uid: z.string(), name: z.string() }).nullable(),
});
export type GroupItem = Immutable<z.infer<typeof groupItemSchema>>;

/** An object that creates pods of the groups; only the workload's controller may write it. */
export const groupPartSchema = z.object({
  kind: z.string(),
  name: z.string(),
  group: z.number().nullable(),
});

/** The progress of a rollout in groups. */
export const groupProgressSchema = z.object({
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
  /** Why the parts cannot be acted on. */
  partsNote: z.string(),
});

export const groupsSchema = groupProgressSchema.extend({
  /** By index; the first ones of very many. */
  items: z.array(groupItemSchema),
  /** How many there are beyond `items`. */
  more: z.number(),
  /** The first ones of very many. */
  parts: z.array(
    groupPartSchema.extend({
      /** Those that Kubernetes keeps of the child itself, newest first; they are no revisions of the workload. */
      revisions: z.array(z.object({ name: z.string(), number: z.number().nullable() })),
    }),
  ),
});
export type GroupsItem = Immutable<z.infer<typeof groupsSchema>>;
