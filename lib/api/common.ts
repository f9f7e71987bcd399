import { z } from 'zod/mini';
import { type Immutable } from '@/lib/immutable';
import { type Masked } from '@/lib/masked';

/** Text of people, programs or the cluster. */
export const maskedText = onlyMasked(z.string());

/** Annotations or labels. */
export const maskedMap = onlyMasked(z.record(z.string(), z.string()));

/** A template. */
export const maskedObject = onlyMasked(z.record(z.string(), z.unknown()));

/** The schema itself: an answer is given only masked values of it, and pages read plain ones. */
function onlyMasked<Value>(schema: z.ZodMiniType<Value>): z.ZodMiniType<Value, Masked<Value>> {
  return schema as unknown as z.ZodMiniType<Value, Masked<Value>>;
}

/** What the server gives as an answer of the schema, before pages read it: its texts are masked. */
export type Answer<Schema extends z.core.$ZodType> = Immutable<z.core.input<Schema>>;

/** RFC 3339 time. */
export const instant = z.string();

/** How many items of a list one answer holds. */
export const pageLimit = z._default(
  z.coerce.number().check(z.int()).check(z.minimum(1)).check(z.maximum(200)),
  50,
);

/** A part of the answer that is missing or outdated, and why. */
export const partialSchema = z.object({
  resource: z.string(),
  reason: z.string(),
  /** The part is present, without changes after this time. */
  asOf: z.optional(instant),
});
export type PartialResult = Immutable<z.infer<typeof partialSchema>>;

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

/** Who wrote a part of an object, by its managedFields. */
export const writerSchema = z.object({
  /** Field manager: a tool, seldom a person. */
  manager: maskedText,
  operation: z.string(),
  /** The last write of any field of the entry. */
  time: z.nullable(instant),
});
export type Writer = Immutable<z.infer<typeof writerSchema>>;

export const conditionSchema = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.nullable(z.string()),
  message: z.nullable(maskedText),
  lastTransitionTime: z.nullable(instant),
  lastUpdateTime: z.nullable(instant),
});
export type Condition = Immutable<z.infer<typeof conditionSchema>>;

/** An address beside Shiplog: a dashboard, a log viewer. */
export const linkSchema = z.object({ label: z.string(), url: z.string() });
export type Link = Immutable<z.infer<typeof linkSchema>>;

/** Which workload, in which of its incarnations. */
export const workloadIdentitySchema = z.object({
  cluster: z.string(),
  resource: z.string(),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
});

/** Who started a rollout, and the evidence: as the source reports, never guessed. */
export const actorSchema = z.object({
  /** A person, or the manager that wrote the template. */
  name: maskedText,
  source: z.enum(['shiplog', 'managedFields']),
  /** `kubectl-set`, `argocd-controller`, …; null for actions through Shiplog. */
  manager: z.nullable(maskedText),
});
export type Actor = Immutable<z.infer<typeof actorSchema>>;

export const imageSchema = z.object({ container: z.string(), image: maskedText });
