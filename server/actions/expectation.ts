import 'server-only';
import { type Workload } from '@/lib/history/workload';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { desiredTemplate, hasReferencedTemplate } from '@/lib/workloads/desired-template';
import { type CurrentWorkload } from '@/server/actions/current-workload';
import { ingestWorkload, temporaryContext } from '@/server/cluster/ingest';
import { type Keys } from '@/server/shared/keys';

/** Identifies the meaning of a template on this workload, not its bytes: the follower compares meanings. */
export function templateKey(keys: Keys, { uid, semanticId }: Pick<Workload, 'uid' | 'semanticId'>): string {
  return keys.preconditionToken('expected', uid, semanticId);
}

/** Of the desired template of the workload; null where that is not known yet. */
export function desiredTemplateKey(keys: Keys, input: Parameters<typeof desiredTemplate>[0]): string | null {
  const desired = desiredTemplate(input);
  if (desired === null) return null;
  return templateKey(keys, { uid: input.workload.uid, semanticId: desired.semanticId });
}

/**
 * The template and the generation after the write, by the API server's answer; `before`: the template before, where
 * the workload itself does not show a write.
 */
export function expectedWorkload(
  keys: Keys,
  current: CurrentWorkload,
  answer: JsonObject,
): { template: string; before?: string; generation: number } {
  const { uid, generation } = current.workload;
  const written = ingestWorkload(current.holder.kind, answer as unknown as KubeObject, temporaryContext());
  const before = desiredTemplateKey(keys, current) ?? '';
  // A write to another object does not change the workload's own generation.
  if (current.holder.kind !== current.kind)
    return { generation, template: templateKey(keys, { uid, semanticId: written.semanticId }), before };
  const template = hasReferencedTemplate(current) ? before : templateKey(keys, written);
  return { generation: written.generation, template };
}
