import { imageKey } from '@/lib/history/template-equality';
import type { TemplateFacts } from '@/lib/history/workload';

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
  return isSameRelease(before, after);
}

/**
 * Whether two templates are the same but for restarts, whichever came first. False where neither was restarted, or
 * without the hash that proves it.
 */
export function isSameRelease(a: TemplateFacts & RestartFacts, b: TemplateFacts & RestartFacts): boolean {
  if ((a.restartedAt ?? b.restartedAt) === null || imageKey(a) !== imageKey(b)) return false;
  return a.restartFreeId !== undefined && a.restartFreeId === b.restartFreeId;
}
