import 'server-only';
import { type Workload } from '@/lib/history/workload';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { desiredTemplate, hasReferencedTemplate } from '@/lib/workloads/desired-template';
import { type CurrentWorkload, foundTemplateOwner, templateIn } from '@/server/actions/current-workload';
import { ingestWorkload, temporaryContext } from '@/server/cluster/ingest';
import { type Keys } from '@/server/shared/keys';
import { semanticIdOf } from '@/server/shared/semantic-id';

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
  const isOwn = foundTemplateOwner(current) === undefined;
  const written = isOwn
    ? ingestWorkload(current.kind, answer as unknown as KubeObject, temporaryContext())
    : undefined;
  // A write to another object does not change the workload's own generation.
  const expected = { generation: written?.generation ?? generation };
  if (written !== undefined && !hasReferencedTemplate(current))
    return { ...expected, template: templateKey(keys, written) };
  const before = desiredTemplateKey(keys, current) ?? '';
  const template = isOwn ? undefined : templateIn(current, answer);
  if (template === undefined) return { ...expected, template: before };
  return { ...expected, template: templateKey(keys, { uid, semanticId: semanticIdOf(template) }), before };
}
