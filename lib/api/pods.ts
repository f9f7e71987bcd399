import { z } from 'zod';
import {
  freshnessSchema,
  imageSchema,
  instant,
  linkSchema,
  maskedText,
  partialSchema,
} from '@/lib/api/common';
import type { Immutable } from '@/lib/immutable';

/** Why a pod does not become ready, as far as its own status shows. */
const podBlockSchema = z.object({
  kind: z.enum([
    'imagePull',
    'crashLoop',
    'configError',
    'gated',
    'unschedulable',
    'volume',
    'init',
    'readiness',
    'notStarted',
    'pulling',
    'terminating',
    'failed',
  ]),
  container: z.string().nullable(),
  /** The API's own reason: `ImagePullBackOff`, `CrashLoopBackOff`, `Unschedulable`, … */
  reason: z.string(),
  message: maskedText.nullable(),
  /** Since when the pod has been blocked, where the pod proves it. */
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
export type PodBlock = Immutable<z.infer<typeof podBlockSchema>>;

/** A pod that blocks the rollout, with the revision that it runs. */
export const blockerSchema = z.object({
  pod: z.string(),
  podUid: z.string(),
  revision: z.number().nullable(),
  block: podBlockSchema,
});
export type Blocker = Immutable<z.infer<typeof blockerSchema>>;

export const podSchema = z.object({
  uid: z.string(),
  name: z.string(),
  node: z.string().nullable(),
  ip: z.string().nullable(),
  phase: z.string(),
  ready: z.boolean(),
  /** Transition time of condition Ready when it is true. */
  readyAt: instant.nullable(),
  createdAt: instant,
  startedAt: instant.nullable(),
  deletedAt: instant.nullable(),
  restarts: z.number(),
  images: z.array(imageSchema),
  /** Null while there is no problem. */
  block: podBlockSchema.nullable(),
});

export const podItemSchema = podSchema.extend({
  revision: z.number().nullable(),
  revisionId: z.string().nullable(),
  target: z.boolean(),
  /** Of a kind whose pods are created and deleted in groups: its group, and its index in it; 0 is the leader. */
  group: z.object({ index: z.number(), member: z.number() }).optional(),
  /** The workload that has it, where a rollout runs one besides this one, for example as a canary. */
  auxiliary: z.object({ kind: z.string(), name: z.string() }).optional(),
  links: z.array(linkSchema),
});
export type PodItem = Immutable<z.infer<typeof podItemSchema>>;

export const podListSchema = freshnessSchema.extend({
  items: z.array(podItemSchema),
  partial: z.array(partialSchema),
});
export type PodList = Immutable<z.infer<typeof podListSchema>>;

export const eventSchema = z.object({
  type: z.string(),
  reason: maskedText,
  message: maskedText,
  count: z.number(),
  first: instant.nullable(),
  last: instant.nullable(),
  object: z.object({ kind: z.string(), name: z.string() }),
});

const eventItemSchema = eventSchema.extend({
  id: z.string(),
  /** The revision that the object belongs to, where that is known. */
  revision: z.number().nullable(),
  revisionId: z.string().nullable(),
});
export type EventItem = Immutable<z.infer<typeof eventItemSchema>>;

export const eventListSchema = freshnessSchema.extend({
  items: z.array(eventItemSchema),
  partial: z.array(partialSchema),
});
export type EventList = Immutable<z.infer<typeof eventListSchema>>;

export const logTailSchema = z.object({
  container: z.string(),
  previous: z.boolean(),
  lines: z.array(maskedText),
  truncated: z.boolean(),
});
export type LogTail = Immutable<z.infer<typeof logTailSchema>>;
