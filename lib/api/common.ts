import { z } from 'zod';
import type { Immutable } from '@/lib/immutable';
import type { Masked } from '@/lib/masked';

/** Text of people, programs or the cluster. */
export const maskedText = onlyMasked(z.string());

/** Annotations or labels. */
export const maskedMap = onlyMasked(z.record(z.string(), z.string()));

/** A template. */
export const maskedObject = onlyMasked(z.record(z.string(), z.unknown()));

/** The schema itself: an answer is given only masked values of it, and pages read plain ones. */
function onlyMasked<Value>(schema: z.ZodType<Value>): z.ZodType<Value, Masked<Value>> {
  return schema as unknown as z.ZodType<Value, Masked<Value>>;
}

/** What the server gives as an answer of the schema, before pages read it: its texts are masked. */
export type Answer<Schema extends z.core.$ZodType> = Immutable<z.core.input<Schema>>;

/** RFC 3339 time. */
export const instant = z.string();

/** How many items of a list one answer holds. */
export const pageLimit = z.coerce.number().int().min(1).max(200).default(50);

/** Members of a query about one object: which cluster it is in. */
export const inCluster = {
  /** Name or id. Absent with several clusters: the one that has the object; 409 `ambiguous` where several have. */
  cluster: z.string().min(1).max(253).optional(),
};

/** Members of a query of a list: the clusters that it is about. */
export const ofClusters = {
  /** Names or ids, comma separated. Absent: all. */
  cluster: z.string().max(8_000).optional(),
  /** Stages of clusters, comma separated. */
  stage: z.string().max(1_000).optional(),
};

/** A part of the answer that is missing or outdated, and why. */
export const partialSchema = z.object({
  /** Name of the cluster that it is about. Absent: there is only one. */
  cluster: z.string().optional(),
  /** Absent: everything of the cluster. */
  resource: z.string().optional(),
  reason: maskedText,
  /** Since when. */
  since: instant.optional(),
  /** The part is present, without changes after this time. */
  asOf: instant.optional(),
  /** The permissions in so many namespaces have been checked, of so many: request the answer again. */
  checked: z.object({ done: z.int(), of: z.int() }).optional(),
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
  .min(1)
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'must be a Kubernetes name');

export const resourceIdSchema = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[a-z0-9]+(\.[a-z0-9.-]+)?$/, 'must be {plural}.{group}');

/** A revision as callers name it: its number or its id. */
export const revisionRefSchema = z.string().min(1).max(253);

/** Who wrote a part of an object, by its managedFields. */
export const writerSchema = z.object({
  /** Field manager: a tool, seldom a person. */
  manager: maskedText,
  operation: z.string(),
  /** The last write of any field of the entry. */
  time: instant.nullable(),
});
export type Writer = Immutable<z.infer<typeof writerSchema>>;

export const conditionSchema = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().nullable(),
  message: maskedText.nullable(),
  lastTransitionTime: instant.nullable(),
  lastUpdateTime: instant.nullable(),
});
export type ConditionItem = Immutable<z.infer<typeof conditionSchema>>;

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
  manager: maskedText.nullable(),
});
export type Actor = Immutable<z.infer<typeof actorSchema>>;

export const imageSchema = z.object({ container: z.string(), image: maskedText });
