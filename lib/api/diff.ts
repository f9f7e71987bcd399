import { z } from 'zod/mini';
import { concerns } from '@/lib/diff/change';

export const changeSchema = z.object({
  path: z.string(),
  kind: z.enum(['added', 'removed', 'changed', 'moved']),
  before: z.unknown(),
  after: z.unknown(),
  concern: z.enum(concerns),
  /** Null for the pod itself. */
  container: z.nullable(z.string()),
  containerKind: z.nullable(z.enum(['container', 'init', 'ephemeral'])),
  label: z.string(),
  beforeText: z.nullable(z.string()),
  afterText: z.nullable(z.string()),
  /** What else to know, in words. */
  note: z.nullable(z.string()),
  restarts: z.boolean(),
  risk: z.nullable(z.object({ code: z.string(), reason: z.string() })),
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
  /** Why the two verdicts disagree; null when they agree. */
  explanation: z.nullable(z.string()),
  changes: z.array(changeSchema),
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
