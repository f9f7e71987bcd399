import 'server-only';
import { z } from 'zod';
import { senderSchema } from '@/lib/api/action';
import { instant } from '@/lib/api/common';

/**
 * What a person is about to do to a record in the archive: a line of the audit file among those of actions. Texts of
 * comments, the earlier ones too, are in the archive and not here.
 */
export const reviewEntrySchema = z.object({
  at: instant,
  event: z.enum(['verdict', 'comment', 'edit', 'pin', 'unpin']),
  by: z.object({ id: z.string(), name: z.string() }),
  record: z.string(),
  workload: z.object({
    cluster: z.string(),
    resource: z.string(),
    namespace: z.string(),
    name: z.string(),
    uid: z.string(),
  }),
  verdict: z.enum(['good', 'bad', 'followUp']).nullable(),
  /** The comment that is rewritten, or replied to. */
  comment: z.string().nullable(),
  /** Null: written before the attempt. Otherwise why the attempt failed. */
  code: z.string().nullable(),
  sender: senderSchema.nullable().optional(),
  /** The page's origin; null for a program. */
  origin: z.string().nullable(),
  /** Hash of the idempotency key of the request. */
  idempotencyKey: z.string().nullable(),
});
export type ReviewEntry = z.infer<typeof reviewEntrySchema>;
