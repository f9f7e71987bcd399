import { z } from 'zod/mini';
import { instant } from '@/lib/api/common';
import { actorSchema } from '@/lib/api/workloads';
import { concerns, containerKinds } from '@/lib/api/diff-values';

/** An earlier rollout: id of its record, the number that its revision had then, its cause and who changed it. */
const relatedRolloutSchema = z.object({
  id: z.string(),
  number: z.nullable(z.number()),
  cause: z.nullable(z.string()),
  actor: z.nullable(actorSchema),
  /** When it began, or the bound of that. */
  at: z.nullable(instant),
});

const relatedChangeFields = {
  rollout: relatedRolloutSchema,
  /** What that rollout did to the place. */
  deed: z.enum(['added', 'removed', 'raised', 'lowered', 'changed', 'moved']),
  /** All of it as text. */
  sentence: z.string(),
};

/** How a change relates to an earlier rollout of the workload. */
const relatedChangeSchema = z.discriminatedUnion('kind', [
  /** The exact opposite. `repeats`: an earlier one that had made the very same change. */
  z.object({
    kind: z.literal('takesBack'),
    ...relatedChangeFields,
    repeats: z.nullable(relatedRolloutSchema),
  }),
  /**
   * It set the current value, which now changes in the other direction; `before` and `after` are what it
   * changed.
   */
  z.object({
    kind: z.literal('counters'),
    ...relatedChangeFields,
    before: z.nullable(z.string()),
    after: z.nullable(z.string()),
  }),
  /** It set what is set again; another rollout had reverted it. */
  z.object({ kind: z.literal('repeats'), ...relatedChangeFields, takenBackBy: relatedRolloutSchema }),
  /** The value before it is restored. */
  z.object({ kind: z.literal('returns'), ...relatedChangeFields }),
]);
export type RelatedChangeItem = z.infer<typeof relatedChangeSchema>;

/**
 * All changes together return to an earlier template: the earliest rollout that they revert, and how many
 * came after.
 */
export const revertedRolloutsSchema = z.object({
  rollout: relatedRolloutSchema,
  others: z.number(),
  sentence: z.string(),
});
export type RevertedRolloutsItem = z.infer<typeof revertedRolloutsSchema>;

const changeSchema = z.object({
  path: z.string(),
  kind: z.enum(['added', 'removed', 'changed', 'moved']),
  before: z.unknown(),
  after: z.unknown(),
  concern: z.enum(concerns),
  /** Of a container, or of a part of an Application; null for the pod itself. */
  container: z.nullable(z.string()),
  containerKind: z.nullable(z.enum(containerKinds)),
  label: z.string(),
  beforeText: z.nullable(z.string()),
  afterText: z.nullable(z.string()),
  /** Additional notes, as text. */
  note: z.nullable(z.string()),
  restarts: z.boolean(),
  risk: z.nullable(z.object({ code: z.string(), reason: z.string() })),
  /** Null where it has none, and where the archive did not answer in time. */
  echo: z.nullable(relatedChangeSchema),
});
export type ChangeItem = z.infer<typeof changeSchema>;

/** One side of a comparison, as the heading of the page. */
const sideSchema = z.object({
  /** `42`, `now`, or a pod's name. */
  label: z.string(),
  ref: z.string(),
  revisionId: z.nullable(z.string()),
  number: z.nullable(z.number()),
});

export const diffSchema = z.object({
  equal: z.boolean(),
  rawEqual: z.boolean(),
  summary: z.string(),
  restartOnly: z.boolean(),
  /** Null where the template is no return to an earlier one, or the archive does not have that one. */
  takesBack: z.nullable(revertedRolloutsSchema),
  /** Why earlier rollouts are not named, where the archive has not answered or cannot be read; null else. */
  echoNote: z.optional(z.nullable(z.string())),
  /** Why the two verdicts disagree; null when they agree. */
  explanation: z.nullable(z.string()),
  changes: z.array(changeSchema),
  /** Number of changes where they are too many to be listed, so that `changes` is empty; null else. */
  tooLarge: z.nullable(z.number()),
  noise: z.array(z.object({ path: z.string(), before: z.unknown(), after: z.unknown(), reason: z.string() })),
  from: sideSchema,
  to: sideSchema,
  /** YAML of both sides, only with `?yaml=1`. */
  yaml: z.nullable(z.object({ before: z.string(), after: z.string() })),
});
export type Diff = z.infer<typeof diffSchema>;

export const diffQuerySchema = z.object({
  from: z.string().check(z.minLength(1)).check(z.maxLength(260)),
  to: z.string().check(z.minLength(1)).check(z.maxLength(260)),
  yaml: z.optional(z.enum(['0', '1'])),
});
