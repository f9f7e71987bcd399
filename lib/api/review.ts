import { z } from 'zod/mini';
import { recordItemSchema } from '@/lib/api/records';
import { type Immutable } from '@/lib/immutable';

const list = z.optional(z.string().check(z.maxLength(4_000)));

/** Defaults are the operator's settings; `namespace=` means all. */
export const reviewQueueQuerySchema = z.object({
  /** One or several, comma separated. */
  namespace: list,
  /** Values of the team's label. */
  team: list,
  /** `failed`: failed, rolled back or later reverted. `rollbacks`: rolled back or later reverted. */
  only: z.optional(z.enum(['all', 'failed', 'rollbacks'])),
  /** `1`: restarts that completed, too. */
  restarts: z.optional(z.enum(['0', '1'])),
  /** How long a rollout must have been over: `30m`, `2h`, `1d`. */
  age: z.optional(z.string().check(z.maxLength(20))),
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(200)), 100),
  cursor: z.optional(z.string().check(z.maxLength(500))),
});
export type ReviewQueueQuery = z.output<typeof reviewQueueQuerySchema>;

/** Rules in force. */
const reviewRulesSchema = z.object({
  namespaces: z.array(z.string()),
  teams: z.array(z.string()),
  only: z.enum(['all', 'failed', 'rollbacks']),
  restarts: z.boolean(),
  minAgeMs: z.number(),
});
export type ReviewRulesItem = Immutable<z.infer<typeof reviewRulesSchema>>;

/** A rollout in a queue, without its steps: its record has them. */
const queuedRecordSchema = z.omit(recordItemSchema, { steps: true });
export type QueuedRecord = Immutable<z.infer<typeof queuedRecordSchema>>;

/** Records without a verdict that wait for one, latest first; a rollout that has been held for a day is among them. */
export const reviewQueueSchema = z.object({
  items: z.array(queuedRecordSchema),
  nextCursor: z.nullable(z.string()),
  rules: reviewRulesSchema,
  /** The rules without any in the address. */
  usualRules: reviewRulesSchema,
  /** To choose from: those with records that the viewer may see, whatever the rules. */
  namespaces: z.array(z.string()),
  /** The label whose value is the team. */
  teamLabel: z.string(),
});
export type ReviewQueue = Immutable<z.infer<typeof reviewQueueSchema>>;

/** Records whose current verdict asks for a follow-up, the one due first in front. */
export const followUpListSchema = z.object({ items: z.array(queuedRecordSchema) });
export type FollowUpList = Immutable<z.infer<typeof followUpListSchema>>;
