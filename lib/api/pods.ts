import { z } from 'zod/mini';
import {
  freshnessSchema,
  imageSchema,
  instant,
  linkSchema,
  maskedText,
  partialSchema,
} from '@/lib/api/common';
import { type Immutable } from '@/lib/immutable';

/** Why a pod does not become ready, as far as its own status shows. */
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
  /** The API's own reason: `ImagePullBackOff`, `CrashLoopBackOff`, `Unschedulable`, … */
  reason: z.string(),
  message: z.nullable(maskedText),
  /** Since when the pod has been blocked, where the pod proves it. */
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
export type PodBlock = Immutable<z.infer<typeof podBlockSchema>>;

/** A pod that blocks the rollout, with the revision that it runs. */
export const blockerSchema = z.object({
  pod: z.string(),
  podUid: z.string(),
  revision: z.nullable(z.number()),
  block: podBlockSchema,
});
export type Blocker = Immutable<z.infer<typeof blockerSchema>>;

export const podSchema = z.object({
  uid: z.string(),
  name: z.string(),
  node: z.nullable(z.string()),
  ip: z.nullable(z.string()),
  phase: z.string(),
  ready: z.boolean(),
  /** Transition time of condition Ready when it is true. */
  readyAt: z.nullable(instant),
  createdAt: instant,
  startedAt: z.nullable(instant),
  deletedAt: z.nullable(instant),
  restarts: z.number(),
  images: z.array(imageSchema),
  /** Null while there is no problem. */
  block: z.nullable(podBlockSchema),
});

export const podItemSchema = z.extend(podSchema, {
  revision: z.nullable(z.number()),
  revisionId: z.nullable(z.string()),
  target: z.boolean(),
  /** Of a kind whose pods are created and deleted in groups: its group, and its index in it; 0 is the leader. */
  group: z.optional(z.object({ index: z.number(), member: z.number() })),
  /** The workload that has it, where a rollout runs one besides this one, for example as a canary. */
  beside: z.optional(z.object({ kind: z.string(), name: z.string() })),
  links: z.array(linkSchema),
});
export type PodItem = Immutable<z.infer<typeof podItemSchema>>;

export const podListSchema = z.extend(freshnessSchema, {
  items: z.array(podItemSchema),
  partial: z.array(partialSchema),
});
export type PodList = Immutable<z.infer<typeof podListSchema>>;

export const eventSchema = z.object({
  type: z.string(),
  reason: z.string(),
  message: maskedText,
  count: z.number(),
  first: z.nullable(instant),
  last: z.nullable(instant),
  object: z.object({ kind: z.string(), name: z.string() }),
});

const eventItemSchema = z.extend(eventSchema, {
  id: z.string(),
  /** The revision that the object belongs to, where that is known. */
  revision: z.nullable(z.number()),
  revisionId: z.nullable(z.string()),
});
export type EventItem = Immutable<z.infer<typeof eventItemSchema>>;

export const eventListSchema = z.extend(freshnessSchema, {
  items: z.array(eventItemSchema),
  partial: z.array(partialSchema),
});

export const logTailSchema = z.object({
  container: z.string(),
  previous: z.boolean(),
  lines: z.array(maskedText),
  truncated: z.boolean(),
});
export type LogTail = Immutable<z.infer<typeof logTailSchema>>;
