import { z } from 'zod';
import { controlRequestSchema } from '@/lib/api/actions';

/*
 * POST /api/rollouts/{resource}/{namespace}/{name}/{action}, for every name in `actions` of the rollout's
 * answer.
 *
 * `seen` is that of the answer that the viewer saw: of the list or of the page. Where anything that the
 * action depends on has changed, the answer is 409 `changed`, nothing has been written, and its details hold
 * the current `seen` and in `now` the current state. With `dryRun: true` the answer is the plan with all
 * objections; nothing is written, and a rejection is among its `findings`. Without it a rejection is 422
 * `refused` with the findings in its details, and 403 `forbidden` or `read_only` without permission.
 *
 * The answer is that of the actions of workloads (`actionAnswerSchema`): `diff`, `toSeen` and `revision` are
 * set only by a rollback. `result.actionId` goes to GET /api/actions/{id}, which returns its progress; GET
 * /api/rollouts/{resource}/{namespace}/{name}/actions has the latest ones.
 */

/** All except those below. */
export const rolloutControlSchema = controlRequestSchema;

export const jumpRequestSchema = controlRequestSchema.extend({
  /** Counts from 1; one of `steps` of the action. */
  step: z.number().int().min(1).max(1000),
});

export const approvalRequestSchema = controlRequestSchema.extend({
  /** The last step that is approved, counted from 1: one of `steps` of the action. Omitted: the next one. */
  step: z.number().int().min(1).max(1000).optional(),
});

export const deletionRequestSchema = controlRequestSchema.extend({
  /** Whether a deletion reverts the rollout, where the action has `revert`. Omitted: as the object specifies. */
  revert: z.boolean().optional(),
});

/** To the revision from which the progressive rollout started. */
export const progressiveRollbackSchema = controlRequestSchema.extend({
  /** `toSeen` of the preview: the template of that revision, checked again before the write. */
  toSeen: z.string().max(200).optional(),
});
