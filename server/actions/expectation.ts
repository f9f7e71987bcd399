import 'server-only';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { type Workload } from '@/lib/workloads/workload';
import { BodyStore } from '@/server/cluster/body-store';
import { ingestWorkload, SemanticIds } from '@/server/cluster/ingest';
import { type Keys } from '@/server/keys';

/** Stands for what a template means, on this workload. Not for its bytes: the follower compares meanings. */
export function templateKey(keys: Keys, workload: Pick<Workload, 'uid' | 'semanticId'>): string {
  return keys.seen('expected', workload.uid, workload.semanticId);
}

/** What the cache would make of an object that the API server just answered with; its body is kept nowhere. */
export function workloadOf(kind: WorkloadKind, answer: JsonObject): Workload {
  const bodies = new BodyStore();
  return ingestWorkload(kind, answer as unknown as KubeObject, { bodies, semantic: new SemanticIds(bodies) });
}
