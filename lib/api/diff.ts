import { z } from 'zod';

export const concerns = [
  'image',
  'resources',
  'env',
  'probes',
  'volumes',
  'security',
  'scheduling',
  'metadata',
  'other',
] as const;

export const changeSchema = z.object({
  path: z.string(),
  kind: z.enum(['added', 'removed', 'changed', 'moved']),
  before: z.unknown(),
  after: z.unknown(),
  concern: z.enum(concerns),
  /** Null for the pod itself. */
  container: z.string().nullable(),
  containerKind: z.enum(['container', 'init', 'ephemeral']).nullable(),
  label: z.string(),
  beforeText: z.string().nullable(),
  afterText: z.string().nullable(),
  /** What else to know, in words. */
  note: z.string().nullable(),
  restarts: z.boolean(),
  risk: z.object({ code: z.string(), reason: z.string() }).nullable(),
});
export type ChangeItem = z.infer<typeof changeSchema>;

/** One side of a comparison, as the page heads it. */
export const sideSchema = z.object({
  /** `42`, `now`, or a pod's name. */
  label: z.string(),
  ref: z.string(),
  revisionId: z.string().nullable(),
  number: z.number().nullable(),
});

export const diffSchema = z.object({
  equal: z.boolean(),
  rawEqual: z.boolean(),
  summary: z.string(),
  restartOnly: z.boolean(),
  /** Why the two verdicts disagree; null when they agree. */
  explanation: z.string().nullable(),
  changes: z.array(changeSchema),
  noise: z.array(z.object({ path: z.string(), before: z.unknown(), after: z.unknown(), reason: z.string() })),
  from: sideSchema,
  to: sideSchema,
  /** YAML of both sides, only with `?yaml=1`. */
  yaml: z.object({ before: z.string(), after: z.string() }).nullable(),
});
export type Diff = z.infer<typeof diffSchema>;

export const diffQuerySchema = z.object({
  from: z.string().min(1).max(260),
  to: z.string().min(1).max(260),
  yaml: z.enum(['0', '1']).optional(),
});
