import { z } from 'zod/mini';
import { actionSchema, actionStates } from '@/lib/api/actions';

export const activityQuerySchema = z.object({
  /** Words that all occur in workload, namespace, actor, reason or message. */
  q: z.optional(z.string().check(z.maxLength(200))),
  namespace: z.optional(z.string().check(z.maxLength(253))),
  state: z.optional(z.enum([...actionStates, 'refused'])),
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(500)), 100),
  cursor: z.optional(z.string().check(z.maxLength(500))),
});
export type ActivityQuery = z.output<typeof activityQuerySchema>;

/** What was done through Shiplog, refused and failed attempts included, newest first. */
export const activitySchema = z.object({
  items: z.array(actionSchema),
  nextCursor: z.nullable(z.string()),
});
export type Activity = z.infer<typeof activitySchema>;
