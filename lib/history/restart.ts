import { imageKey } from '@/lib/history/template-equality';
import { type TemplateFacts } from '@/lib/history/workload';

/** Hash of the normalized template without the restart annotation, where the hashing included one. */
export interface RestartFacts {
  restartFreeId?: string;
}

/** Whether `after` differs from `before` by a restart alone. False without the hash that proves it. */
export function isRestart(
  before: TemplateFacts & RestartFacts,
  after: TemplateFacts & RestartFacts,
): boolean {
  if (after.restartedAt === null || after.restartedAt === before.restartedAt) return false;
  if (imageKey(before) !== imageKey(after)) return false;
  return after.restartFreeId !== undefined && after.restartFreeId === before.restartFreeId;
}
