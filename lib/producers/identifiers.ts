import { revisionLabelValues } from '@/lib/producers/revision-labels';
import { type RevisionSource } from '@/lib/history/workload';

/** Every name that pods, statuses and workloads may use for a revision. */
interface Identifiers {
  name: string;
  /** The name without that of its owner, where it begins with it. */
  suffix: string | null;
  /** Of its labels for a hash or a revision. */
  values: readonly string[];
}

function identifiersOf(source: RevisionSource): Identifiers {
  const prefix = `${source.controllerName ?? ''}-`;
  const hasPrefix = prefix.length > 1 && source.name.startsWith(prefix);
  return {
    name: source.name,
    suffix: hasPrefix ? source.name.slice(prefix.length) : null,
    values: revisionLabelValues(source.labels),
  };
}

/** Newest sources by their possible names; a name of several of them means the newest. */
export function createFinder(
  oldestFirst: readonly RevisionSource[],
): (identifier: string) => RevisionSource | undefined {
  const byName = new Map<string, RevisionSource>();
  const byOther = new Map<string, RevisionSource>();
  for (const source of oldestFirst) {
    const { name, suffix, values } = identifiersOf(source);
    byName.set(name, source);
    for (const value of suffix === null ? values : [...values, suffix]) byOther.set(value, source);
  }
  return (identifier) => byName.get(identifier) ?? byOther.get(identifier);
}
