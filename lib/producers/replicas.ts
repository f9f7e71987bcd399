import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { type Subtree } from '@/lib/producers/marked-subtrees';
import { type Producer } from '@/lib/producers/producer';
import { objectsAt } from '@/lib/workloads/read';

/** A list whose entries were recorded without their replicas gets those of the present entries of the same names. */
export function withPresentReplicas(
  producer: Pick<Producer, 'keepsReplicasOf'> | undefined,
  present: JsonObject,
  subtree: Subtree,
): Subtree {
  const rule = producer?.keepsReplicasOf;
  const { path, value } = subtree;
  if (rule === undefined || path.length !== 1 || path[0] !== rule.list || !Array.isArray(value))
    return subtree;
  const now = new Map(
    objectsAt(present, 'data', 'spec', rule.list).map(({ name, replicas }) => [name, replicas]),
  );
  const entries = value.map((entry) =>
    isJsonObject(entry)
      ? { ...entry, replicas: now.has(entry.name) ? now.get(entry.name) : rule.otherwise }
      : entry,
  );
  return { path, value: entries };
}
