import { z } from 'zod/mini';
import { recordedProgressiveRolloutSchema, rolloutRecordSchema } from '@/lib/api/record';
import { type Verdict } from '@/lib/api/review';
import { type Immutable } from '@/lib/immutable';

/** What a summary takes from a record. */
export const summarizedRecordSchema = z.extend(
  z.pick(rolloutRecordSchema, {
    id: true,
    activation: true,
    from: true,
    to: true,
    others: true,
    startedAt: true,
    startedNotAfter: true,
    endedAt: true,
    outcome: true,
    actor: true,
    cause: true,
    summary: true,
    restart: true,
  }),
  {
    workload: z.pick(rolloutRecordSchema.shape.workload, { uid: true }),
    release: z.nullable(
      z.pick(recordedProgressiveRolloutSchema, { resource: true, name: true, uid: true, id: true }),
    ),
  },
);

/** A record without its progress: what lists, bars and menus need. */
export interface RecordSummary extends Omit<Immutable<z.infer<typeof summarizedRecordSchema>>, 'workload'> {
  /** Of the workload. */
  uid: string;
  /** Id of the record that reverted it; null also where this was not requested. */
  revertedBy: string | null;
  /** Null also where this was not requested. */
  verdict: Verdict['verdict'] | null;
}
