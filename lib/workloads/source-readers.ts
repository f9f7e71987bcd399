import { type KubeObject } from '@/lib/kube/object';
import { type SourceKind, type WorkloadKind } from '@/lib/workloads/kind';

/** The ways to read the source objects of each resource, by its id. Several kinds may have a resource in common. */
export function sourcesByResource(
  kinds: readonly Pick<WorkloadKind, 'source'>[],
): ReadonlyMap<string, readonly SourceKind[]> {
  const sources = [...new Set(kinds.map((kind) => kind.source))];
  return Map.groupBy(sources, ({ resource }) => resource.id);
}

/** How to read the object: by whoever claims it, else by the one that claims none. Undefined: nobody reads it. */
export function readerOf(sources: readonly SourceKind[], object: KubeObject): SourceKind | undefined {
  return (
    sources.find((source) => source.reads?.(object) === true) ??
    sources.find((source) => source.reads === undefined)
  );
}
