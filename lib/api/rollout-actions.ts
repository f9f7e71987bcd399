import { z } from 'zod/mini';
import { controlRequestSchema } from '@/lib/api/actions';
import { type RolloutActionName } from '@/lib/rollout/rollout';

/*
 * POST /api/rollouts/{resource}/{namespace}/{name}/{action}, for every name in `actions` of the rollout's answer.
 *
 * `seen` is that of the answer on whose strength somebody decided: of the list or of the page. Where anything that the
 * action depends on is another by now, the answer is 409 `changed`, nothing has been written, and its details hold the
 * present `seen` and in `now` what there is to see. With `dryRun: true` the answer is the plan with what stands against
 * it; nothing is written, and a refusal is among its `findings`. Without it a refusal is 422 `refused` with the findings
 * in its details, and 403 `forbidden` or `read_only` where somebody may not.
 *
 * The answer is that of the actions of workloads (`actionAnswerSchema`): `diff`, `toSeen` and `revision` are filled by a
 * rollback alone. `result.actionId` goes to GET /api/actions/{id}, which says how it goes on; GET
 * /api/rollouts/{resource}/{namespace}/{name}/actions has the latest ones.
 */

/** Every one but those below. */
export const rolloutControlSchema = controlRequestSchema;

export const jumpRequestSchema = z.extend(controlRequestSchema, {
  /** Counts from 1; one of `steps` of the action. */
  step: z.number().check(z.int()).check(z.minimum(1)).check(z.maximum(1000)),
});
export type JumpRequest = z.input<typeof jumpRequestSchema>;

export const approvalRequestSchema = z.extend(controlRequestSchema, {
  /** The last step that is approved, counted from 1: one of `steps` of the action. Left out: the next one. */
  step: z.optional(z.number().check(z.int()).check(z.minimum(1)).check(z.maximum(1000))),
});
export type ApprovalRequest = z.input<typeof approvalRequestSchema>;

export const deletionRequestSchema = z.extend(controlRequestSchema, {
  /** Whether what was done is taken back, where the action has `revert`. Left out: as the object says. */
  revert: z.optional(z.boolean()),
});
export type DeletionRequest = z.input<typeof deletionRequestSchema>;

/** To the revision from which the release started. */
export const releaseRollbackSchema = z.extend(controlRequestSchema, {
  /** `toSeen` of the preview: the template of that revision, checked again before the write. */
  toSeen: z.optional(z.string().check(z.maxLength(200))),
});
export type ReleaseRollbackRequest = z.input<typeof releaseRollbackSchema>;

export const rolloutActionRequests = {
  approve: approvalRequestSchema,
  jump: jumpRequestSchema,
  pause: rolloutControlSchema,
  resume: rolloutControlSchema,
  disable: rolloutControlSchema,
  enable: rolloutControlSchema,
  promoteFull: rolloutControlSchema,
  abort: rolloutControlSchema,
  retry: rolloutControlSchema,
  restart: rolloutControlSchema,
  rollback: releaseRollbackSchema,
  delete: deletionRequestSchema,
} as const satisfies Record<RolloutActionName, z.core.$ZodType>;

/** Parameters of every action by its name, as a client sends them. */
export type RolloutActionRequests = {
  [Name in RolloutActionName]: z.input<(typeof rolloutActionRequests)[Name]>;
};

/** `details` of a 409. */
export const rolloutChangedSchema = z.object({
  seen: z.string(),
  /** What there is now, in a sentence: "Step 2 of 3 waits for approval." */
  now: z.string(),
});
export type RolloutChanged = z.infer<typeof rolloutChangedSchema>;
