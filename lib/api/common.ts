import { z } from 'zod/mini';

/** RFC 3339 time. */
export const instant = z.string();

/** A part of the answer that is missing or outdated, and why. */
export const partialSchema = z.object({
  resource: z.string(),
  reason: z.string(),
  /** The part is present, without changes after this time. */
  asOf: z.optional(instant),
});
export type PartialResult = z.infer<typeof partialSchema>;

/** How fresh the cluster state in an answer is. */
export const freshnessSchema = z.object({
  /** When the cache last got an update from the API server. */
  observedAt: instant,
  /** True while the API server is unreachable; the data is then as of `observedAt`. */
  stale: z.boolean(),
});

export const errorSchema = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()),
  }),
});

/** Kubernetes names: DNS subdomain, at most 253 characters. */
export const nameSchema = z
  .string()
  .check(z.minLength(1))
  .check(z.maxLength(253))
  .check(z.regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'must be a Kubernetes name'));

export const resourceIdSchema = z
  .string()
  .check(z.minLength(1))
  .check(z.maxLength(253))
  .check(z.regex(/^[a-z0-9]+(\.[a-z0-9.-]+)?$/, 'must be {plural}.{group}'));

/** A revision as callers name it: its number or its id. */
export const revisionRefSchema = z.string().check(z.minLength(1)).check(z.maxLength(253));

export const writerSchema = z.object({
  /** Field manager: a tool, seldom a person. */
  manager: z.string(),
  operation: z.string(),
  time: z.nullable(instant),
});

/** Which workload, in which of its incarnations. */
export const workloadIdentitySchema = z.object({
  cluster: z.string(),
  resource: z.string(),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
});
