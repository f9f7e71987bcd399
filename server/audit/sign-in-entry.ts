import 'server-only';
import { z } from 'zod';
import { senderSchema } from '@/lib/api/action';
import { instant } from '@/lib/api/common';

/** That someone signed in or out, or was refused: a line of the audit file among those of actions. */
export const signInEntrySchema = z.object({
  at: instant,
  event: z.enum(['signIn', 'signInRefused', 'signOut']),
  /** Null where that is not known. */
  by: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** Why someone was refused. */
  reason: z.string().nullable(),
  sender: senderSchema,
});
export type SignInEntry = z.infer<typeof signInEntrySchema>;
