import { compareCreation, numberOfSource } from '@/lib/history/order';
import { type RevisionSource } from '@/lib/workloads/workload';

/**
 * The change-cause as `kubectl rollout history` prints it for a Deployment: the ReplicaSet's annotation, else that of
 * its template; null for none. https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/history.go
 */
export function causeOfReplicaSet(source: RevisionSource): string | null {
  return source.changeCause || source.templateCause || null;
}

/** For ControllerRevisions kubectl reads the object's own annotation alone. */
export function causeOfControllerRevision(source: RevisionSource): string | null {
  return source.changeCause || null;
}

/** For each source whose cause merely repeats an earlier one: the source that the text was first used for. */
export type InheritedCauses = ReadonlyMap<string, RevisionSource>;

/** ControllerRevisions take the cause once, when they are created; a later number changes nothing. */
export function inheritedByControllerRevisions(sources: readonly RevisionSource[]): InheritedCauses {
  return chain(sources.toSorted(compareCreation), causeOfControllerRevision);
}

/**
 * ReplicaSets take the Deployment's annotations as long as they are the newest. So one that was used again may have
 * got the cause of the one before it, unless that one had only repeated its own.
 */
export function inheritedByReplicaSets(oldestFirst: readonly RevisionSource[]): InheritedCauses {
  const inherited = chain(
    oldestFirst.toSorted((a, b) => firstNumberOf(a) - firstNumberOf(b)),
    causeOfReplicaSet,
  );
  const copied = oldestFirst.flatMap((source, index): [string, RevisionSource][] => {
    const before = oldestFirst[index - 1];
    const cause = causeOfReplicaSet(source);
    if (before === undefined || cause === null || source.formerNumbers.length === 0) return [];
    const origin = inherited.get(before.uid) ?? before;
    return causeOfReplicaSet(before) === cause && origin.uid !== source.uid ? [[source.uid, origin]] : [];
  });
  return new Map([...inherited, ...copied]);
}

/**
 * Where going back restores no cause, a ReplicaSet that is used again has that of the one before it, whatever it had when
 * it was made. `oldestFirst` by their present numbers.
 */
export function inheritedByNumber(oldestFirst: readonly RevisionSource[]): InheritedCauses {
  return chain(oldestFirst, causeOfReplicaSet);
}

function firstNumberOf(source: RevisionSource): number {
  return source.formerNumbers[0] ?? numberOfSource(source) ?? 0;
}

function chain(
  inOrder: readonly RevisionSource[],
  causeOf: (source: RevisionSource) => string | null,
): Map<string, RevisionSource> {
  const inherited = new Map<string, RevisionSource>();
  let origin: RevisionSource | undefined;
  for (const source of inOrder) {
    const cause = causeOf(source);
    if (origin !== undefined && cause !== null && cause === causeOf(origin))
      inherited.set(source.uid, origin);
    else origin = source;
  }
  return inherited;
}
