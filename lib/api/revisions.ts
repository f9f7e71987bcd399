import { z } from 'zod';
import { imageSchema, instant, maskedObject, maskedText, writerSchema } from '@/lib/api/common';
import { rolloutSummarySchema } from '@/lib/api/records';
import type { Immutable } from '@/lib/immutable';

/**
 * A period during which a revision was the target. Times are only what the cluster proves; null means unknown.
 * Where only a bound is provable, `from` is null and the bounds are set.
 */
const activationSchema = z.object({
  /** The number that the revision had during this activation. */
  number: z.number(),
  from: instant.nullable(),
  /** Bounds of an unknown `from`. */
  fromNotBefore: instant.nullable(),
  fromNotAfter: instant.nullable(),
  to: instant.nullable(),
  /** Still the target. */
  open: z.boolean(),
});
export type Activation = Immutable<z.infer<typeof activationSchema>>;

/** One revision of a workload's history, derived from its source object and the current state. */
export const revisionSchema = z.object({
  /**
   * Opaque and stable through renumbering: the uid of the source object, where one object carries it
   * permanently.
   */
  id: z.string(),
  /** Null where the source carries no readable number. A ReplicaSet without the annotation counts as 0. */
  number: z.number().nullable(),
  /** Name of the source object. */
  name: z.string(),
  /** The workload's spec requests it now. */
  target: z.boolean(),
  /** StatefulSet: `status.currentRevision`. Elsewhere equal to `target`. */
  current: z.boolean(),
  /** A pod of any phase runs it, terminating ones included, or the controller counts it as current or target. */
  live: z.boolean(),
  /** At least one pod that is not terminating runs it. */
  serving: z.boolean(),
  pods: z.object({ total: z.number(), ready: z.number() }),
  changeCause: maskedText.nullable(),
  /** Number of the revision whose cause this one merely repeats. */
  causeInheritedFrom: z.number().nullable(),
  createdAt: instant,
  /** Oldest first. Empty where unknown. */
  activations: z.array(activationSchema),
  /** Differs from the revision before only by a restart. */
  restart: z.boolean(),
  /** The revisionHistoryLimit deletes it as soon as one more revision is recorded. */
  prunedNext: z.boolean(),
  /** Its other numbers, ascending: former ones of the same object, or those of others that carry it too. */
  alsoNumbers: z.array(z.number()),
  /** id of an earlier revision with a semantically equal template (upgrade twins, copies). */
  duplicateOf: z.string().nullable(),
  /** Another revision shares the number. */
  sharesNumber: z.boolean(),
  /** What happened to the number, as text; null when it never changed. */
  explanation: z.string().nullable(),
});

/** What an activation changed in the template. */
const changeSchema = z.object({
  /** In one line, against the revision in `before`; null for the first known one. */
  summary: maskedText.nullable(),
  /**
   * The target before. `ran` false: the previous target is unknown, and this is the nearest known revision.
   * Absent: none is known.
   */
  before: z.object({ id: z.string(), number: z.number().nullable(), ran: z.boolean() }).optional(),
  risks: z.number(),
  /** It only restarted the pods. */
  restart: z.boolean(),
});
export type RevisionChange = Immutable<z.infer<typeof changeSchema>>;

export const revisionItemSchema = revisionSchema.extend({
  images: z.array(imageSchema),
  activations: z.array(
    activationSchema.extend({
      /** The rollout that it began with; null where none was recorded. */
      record: rolloutSummarySchema.nullable(),
      /** What changed with it. Absent on the last activation: that is the change of the revision. */
      change: changeSchema.optional(),
    }),
  ),
  ...changeSchema.shape,
  /** The cluster retains it. False: only the archive has it, and `archived` shows since when. */
  retained: z.boolean(),
  archived: z
    .object({
      prunedAt: instant.nullable(),
      /** False: its template has expired, so it can neither be compared nor rolled back to. */
      hasTemplate: z.boolean(),
    })
    .nullable(),
  /**
   * Why it holds no template, so that a rollback to it is impossible; its body is what it holds. Absent: it
   * holds one.
   */
  fault: maskedText.optional(),
  /** True: no running pod could be matched with a revision, so `live: false` means unknown. */
  livenessUnknown: z.boolean().optional(),
  /** Who last wrote this source object's number or content, from managedFields. */
  writer: writerSchema.nullable(),
  /** Additional notes on its source object, as text; absent where there are none. */
  notes: z.array(maskedText).optional(),
  /** Why what it recorded cannot be read; absent where it can. */
  unreadable: maskedText.optional(),
});
export type RevisionItem = Immutable<z.infer<typeof revisionItemSchema>>;

export const revisionBodySchema = z.object({
  number: z.number().nullable(),
  id: z.string(),
  name: z.string(),
  /** What a rollback to it would write to the spec, masked values excepted. */
  template: maskedObject,
});

/** The object that carries a revision, credentials masked. */
export const revisionManifestSchema = z.object({ name: z.string(), yaml: maskedText });
