import { isJsonObject, type JsonObject, memberOf } from '@/lib/kube/json';
import type { Subtree } from '@/lib/producers/replaced-subtrees';
import type { Producer } from '@/lib/producers/producer';
import { objectAt, objectsAt } from '@/lib/kube/read';

/**
 * A list whose entries were recorded without their replicas gets those of the current entries of the same
 * names.
 */
export function withCurrentReplicas(
  producer: Pick<Producer, 'keepsReplicasOf'> | undefined,
  current: JsonObject,
  subtree: Subtree,
): Subtree {
  const rule = producer?.keepsReplicasOf;
  const { path, value } = subtree;
  if (rule === undefined || path.length !== 1 || path[0] !== rule.list || !Array.isArray(value))
    return subtree;
  const now = new Map(
    objectsAt(current, 'data', 'spec', rule.list).map(({ name, replicas }) => [name, replicas]),
  );
  const entries = value.map((entry) =>
    isJsonObject(entry)
      ? { ...entry, replicas: now.has(entry.name) ? now.get(entry.name) : rule.otherwise }
      : entry,
  );
  return { path, value: entries };
}

/** The same list for a comparison: replicas that the revision does not record are no difference. */
export function withoutUnrecordedReplicas(
  producer: Pick<Producer, 'keepsReplicasOf'> | undefined,
  now: JsonObject,
  recorded: JsonObject,
): JsonObject {
  const list = producer?.keepsReplicasOf?.list;
  const spec = objectAt(now, 'spec');
  const current = list === undefined ? undefined : memberOf(spec, list);
  if (list === undefined || spec === undefined || !Array.isArray(current)) return now;
  const scaled = new Set(
    objectsAt(recorded, 'spec', list).flatMap(({ name, replicas }) => (replicas === undefined ? [] : [name])),
  );
  const entries = current.map((entry) => {
    if (!isJsonObject(entry) || scaled.has(entry.name)) return entry;
    const { replicas: _replicas, ...rest } = entry;
    return rest;
  });
  return { ...now, spec: { ...spec, [list]: entries } };
}
