import { z } from 'zod/mini';
import { instant } from '@/lib/api/common';
import { diffSchema } from '@/lib/api/diff';
import { actionNames, severities, targetOrigins } from '@/lib/workloads/plan';

export const seen = z.string().check(z.minLength(1)).check(z.maxLength(200));
export const reason = z._default(z.string().check(z.maxLength(1000)), '');
export const dryRun = z._default(z.boolean(), false);

export const rollbackRequestSchema = z.strictObject({
  /**
   * Number or id of the revision to return to. A number is one of the present life, of a revision that the cluster has
   * before one that only the archive has; an id may also be that of a revision of an earlier life of the same name.
   */
  to: z.union([z.string().check(z.minLength(1)).check(z.maxLength(253)), z.number().check(z.int())]),
  /** The semantic identity of `to` as shown; given by the preview, checked again before the write. */
  toSeen: z.optional(z.string().check(z.maxLength(200))),
  seen,
  reason,
  dryRun,
  /** Replace the annotation map as `kubectl rollout undo` does. Deployments only. */
  likeKubectl: z._default(z.boolean(), false),
  /** Where the partition goes in the same write, of a workload with `movesPartition`. Absent: it stays. */
  partition: z.optional(z.number().check(z.int()).check(z.minimum(0)).check(z.maximum(1_000_000))),
});
export type RollbackRequest = z.input<typeof rollbackRequestSchema>;

export const controlRequestSchema = z.strictObject({ seen, reason, dryRun });
export type ControlRequest = z.input<typeof controlRequestSchema>;

export const partitionRequestSchema = z.strictObject({
  to: z.number().check(z.int()).check(z.minimum(0)).check(z.maximum(1_000_000)),
  seen,
  reason,
  dryRun,
});
export const podDeleteRequestSchema = z.strictObject({
  uid: z.string().check(z.minLength(1)).check(z.maxLength(100)),
  seen,
  reason,
  dryRun,
});

export const findingSchema = z.object({
  severity: z.enum(severities),
  code: z.string(),
  message: z.string(),
  action: z.nullable(z.string()),
});
export type FindingItem = z.infer<typeof findingSchema>;

export const planSchema = z.object({
  action: z.enum(actionNames),
  title: z.string(),
  steps: z.array(z.string()),
  stays: z.array(z.string()),
  kubectl: z.string(),
  /** The request that is sent, masked: method, path, body. */
  request: z.object({ method: z.string(), path: z.string(), body: z.unknown() }),
  /** The one that follows it, of an action that takes two. */
  then: z.optional(z.object({ method: z.string(), path: z.string(), body: z.unknown() })),
});

export const actionStates = ['accepted', 'following', 'done', 'failed'] as const;

export const resultSchema = z.object({
  actionId: z.string(),
  state: z.enum(actionStates),
});

export const actionAnswerSchema = z.object({
  /** Null when refused. */
  plan: z.nullable(planSchema),
  findings: z.array(findingSchema),
  /** From what is there now to what will be there; null for actions that leave the template alone. */
  diff: z.nullable(diffSchema),
  applied: z.boolean(),
  result: z.nullable(resultSchema),
  /** Rollback: identity of the chosen revision's template, to be sent back as `toSeen`. */
  toSeen: z.nullable(z.string()),
  /** Whether the API server's dry run accepted the write; null when it could not be asked. */
  dryRun: z.nullable(z.object({ accepted: z.boolean(), message: z.string(), at: instant })),
  revision: z.nullable(
    z.object({
      id: z.string(),
      number: z.nullable(z.number()),
      origin: z.enum(targetOrigins),
      /** When the cluster was seen to have it no more; null while it has, and where nobody saw that. */
      prunedAt: z.nullable(instant),
      /** Since when the archive has it; null where the template comes from the cluster. */
      recordedAt: z.nullable(instant),
    }),
  ),
});
export type ActionAnswer = z.infer<typeof actionAnswerSchema>;

/** An action as it is followed and audited. */
export const actionSchema = z.object({
  id: z.string(),
  cluster: z.string(),
  action: z.enum(actionNames),
  resource: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  actor: z.string(),
  reason: z.string(),
  /** Numbers at the time: what was the target, what was chosen. */
  from: z.nullable(z.number()),
  to: z.nullable(z.number()),
  fromId: z.nullable(z.string()),
  toId: z.nullable(z.string()),
  /** Rollback: where the template came from. */
  toOrigin: z._default(z.nullable(z.enum(targetOrigins)), null),
  /** Rollback: stands for the template as the hashes in records do, whatever revision will carry it. */
  toHash: z._default(z.nullable(z.string()), null),
  /** Approval or jump: the step that it was at and the one that it goes to; `to` is null after the last one. */
  step: z._default(z.nullable(z.object({ from: z.number(), to: z.nullable(z.number()) })), null),
  /** What the button of it said: "Approve batch 3". Absent: the same for every object. */
  label: z.optional(z.string()),
  /** A pod that was deleted to restart its group: the number of that. */
  group: z.optional(z.number()),
  /** Rollback of a release: the rollout that had brought it. What is acted on is its workload. */
  rollout: z._default(z.nullable(z.object({ resource: z.string(), name: z.string() })), null),
  state: z.enum([...actionStates, 'refused']),
  startedAt: instant,
  endedAt: z.nullable(instant),
  /** What is going on or how it ended, in words: "2 of 3 pods ready on 44". */
  message: z.string(),
  /** Number under which Kubernetes recorded the template again; null until it has. */
  recordedAs: z.nullable(z.number()),
  progress: z.nullable(z.object({ desired: z.number(), updated: z.number(), ready: z.number() })),
  /** No answer to the write came: what the cluster shows tells whether it was done. Absent: one came. */
  unanswered: z.optional(z.literal(true)),
});
export type Action = z.infer<typeof actionSchema>;

export const actionListSchema = z.object({ items: z.array(actionSchema) });
