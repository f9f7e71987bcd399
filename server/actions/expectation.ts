import 'server-only';
import { semanticIdOf } from '@/server/shared/semantic-id';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { desiredTemplate, hasReferencedTemplate } from '@/lib/workloads/desired-template';
import { type Workload } from '@/lib/history/workload';
import { templateIn } from '@/server/actions/dry-run';
import { foundTemplateOwner } from '@/server/actions/template-owner';
import { type CurrentWorkload } from '@/server/actions/current-workload';
import { BodyStore } from '@/server/cluster/body-store';
import { ingestWorkload, SemanticIds } from '@/server/cluster/ingest';
import { type Keys } from '@/server/shared/keys';

/** Identifies the meaning of a template on this workload, not its bytes: the follower compares meanings. */
export function templateKey(keys: Keys, workload: Pick<Workload, 'uid' | 'semanticId'>): string {
  return keys.preconditionToken('expected', workload.uid, workload.semanticId);
}

/** Of the desired template of the workload; null where that is not known yet. */
export function desiredTemplateKey(keys: Keys, input: Parameters<typeof desiredTemplate>[0]): string | null {
  const desired = desiredTemplate(input);
  const { uid } = input.workload;
  return desired === null ? null : templateKey(keys, { uid, semanticId: desired.semanticId });
}

/** Of the template after the write, and of the one before where the workload itself does not show a write. */
export function expectedTemplate(
  keys: Keys,
  current: CurrentWorkload,
  answer: JsonObject,
): { template: string; before?: string } {
  if (!hasReferencedTemplate(current))
    return { template: templateKey(keys, workloadOf(current.kind, answer)) };
  const before = desiredTemplateKey(keys, current) ?? '';
  const written = foundTemplateOwner(current) === undefined ? undefined : templateIn(current, answer);
  if (written === undefined) return { template: before };
  const { uid } = current.workload;
  return { template: templateKey(keys, { uid, semanticId: semanticIdOf(written) }), before };
}

/** The cache's reading of an object in an answer of the API server; no store holds its body. */
export function workloadOf(kind: WorkloadKind, answer: JsonObject): Workload {
  const bodies = new BodyStore();
  return ingestWorkload(kind, answer as unknown as KubeObject, { bodies, semantic: new SemanticIds(bodies) });
}
