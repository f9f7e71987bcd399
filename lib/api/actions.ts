import { z } from 'zod';
import { instant, maskedText } from '@/lib/api/common';
import { diffSchema } from '@/lib/api/diff';
import type { Immutable } from '@/lib/immutable';
import { actionNames, actionStates, severities, targetOrigins } from '@/lib/api/action-values';

const preconditionTokenSchema = z.string().min(1).max(200);
const reasonSchema = z.string().max(1000).default('');
const dryRunSchema = z.boolean().default(false);

export const rollbackRequestSchema = z.strictObject({
  /**
   * Number or id of the target revision. A number is one of the current incarnation, of a retained revision
   * before an archived one; an id may also be that of a revision of an earlier incarnation.
   */
  to: z.union([z.string().min(1).max(253), z.number().int()]),
  /** The semantic identity of `to` as shown; returned by the preview, checked again before the write. */
  toSeen: z.string().max(200).optional(),
  seen: preconditionTokenSchema,
  reason: reasonSchema,
  dryRun: dryRunSchema,
  /** Replace the annotation map as `kubectl rollout undo` does. Deployments only. */
  likeKubectl: z.boolean().default(false),
  /** Moves the partition in the same write, of a workload with `movesPartition`. Absent: it stays. */
  partition: z.number().int().min(0).max(1_000_000).optional(),
});

export const controlRequestSchema = z.strictObject({
  seen: preconditionTokenSchema,
  reason: reasonSchema,
  dryRun: dryRunSchema,
});

export const partitionRequestSchema = z.strictObject({
  to: z.number().int().min(0).max(1_000_000),
  seen: preconditionTokenSchema,
  reason: reasonSchema,
  dryRun: dryRunSchema,
});
export const podDeleteRequestSchema = z.strictObject({
  uid: z.string().min(1).max(100),
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
  message: maskedText,
  /** The suggested remedy; null when none is needed. */
  action: maskedText.nullable(),
  /** A command line for the remedy, ready to be copied. */
  command: maskedText.optional(),
  /** YAML for the remedy, where a command would have no lasting effect. */
  manifest: maskedText.optional(),
});

/** What an action that replaces pods does to the number of pods that serve. */
export const capacitySchema = z.object({
  /** Pods, or groups of them, that are replaced or updated; those that already run the target are left alone. */
  replaced: z.number(),
  /** How many stay ready at any time, at least; null where nothing is replaced or nothing bounds it. */
  serving: z.number().nullable(),
  /** "4 pods replaced", "2 held by partition 2", "at least 3 serving". */
  phrases: z.array(maskedText),
});

export const planSchema = z.object({
  action: z.enum(actionNames),
  /** What the button does, to which target: "Roll back to rev 42 (2.18.3)". */
  title: maskedText,
  /** What will happen, in order, one sentence each. */
  steps: z.array(maskedText),
  /** What stays unchanged, one sentence each. */
  stays: z.array(maskedText),
  /** The kubectl command line that does the same. */
  kubectl: maskedText,
  /** Absent where the action replaces no pods itself. */
  capacity: capacitySchema.optional(),
});

export const requestedPlanSchema = planSchema.extend({
  /** The request that is sent, masked: method, path, body. */
  request: z.object({ method: z.string(), path: z.string(), body: z.unknown() }),
  /** The second request, of an action that needs two. */
  then: z.object({ method: z.string(), path: z.string(), body: z.unknown() }).optional(),
});

const resultSchema = z.object({
  actionId: z.string(),
  state: z.enum(actionStates),
});

export const actionAnswerSchema = z.object({
  /** Null when rejected. */
  plan: requestedPlanSchema.nullable(),
  /**
   * Rollback: how long the latest completed rollouts of the workload took, in the middle; null where none was recorded.
   * Absent: not looked up.
   */
  usualDurationMs: z.number().nullable().optional(),
  findings: z.array(findingSchema),
  /** From the current template to the new one; null for actions that do not change the template. */
  diff: diffSchema.nullable(),
  applied: z.boolean(),
  result: resultSchema.nullable(),
  /** Rollback: identity of the chosen revision's template, to be sent back as `toSeen`. */
  toSeen: z.string().nullable(),
  /** Whether the API server's dry run accepted the write; null when there was no dry run. */
  dryRun: z.object({ accepted: z.boolean(), message: maskedText, at: instant }).nullable(),
  revision: z
    .object({
      id: z.string(),
      number: z.number().nullable(),
      origin: z.enum(targetOrigins),
      /**
       * When it was observed as pruned from the cluster; null while it is retained, and where that was not
       * observed.
       */
      prunedAt: instant.nullable(),
      /** Since when the archive has it; null where the template comes from the cluster. */
      recordedAt: instant.nullable(),
    })
    .nullable(),
});
export type ActionAnswer = Immutable<z.infer<typeof actionAnswerSchema>>;
