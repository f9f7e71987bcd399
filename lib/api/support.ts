import { z } from 'zod';
import { activitySchema } from '@/lib/api/activity';
import { clusterListSchema } from '@/lib/api/cluster';
import { instant, maskedText } from '@/lib/api/common';
import { authModes } from '@/lib/api/session';

export const readinessSchema = z.object({ ready: z.boolean(), waitingFor: z.array(z.string()) });

/** `GET /api/support`: what a support bundle has of a running server. */
export const supportSchema = z.object({
  at: instant,
  startedAt: instant,
  versions: z.object({ shiplog: z.string(), node: z.string(), os: z.string(), architecture: z.string() }),
  signIn: z.enum(authModes),
  /** Variables that are set; of those that hold a secret only that they are. */
  configuration: z.record(z.string(), maskedText),
  readiness: readinessSchema,
  clusters: clusterListSchema,
  archive: z.object({
    isOpen: z.boolean(),
    /** Why it is not open; null where it is, or is opened for the first time. */
    reason: maskedText.nullable(),
    engine: z.string().nullable(),
    /** Null while it can't be read. */
    bytes: z.number().nullable(),
    /** The number of the schema that this version writes. */
    schema: z.number(),
  }),
  notifications: activitySchema.shape.notifications,
  /** Of the audit file, as far as it has been archived. */
  damagedAuditLines: z.number(),
  /** The latest lines of the log that are warnings or errors, oldest first. */
  problems: z.array(maskedText),
  metrics: z.string(),
});
