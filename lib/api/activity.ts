import { z } from 'zod/mini';
import { actionSchema, archivedActionSchema } from '@/lib/api/action';
import { instant, partialSchema } from '@/lib/api/common';
import { actionNames, actionStates } from '@/lib/api/action-values';
import { type Immutable } from '@/lib/immutable';

const name = z.string().check(z.maxLength(253));
const moment = z.string().check(z.maxLength(100));

export const activityQuerySchema = z.object({
  /** Words that all occur in workload, namespace, actor, reason or message. */
  q: z.optional(z.string().check(z.maxLength(200))),
  namespace: z.optional(name),
  resource: z.optional(name),
  name: z.optional(name),
  actor: z.optional(z.string().check(z.maxLength(500))),
  action: z.optional(z.enum(actionNames)),
  /** `open` includes those in progress: accepted or following. */
  state: z.optional(z.enum([...actionStates, 'refused', 'open'])),
  /** RFC 3339 time, day, or duration back from now such as `24h`; by the start of an action. */
  since: z.optional(moment),
  until: z.optional(moment),
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(500)), 100),
  cursor: z.optional(z.string().check(z.maxLength(500))),
});
export type ActivityQuery = z.output<typeof activityQuerySchema>;

export const activityItemSchema = z.extend(actionSchema, {
  /** The user that the API server authenticated; null where that was Shiplog's own identity. */
  identity: z.nullable(z.string()),
  code: archivedActionSchema.shape.code,
  apiMessage: archivedActionSchema.shape.apiMessage,
  findings: archivedActionSchema.shape.findings,
  /** Record of the rollout that it started; null before there is one, and where it started none. */
  recordId: z.nullable(z.string()),
});
export type ActivityItem = Immutable<z.infer<typeof activityItemSchema>>;

/** Where notifications go; addresses without their secrets. */
const notificationTargetSchema = z.object({
  target: z.string(),
  waiting: z.number(),
  /** In the last days. */
  delivered: z.number(),
  givenUp: z.number(),
  lastDeliveredAt: z.nullable(instant),
  /** Null while it responds. */
  failingSince: z.nullable(instant),
  lastError: z.nullable(z.string()),
});
export type NotificationTarget = Immutable<z.infer<typeof notificationTargetSchema>>;

/** Actions through Shiplog, rejected and failed attempts included, newest first. */
export const activitySchema = z.object({
  items: z.array(activityItemSchema),
  nextCursor: z.nullable(z.string()),
  /** What is missing while the archive can't be read. */
  partial: z.array(partialSchema),
  /** Empty where no target is configured. */
  notifications: z.array(notificationTargetSchema),
});
export type Activity = Immutable<z.infer<typeof activitySchema>>;
