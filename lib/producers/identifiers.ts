import { revisionValues } from '@/lib/producers/revision-marks';
import { type RevisionSource } from '@/lib/workloads/workload';

/** Everything that pods, statuses and workloads may call a revision by. */
export interface Identifiers {
  name: string;
  /** The name without that of its owner, where it begins with it. */
  suffix: string | null;
  /** Of its labels that tell of a hash or a revision. */
  values: readonly string[];
}

export function identifiersOf(source: RevisionSource): Identifiers {
  const prefix = `${source.controllerName ?? ''}-`;
  const hasPrefix = prefix.length > 1 && source.name.startsWith(prefix);
  return {
    name: source.name,
    suffix: hasPrefix ? source.name.slice(prefix.length) : null,
    values: revisionValues(source.labels),
  };
}

/** Newest sources by what they may be called; what names several of them means the newest. */
export function finderOf(
  oldestFirst: readonly RevisionSource[],
): (called: string) => RevisionSource | undefined {
  const byName = new Map<string, RevisionSource>();
  const byOther = new Map<string, RevisionSource>();
  for (const source of oldestFirst) {
    const { name, suffix, values } = identifiersOf(source);
    byName.set(name, source);
    for (const value of suffix === null ? values : [...values, suffix]) byOther.set(value, source);
  }
  return (called) => byName.get(called) ?? byOther.get(called);
}
