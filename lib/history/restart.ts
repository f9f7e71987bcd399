import { imageKey } from '@/lib/history/equality';
import { type TemplateFacts } from '@/lib/workloads/workload';

/** Hash of the normalised template without the mark of a restart, where whoever hashed it gave one. */
export interface RestartFacts {
  restartFreeId?: string;
}

/** Whether `after` differs from `before` by a restart alone. Without the hash that proves it the answer is no. */
export function isRestart(
  before: TemplateFacts & RestartFacts,
  after: TemplateFacts & RestartFacts,
): boolean {
  if (after.restartedAt === null || after.restartedAt === before.restartedAt) return false;
  if (imageKey(before) !== imageKey(after)) return false;
  return after.restartFreeId !== undefined && after.restartFreeId === before.restartFreeId;
}
