import { z } from 'zod/mini';
import { instant } from '@/lib/api/common';
import { diffSchema } from '@/lib/api/diff';
import { type Immutable } from '@/lib/immutable';
import { actionNames, severities, targetOrigins } from '@/lib/api/action-values';

const preconditionTokenSchema = z.string().check(z.minLength(1)).check(z.maxLength(200));
const reasonSchema = z._default(z.string().check(z.maxLength(1000)), '');
const dryRunSchema = z._default(z.boolean(), false);

export const rollbackRequestSchema = z.strictObject({
  /**
   * Number or id of the target revision. A number is one of the current incarnation, of a retained revision
   * before an archived one; an id may also be that of a revision of an earlier incarnation.
   */
  to: z.union([z.string().check(z.minLength(1)).check(z.maxLength(253)), z.number().check(z.int())]),
  /** The semantic identity of `to` as shown; returned by the preview, checked again before the write. */
  toSeen: z.optional(z.string().check(z.maxLength(200))),
  seen: preconditionTokenSchema,
  reason: reasonSchema,
  dryRun: dryRunSchema,
  /** Replace the annotation map as `kubectl rollout undo` does. Deployments only. */
  likeKubectl: z._default(z.boolean(), false),
  /** Moves the partition in the same write, of a workload with `movesPartition`. Absent: it stays. */
  partition: z.optional(z.number().check(z.int()).check(z.minimum(0)).check(z.maximum(1_000_000))),
});
export type RollbackRequest = z.input<typeof rollbackRequestSchema>;

export const controlRequestSchema = z.strictObject({
  seen: preconditionTokenSchema,
  reason: reasonSchema,
  dryRun: dryRunSchema,
});

export const partitionRequestSchema = z.strictObject({
  to: z.number().check(z.int()).check(z.minimum(0)).check(z.maximum(1_000_000)),
  seen: preconditionTokenSchema,
  reason: reasonSchema,
  dryRun: dryRunSchema,
});
export const podDeleteRequestSchema = z.strictObject({
  uid: z.string().check(z.minLength(1)).check(z.maxLength(100)),
  seen: preconditionTokenSchema,
  reason: reasonSchema,
  dryRun: dryRunSchema,
});

/** One result of the checks. Only a refusal blocks. */
export const findingSchema = z.object({
  severity: z.enum(severities),
  /** Stable, for scripts: `paused`, `equal_target`, `gitops_owner`, … */
  code: z.string(),
  /** What happened or applies. */
  message: z.string(),
  /** The suggested remedy; null when none is needed. */
  action: z.nullable(z.string()),
});

export const planSchema = z.object({
  action: z.enum(actionNames),
  /** What the button does, to which target: "Roll back to 42 · 2.18.3". */
  title: z.string(),
  /** What will happen, in order, one sentence each. */
  steps: z.array(z.string()),
  /** What stays unchanged, one sentence each. */
  stays: z.array(z.string()),
  /** The kubectl command line that does the same. */
  kubectl: z.string(),
});

const requestedPlanSchema = z.extend(planSchema, {
  /** The request that is sent, masked: method, path, body. */
  request: z.object({ method: z.string(), path: z.string(), body: z.unknown() }),
  /** The second request, of an action that needs two. */
  then: z.optional(z.object({ method: z.string(), path: z.string(), body: z.unknown() })),
});
export type PlanItem = Immutable<z.infer<typeof requestedPlanSchema>>;

export const actionStates = ['accepted', 'following', 'done', 'failed'] as const;

const resultSchema = z.object({
  actionId: z.string(),
  state: z.enum(actionStates),
});

export const actionAnswerSchema = z.object({
  /** Null when rejected. */
  plan: z.nullable(requestedPlanSchema),
  findings: z.array(findingSchema),
  /** From the current template to the new one; null for actions that do not change the template. */
  diff: z.nullable(diffSchema),
  applied: z.boolean(),
  result: z.nullable(resultSchema),
  /** Rollback: identity of the chosen revision's template, to be sent back as `toSeen`. */
  toSeen: z.nullable(z.string()),
  /** Whether the API server's dry run accepted the write; null when there was no dry run. */
  dryRun: z.nullable(z.object({ accepted: z.boolean(), message: z.string(), at: instant })),
  revision: z.nullable(
    z.object({
      id: z.string(),
      number: z.nullable(z.number()),
      origin: z.enum(targetOrigins),
      /**
       * When it was observed as pruned from the cluster; null while it is retained, and where that was not
       * observed.
       */
      prunedAt: z.nullable(instant),
      /** Since when the archive has it; null where the template comes from the cluster. */
      recordedAt: z.nullable(instant),
    }),
  ),
});
export type ActionAnswer = Immutable<z.infer<typeof actionAnswerSchema>>;

/** An action as it is tracked and audited. */
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
  /** Numbers at the time: the target, and the chosen revision. */
  from: z.nullable(z.number()),
  to: z.nullable(z.number()),
  fromId: z.nullable(z.string()),
  toId: z.nullable(z.string()),
  /** Rollback: where the template came from. */
  toOrigin: z._default(z.nullable(z.enum(targetOrigins)), null),
  /** Rollback: identifies the template as the hashes in records do, whatever revision will carry it. */
  toHash: z._default(z.nullable(z.string()), null),
  /** Approval or jump: the step before and the step after; `to` is null after the last one. */
  step: z._default(z.nullable(z.object({ from: z.number(), to: z.nullable(z.number()) })), null),
  /** The label of its button: "Approve batch 3". Absent: the same for every object. */
  label: z.optional(z.string()),
  /** The group restarted by deleting a pod: its number. */
  group: z.optional(z.number()),
  /** Rollback of a progressive rollout: its object. The action itself applies to its workload. */
  rollout: z._default(z.nullable(z.object({ resource: z.string(), name: z.string() })), null),
  state: z.enum([...actionStates, 'refused']),
  startedAt: instant,
  endedAt: z.nullable(instant),
  /** Its progress or its end, as text: "2 of 3 pods ready on 44". */
  message: z.string(),
  /** Number under which Kubernetes recorded the template again; null until it has. */
  recordedAs: z.nullable(z.number()),
  progress: z.nullable(z.object({ desired: z.number(), updated: z.number(), ready: z.number() })),
  /** The write got no answer: the state of the cluster shows whether it was applied. Absent: it got one. */
  unanswered: z.optional(z.literal(true)),
});
export type Action = Immutable<z.infer<typeof actionSchema>>;

export const actionListSchema = z.object({ items: z.array(actionSchema) });
