import { z } from 'zod';
import { actionSchema, archivedActionSchema } from '@/lib/api/action';
import { instant, maskedText, ofClusters, partialSchema } from '@/lib/api/common';
import { actionNames, actionStates } from '@/lib/api/action-values';
import type { Immutable } from '@/lib/immutable';

const name = z.string().max(253);
const moment = z.string().max(100);

export const activityQuerySchema = z.object({
  ...ofClusters,
  /** Words that all occur in workload, namespace, actor, reason or message. */
  q: z.string().max(200).optional(),
  namespace: name.optional(),
  resource: name.optional(),
  name: name.optional(),
  actor: z.string().max(500).optional(),
  action: z.enum(actionNames).optional(),
  /** `open` includes those in progress: accepted or following. */
  state: z.enum([...actionStates, 'refused', 'open']).optional(),
  /** RFC 3339 time, day, or duration back from now such as `24h`; by the start of an action. */
  since: moment.optional(),
  until: moment.optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  cursor: z.string().max(500).optional(),
  /** `1`: all pages in one answer, up to 10,000 actions; `limit` has no effect then. Always so with `format=csv`. */
  all: z.enum(['1']).optional(),
  format: z.enum(['json', 'csv']).default('json'),
});
export type ActivityQuery = z.output<typeof activityQuerySchema>;

export const activityItemSchema = actionSchema.extend({
  /** The user that the API server took the request for; null where that was Shiplog itself. */
  identity: maskedText.nullable(),
  code: archivedActionSchema.shape.code,
  apiMessage: archivedActionSchema.shape.apiMessage,
  findings: archivedActionSchema.shape.findings,
  /** Record of the rollout that it started; null before there is one, and where it started none. */
  recordId: z.string().nullable(),
});
export type ActivityItem = Immutable<z.infer<typeof activityItemSchema>>;

/** Where notifications go; addresses without their secrets. */
const notificationTargetSchema = z.object({
  target: z.string(),
  waiting: z.number(),
  /** In the last days. */
  delivered: z.number(),
  givenUp: z.number(),
  lastDeliveredAt: instant.nullable(),
  /** Null while it responds. */
  failingSince: instant.nullable(),
  lastError: maskedText.nullable(),
});
export type NotificationTarget = Immutable<z.infer<typeof notificationTargetSchema>>;

/** Actions through Shiplog, rejected and failed attempts included, newest first. */
export const activitySchema = z.object({
  items: z.array(activityItemSchema),
  nextCursor: z.string().nullable(),
  /** What is missing while the archive can't be read. */
  partial: z.array(partialSchema),
  /** Empty where no target is configured. */
  notifications: z.array(notificationTargetSchema),
});
export type Activity = Immutable<z.infer<typeof activitySchema>>;
