import { z } from 'zod';
import { inCluster, instant, maskedMap, workloadIdentitySchema } from '@/lib/api/common';
import { revisionItemSchema } from '@/lib/api/revisions';
import type { Immutable } from '@/lib/immutable';

/** A workload that is created again under its name has another uid and is another incarnation. */
export const incarnationItemSchema = z.object({
  uid: z.string(),
  from: instant,
  /** Null for the current one. */
  to: instant.nullable(),
});
export type Incarnation = Immutable<z.infer<typeof incarnationItemSchema>>;

/** Uid of an earlier incarnation; default: the current one. */
export const incarnationQuerySchema = z.object({
  ...inCluster,
  uid: z.string().min(1).max(100).optional(),
});

/** An earlier incarnation, from the archive alone: the answer of a workload's address with `?uid=`. */
export const earlierIncarnationSchema = z.object({
  workload: workloadIdentitySchema.extend({ labels: maskedMap }),
  incarnation: incarnationItemSchema,
  incarnations: z.array(incarnationItemSchema),
  /** All with `retained: false`; `target` is the last one. */
  revisions: z.array(revisionItemSchema),
});
export type EarlierIncarnation = Immutable<z.infer<typeof earlierIncarnationSchema>>;

export const trackQuerySchema = incarnationQuerySchema.extend({
  /** Rollouts begun since then: RFC 3339 time, or a duration back from now. */
  since: z.string().max(40).optional(),
});

/** Pods by revision over the recorded rollouts of a workload, oldest first: `GET …/track`. */
export const podTrackSchema = z.object({
  rollouts: z.array(
    z.object({
      record: z.string(),
      samples: z.array(
        z.object({
          at: instant,
          pods: z.array(
            z.object({
              /** Null where the revision is no longer known. */
              revisionId: z.string().nullable(),
              pods: z.number(),
              ready: z.number(),
            }),
          ),
        }),
      ),
    }),
  ),
});
export type PodTrack = Immutable<z.infer<typeof podTrackSchema>>;
