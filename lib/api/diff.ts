import { z } from 'zod';
import { actorSchema, inCluster, instant, maskedText } from '@/lib/api/common';
import { changeKinds, concerns, containerKinds } from '@/lib/api/diff-values';
import type { Immutable } from '@/lib/immutable';

/** An earlier rollout of a workload. */
export const relatedRolloutSchema = z.object({
  /** Id of its record. */
  id: z.string(),
  /** The number that its revision had then; null where the source carried none. */
  number: z.number().nullable(),
  cause: maskedText.nullable(),
  actor: actorSchema.nullable(),
  /** When it began, or the bound of that. */
  at: instant.nullable(),
});
export type RelatedRollout = Immutable<z.infer<typeof relatedRolloutSchema>>;

const relatedChangeFields = {
  rollout: relatedRolloutSchema,
  /** What that rollout did to the place. */
  deed: z.enum(['added', 'removed', 'raised', 'lowered', 'changed', 'moved']),
  /** All of it as text. */
  sentence: maskedText,
};

/** How a change relates to an earlier rollout of the workload. */
export const relatedChangeSchema = z.discriminatedUnion('kind', [
  /** The exact opposite. `repeats`: an earlier one that had made the very same change. */
  z.object({
    kind: z.literal('reverts'),
    ...relatedChangeFields,
    repeats: relatedRolloutSchema.nullable(),
  }),
  /**
   * It set the current value, which now changes in the other direction; `before` and `after` are what it
   * changed.
   */
  z.object({
    kind: z.literal('counters'),
    ...relatedChangeFields,
    before: z.string().nullable(),
    after: z.string().nullable(),
  }),
  /** It set what is set again; another rollout had reverted it. */
  z.object({ kind: z.literal('repeats'), ...relatedChangeFields, revertedBy: relatedRolloutSchema }),
  /** The value before it is restored. */
  z.object({ kind: z.literal('returns'), ...relatedChangeFields }),
]);
export type RelatedChangeItem = Immutable<z.infer<typeof relatedChangeSchema>>;

/**
 * All changes together return to an earlier template: the earliest rollout that they revert, and how many
 * came after.
 */
export const revertedRolloutsSchema = z.object({
  rollout: relatedRolloutSchema,
  others: z.number(),
  sentence: maskedText,
});
export type RevertedRolloutsItem = Immutable<z.infer<typeof revertedRolloutsSchema>>;

const riskSchema = z.object({
  /** Stable, for scripts: `memory_limit_lowered`, `privileged`, … */
  code: z.string(),
  /** As text, short enough for a tag. */
  reason: z.string(),
});
export type Risk = Immutable<z.infer<typeof riskSchema>>;

/** One difference between two templates that a person would call one change. */
export const changeSchema = z.object({
  /** For display: `spec.containers[app].env[LOG_LEVEL].value`. */
  path: z.string(),
  kind: z.enum(changeKinds),
  /**
   * Normalized values. Of a move: the positions in the list, from 0. Of a container that becomes a native sidecar, or the
   * reverse: its list, its position there, and its `restartPolicy`.
   */
  before: z.unknown(),
  after: z.unknown(),
  concern: z.enum(concerns),
  /** Name of the container, or of the part of an Application, that it belongs to; null for the pod itself. */
  container: z.string().nullable(),
  containerKind: z.enum(containerKinds).nullable(),
  /** Short name: `image`, `env LOG_LEVEL`, `memory limit`, `readiness path`, `volume flags`, `init wait-db`. */
  label: z.string(),
  /**
   * The displayed value: `512Mi`, `GET /healthz every 10 s, fails after 3`, `2nd of 2`. Null where there is
   * none.
   */
  beforeText: maskedText.nullable(),
  afterText: maskedText.nullable(),
  /** Additional notes, as text. */
  note: z.string().nullable(),
  /**
   * Whether it replaces pods. True for every change between two templates: controllers compare the complete
   * template, so no field of it is exempt, not even an annotation or the order of a list. False for what only
   * a running pod has, since no controller replaces a pod for it.
   */
  restarts: z.boolean(),
  risk: riskSchema.nullable(),
});

/** A difference without meaning: normalization removes it. */
const noiseSchema = z.object({
  path: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  /** As text: `cpu 0.5 = 500m`, `default imagePullPolicy`. */
  reason: z.string(),
});
export type NoiseItem = Immutable<z.infer<typeof noiseSchema>>;

export const templateDiffSchema = z.object({
  /** The Deployment controller's verdict: equal except for defaults and spellings; list order counts. */
  equal: z.boolean(),
  /** The verdict of StatefulSet and DaemonSet on the stored bytes; `$patch` and the hash label never count. */
  rawEqual: z.boolean(),
  /** Fragment of a sentence: `image 1.4.1 → 1.4.2; env LOG_LEVEL removed; 3 more`, `restart only`, `no change`. */
  summary: maskedText,
  /** Nothing differs but the time of the last `kubectl rollout restart`. */
  restartOnly: z.boolean(),
  /** Why the two verdicts disagree; null when they agree. */
  explanation: z.string().nullable(),
  /** Container by container, then the pod; within each by concern. Empty exactly when `equal` or `tooLarge`. */
  changes: z.array(changeSchema),
  /** Number of changes where they are too many to be listed; null else. */
  tooLarge: z.number().nullable(),
  noise: z.array(noiseSchema),
});

export const changeItemSchema = changeSchema.extend({
  /** Null where it has none, and where the archive did not answer in time. */
  echo: relatedChangeSchema.nullable(),
});
export type ChangeItem = Immutable<z.infer<typeof changeItemSchema>>;

/** One side of a comparison, as the heading of the page. */
const sideSchema = z.object({
  /** `42`, `now`, or a pod's name. */
  label: z.string(),
  ref: z.string(),
  revisionId: z.string().nullable(),
  number: z.number().nullable(),
  /** Name of its cluster, where the reference states it. */
  cluster: z.string().optional(),
});

export const diffSchema = templateDiffSchema.extend({
  /** Null where the template is no return to an earlier one, or the archive does not have that one. */
  reverts: revertedRolloutsSchema.nullable(),
  /** Why earlier rollouts are not named, where the archive has not answered or cannot be read; null else. */
  echoNote: z.string().nullable().optional(),
  changes: z.array(changeItemSchema),
  from: sideSchema,
  to: sideSchema,
  /** YAML of both sides, only with `?yaml=1`. */
  yaml: z.object({ before: maskedText, after: maskedText }).nullable(),
});
export type Diff = Immutable<z.infer<typeof diffSchema>>;

export const diffQuerySchema = z.object({
  ...inCluster,
  /** `[cluster:]` and a number, an id, `live`, or `pod:{name}`. */
  from: z.string().min(1).max(301),
  to: z.string().min(1).max(301),
  yaml: z.enum(['0', '1']).optional(),
});
