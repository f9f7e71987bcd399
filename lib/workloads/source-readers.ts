import type { KubeObject } from '@/lib/kube/object';
import type { SourceKind, WorkloadKind } from '@/lib/workloads/kind';

/** The readers of the source objects of each resource, by its id. Several kinds may share a resource. */
export function sourcesByResource(
  kinds: readonly Pick<WorkloadKind, 'source'>[],
): ReadonlyMap<string, readonly SourceKind[]> {
  const sources = [...new Set(kinds.map((kind) => kind.source))];
  return Map.groupBy(sources, ({ resource }) => resource.id);
}

/**
 * The reader of the object: the one that claims it, else the one that claims none. Undefined: it has no
 * reader.
 */
export function findReader(sources: readonly SourceKind[], object: KubeObject): SourceKind | undefined {
  return (
    sources.find((source) => source.matches?.(object) === true) ??
    sources.find((source) => source.matches === undefined)
  );
}
