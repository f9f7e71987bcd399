import type { z } from 'zod';
import type { progressiveRolloutSchema } from '@/lib/api/rollouts';
import type { Immutable } from '@/lib/immutable';

/** Two revisions of a history in the namespace of the rollout. */
export interface RevisionComparison {
  resource: string;
  name: string;
  from: string;
  to: string;
}

export interface ProgressiveRollout extends Immutable<z.infer<typeof progressiveRolloutSchema>> {
  /** Where to compare the two revisions, where they are not revisions of the workload. Absent: they are. */
  comparison?: RevisionComparison | null;
  /** For viewers who can't see pods. Absent: the message says nothing of them. */
  messageWithoutPods?: string;
}
