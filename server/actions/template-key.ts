import 'server-only';
import type { Workload } from '@/lib/history/workload';
import { desiredTemplate } from '@/lib/workloads/desired-template';
import type { Keys } from '@/server/shared/keys';

/** Identifies the meaning of a template on this workload, not its bytes: the follower compares meanings. */
export function templateKey(
  keys: Pick<Keys, 'preconditionToken'>,
  { uid, semanticId }: Pick<Workload, 'uid' | 'semanticId'>,
): string {
  return keys.preconditionToken('expected', uid, semanticId);
}

/** Of the desired template of the workload; null where that is not known yet. */
export function desiredTemplateKey(keys: Keys, input: Parameters<typeof desiredTemplate>[0]): string | null {
  const desired = desiredTemplate(input);
  if (desired === null) return null;
  return templateKey(keys, { uid: input.workload.uid, semanticId: desired.semanticId });
}
