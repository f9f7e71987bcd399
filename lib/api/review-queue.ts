import { z } from 'zod';
import { ofClusters, partialSchema } from '@/lib/api/common';
import { recordItemSchema, refusalsSchema } from '@/lib/api/records';
import { reviewScopes } from '@/lib/api/review-values';
import type { Immutable } from '@/lib/immutable';

const list = z.string().max(4_000).optional();

/** Defaults are the operator's settings; `namespace=` means all. */
export const reviewQueueQuerySchema = z.object({
  ...ofClusters,
  /** One or several, comma separated. */
  namespace: list,
  /** Values of the team's label. */
  team: list,
  only: z.enum(reviewScopes).optional(),
  /** `1`: restarts that completed, too. */
  restarts: z.enum(['0', '1']).optional(),
  /** How long a rollout must have been over: `30m`, `2h`, `1d`. */
  age: z.string().max(20).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(100),
  cursor: z.string().max(500).optional(),
});
export type ReviewQueueQuery = z.output<typeof reviewQueueQuerySchema>;

/** What a team reviews: which of the rollouts without a verdict wait for one. */
const reviewRulesSchema = z.object({
  /** Empty: all. */
  namespaces: z.array(z.string()),
  /** Values of the team's label; empty: all. */
  teams: z.array(z.string()),
  only: z.enum(reviewScopes),
  /** Whether completed restarts are reviewed, too. */
  restarts: z.boolean(),
  /** How long a rollout must have been over: time for alerts and for a rollback. */
  minAgeMs: z.number(),
});
export type ReviewRules = Immutable<z.infer<typeof reviewRulesSchema>>;

/** A rollout in a queue, without its steps: its record has them. */
export const queuedRecordSchema = recordItemSchema.omit({ steps: true }).extend({ refusals: refusalsSchema });
export type QueuedRecord = Immutable<z.infer<typeof queuedRecordSchema>>;

/** Records without a verdict that wait for one, latest first; a rollout that has been held for a day is among them. */
export const reviewQueueSchema = z.object({
  items: z.array(queuedRecordSchema),
  nextCursor: z.string().nullable(),
  /** Rules in force. */
  rules: reviewRulesSchema,
  /** The rules without any in the address. */
  usualRules: reviewRulesSchema,
  /** To choose from: those with records that the viewer may see, whatever the rules. */
  namespaces: z.array(z.string()),
  /** The label whose value is the team. */
  teamLabel: z.string(),
  partial: z.array(partialSchema),
});
export type ReviewQueue = Immutable<z.infer<typeof reviewQueueSchema>>;

export const followUpsQuerySchema = z.object({
  ...ofClusters,
  /** `me`: those that are assigned to the viewer. */
  assignee: z.enum(['me']).optional(),
});
export type FollowUpsQuery = z.output<typeof followUpsQuerySchema>;

/** Records whose current verdict asks for a follow-up, the one due first in front; the first 200. */
export const followUpListSchema = z.object({
  items: z.array(queuedRecordSchema),
  /** All that are open. */
  total: z.number(),
  /** Null where everyone views as one. */
  assignedToMe: z.number().nullable(),
  partial: z.array(partialSchema),
});
export type FollowUpList = Immutable<z.infer<typeof followUpListSchema>>;
