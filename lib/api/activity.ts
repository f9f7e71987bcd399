import { z } from 'zod/mini';
import { actionSchema, actionStates } from '@/lib/api/actions';
import { instant, partialSchema } from '@/lib/api/common';
import { actionNames } from '@/lib/workloads/plan';

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
  /** `open` stands for those under way: accepted or following. */
  state: z.optional(z.enum([...actionStates, 'refused', 'open'])),
  /** RFC 3339 time, day, or duration back from now such as `24h`; by the start of an action. */
  since: z.optional(moment),
  until: z.optional(moment),
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(500)), 100),
  cursor: z.optional(z.string().check(z.maxLength(500))),
});
export type ActivityQuery = z.output<typeof activityQuerySchema>;

export const activityItemSchema = z.extend(actionSchema, {
  /** As whom the API server took it; null where that was Shiplog's own identity. */
  identity: z.nullable(z.string()),
  /** Of a refusal or failure: the error's code and the API server's own words. */
  code: z.nullable(z.string()),
  apiMessage: z.nullable(z.string()),
  /** Why it was refused. */
  findings: z.array(z.object({ code: z.string(), message: z.string() })),
  /** Record of the rollout that it began; null before there is one, and where it began none. */
  recordId: z.nullable(z.string()),
});
export type ActivityItem = z.infer<typeof activityItemSchema>;

/** Where events are told to others; addresses without what is secret in them. */
export const notificationTargetSchema = z.object({
  target: z.string(),
  waiting: z.number(),
  /** In the last days. */
  delivered: z.number(),
  givenUp: z.number(),
  lastDeliveredAt: z.nullable(instant),
  /** Null while it answers. */
  failingSince: z.nullable(instant),
  lastError: z.nullable(z.string()),
});
export type NotificationTarget = z.infer<typeof notificationTargetSchema>;

/** What was done through Shiplog, refused and failed attempts included, newest first. */
export const activitySchema = z.object({
  items: z.array(activityItemSchema),
  nextCursor: z.nullable(z.string()),
  /** What is missing while the archive can't be read. */
  partial: z.array(partialSchema),
  /** Empty where nobody is told. */
  notifications: z.array(notificationTargetSchema),
});
export type Activity = z.infer<typeof activitySchema>;
