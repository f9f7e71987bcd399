import { z } from 'zod';
import { imageSchema, instant, maskedMap, maskedText, workloadIdentitySchema } from '@/lib/api/common';
import type { Immutable } from '@/lib/immutable';

/*
 * What the archive has of a workload besides the records of its rollouts. Times are null where they were not
 * observed; hashes are the SHA-256 (hex) of the canonical JSON of a template.
 */

/**
 * One incarnation of a workload: an object that is created again under the same name has another uid and is
 * another one.
 */
export const incarnationSchema = workloadIdentitySchema.extend({
  createdAt: instant,
  /** Null while it exists. */
  deletedAt: instant.nullable(),
  labels: maskedMap,
});
export type WorkloadIncarnation = Immutable<z.infer<typeof incarnationSchema>>;

/** A template that a workload once ran. The body is stored under its hash, apart from this. */
export const archivedRevisionSchema = z.object({
  workloadUid: z.string(),
  /** Opaque and stable: the id that the revision had while the cluster retained it (uid of its source object). */
  id: z.string(),
  hash: z.string(),
  /** Every number under which it was observed, ascending. Empty where the source carried none. */
  numbers: z.array(z.number()),
  name: z.string(),
  changeCause: maskedText.nullable(),
  images: z.array(imageSchema),
  createdAt: instant,
  firstSeenAt: instant,
  /** When it was pruned from the cluster; null while it is retained. */
  prunedAt: instant.nullable(),
});
export type ArchivedRevision = Immutable<z.infer<typeof archivedRevisionSchema>>;

/** A revision as records and activations name it. */
export const recordedRevisionSchema = z.object({
  /** The number that it had then; null where the source carried none. */
  number: z.number().nullable(),
  /** Id of the revision, null where the template was never recorded by a source object. */
  id: z.string().nullable(),
  /** Of its bytes, as recorded. */
  hash: z.string(),
  /** Its meaning, in whatever form it is written: see `isSameTemplate`. Absent where it was never needed. */
  meaning: z.string().optional(),
});
export type RevisionRef = Immutable<z.infer<typeof recordedRevisionSchema>>;

/** A period during which a revision was the target. */
export const activationSchema = z.object({
  workloadUid: z.string(),
  /** Counts from 1 within a workload. */
  index: z.number(),
  revision: recordedRevisionSchema,
  from: instant.nullable(),
  /** Bound of an unknown `from`: it began no later. */
  fromNotAfter: instant.nullable(),
  /** Null while it is the target, and where its end was not observed (then a later activation exists). */
  to: instant.nullable(),
  /** Already the target when the workload adopted it: no rollout led to it. Absent: it became the target. */
  adopted: z.literal(true).optional(),
});
export type ArchivedActivation = Immutable<z.infer<typeof activationSchema>>;
