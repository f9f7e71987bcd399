import 'server-only';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { askedTemplate, isHeldElsewhere } from '@/lib/workloads/asked-template';
import { type Workload } from '@/lib/workloads/workload';
import { templateIn } from '@/server/actions/dry-run';
import { foundHolder } from '@/server/actions/holder';
import { type Present } from '@/server/actions/present';
import { BodyStore } from '@/server/cluster/body-store';
import { ingestWorkload, SemanticIds, semanticIdOf } from '@/server/cluster/ingest';
import { type Keys } from '@/server/keys';

/** Stands for what a template means, on this workload. Not for its bytes: the follower compares meanings. */
export function templateKey(keys: Keys, workload: Pick<Workload, 'uid' | 'semanticId'>): string {
  return keys.seen('expected', workload.uid, workload.semanticId);
}

/** Of the template that the workload asks for now; null where that is not known yet. */
export function askedKey(keys: Keys, asking: Parameters<typeof askedTemplate>[0]): string | null {
  const asked = askedTemplate(asking);
  const { uid } = asking.workload;
  return asked === null ? null : templateKey(keys, { uid, semanticId: asked.semanticId });
}

/** Of the template that the write leaves behind, and of the one before where the workload itself does not tell of a write. */
export function expectedTemplate(
  keys: Keys,
  present: Present,
  answer: JsonObject,
): { template: string; before?: string } {
  if (!isHeldElsewhere(present)) return { template: templateKey(keys, workloadOf(present.kind, answer)) };
  const before = askedKey(keys, present) ?? '';
  const written = foundHolder(present) === undefined ? undefined : templateIn(present, answer);
  if (written === undefined) return { template: before };
  const { uid } = present.workload;
  return { template: templateKey(keys, { uid, semanticId: semanticIdOf(written) }), before };
}

/** What the cache would make of an object that the API server just answered with; its body is kept nowhere. */
export function workloadOf(kind: WorkloadKind, answer: JsonObject): Workload {
  const bodies = new BodyStore();
  return ingestWorkload(kind, answer as unknown as KubeObject, { bodies, semantic: new SemanticIds(bodies) });
}
