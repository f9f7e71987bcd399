import { z } from 'zod';
import { recordedProgressiveRolloutSchema, rolloutRecordSchema } from '@/lib/api/record';
import type { Verdict } from '@/lib/api/review';
import type { Immutable } from '@/lib/immutable';

/** Whether a list has anything; what it has is not kept. */
const hasAnySchema = z.array(z.unknown()).transform((list) => list.length > 0);

/** What a summary takes from a record. */
export const summarizedRecordSchema = rolloutRecordSchema
  .pick({
    id: true,
    activation: true,
    from: true,
    to: true,
    others: true,
    startedAt: true,
    startedNotAfter: true,
    endedAt: true,
    outcome: true,
    undoneBy: true,
    actor: true,
    cause: true,
    summary: true,
    restart: true,
    desiredPods: true,
  })
  .extend({
    /** Of each, whether it had pods. */
    steps: z.array(z.object({ pods: hasAnySchema })),
    workload: rolloutRecordSchema.shape.workload.pick({ uid: true }),
    progressiveRollout: recordedProgressiveRolloutSchema
      .pick({ resource: true, name: true, uid: true, id: true })
      .extend({ unassigned: hasAnySchema })
      .nullable(),
  });

/** A record without its progress: what lists, bars and menus need. */
export interface RecordSummary extends Omit<Immutable<z.infer<typeof summarizedRecordSchema>>, 'workload'> {
  /** Of the workload. */
  uid: string;
  /** Id of the record that reverted it; null also where this was not requested. */
  revertedBy: string | null;
  /** Null also where this was not requested. */
  verdict: Verdict['verdict'] | null;
}
