import { z } from 'zod/mini';
import { instant } from '@/lib/api/common';
import { actorSchema } from '@/lib/api/workloads';
import { concerns, containerKinds } from '@/lib/diff/change';

/** An earlier rollout: id of its record, the number that its revision had then, why it was made and by whom. */
export const echoRolloutSchema = z.object({
  id: z.string(),
  number: z.nullable(z.number()),
  cause: z.nullable(z.string()),
  actor: z.nullable(actorSchema),
  /** When it began, or the bound of that. */
  at: z.nullable(instant),
});

const echoParts = {
  rollout: echoRolloutSchema,
  /** What that rollout did to the place. */
  deed: z.enum(['added', 'removed', 'raised', 'lowered', 'changed', 'moved']),
  /** The whole in words. */
  sentence: z.string(),
};

/** What a change has to do with an earlier rollout of the workload. */
export const echoSchema = z.discriminatedUnion('kind', [
  /** The exact opposite. `repeats`: the one before it that had made the very same change. */
  z.object({ kind: z.literal('takesBack'), ...echoParts, repeats: z.nullable(echoRolloutSchema) }),
  /** It set the present value, and that goes the other way now; `before` and `after` are what it changed. */
  z.object({
    kind: z.literal('counters'),
    ...echoParts,
    before: z.nullable(z.string()),
    after: z.nullable(z.string()),
  }),
  /** It set what is set again; another rollout had taken it back. */
  z.object({ kind: z.literal('repeats'), ...echoParts, takenBackBy: echoRolloutSchema }),
  /** What was there until it came is there again. */
  z.object({ kind: z.literal('returns'), ...echoParts }),
]);
export type EchoItem = z.infer<typeof echoSchema>;

/** The whole is a return to an earlier template: the earliest rollout that it takes back, and how many came after. */
export const takenBackSchema = z.object({
  rollout: echoRolloutSchema,
  others: z.number(),
  sentence: z.string(),
});
export type TakenBackItem = z.infer<typeof takenBackSchema>;

export const changeSchema = z.object({
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
  /** What else to know, in words. */
  note: z.nullable(z.string()),
  restarts: z.boolean(),
  risk: z.nullable(z.object({ code: z.string(), reason: z.string() })),
  /** Null where it has none, and where the archive could not tell in time. */
  echo: z.nullable(echoSchema),
});
export type ChangeItem = z.infer<typeof changeSchema>;

/** One side of a comparison, as the page heads it. */
export const sideSchema = z.object({
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
  /** Null where the whole is no return to an earlier template, or the archive does not know of it. */
  takesBack: z.nullable(takenBackSchema),
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
