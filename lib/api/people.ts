import { z } from 'zod';
import { maskedText } from '@/lib/api/common';

export const peopleQuerySchema = z.object({
  /** A part of the name, in whatever case. */
  q: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});

/** People who have signed in, to mention and to assign; the ones seen last in front. */
export const peopleSchema = z.object({ items: z.array(z.object({ name: maskedText })) });
