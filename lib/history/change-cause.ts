import { compareCreation, numberOfSource } from '@/lib/history/revision-order';
import type { RevisionSource } from '@/lib/history/workload';

/**
 * The change-cause as `kubectl rollout history` prints it for a Deployment: the ReplicaSet's annotation, else that of
 * its template; null for none. https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/history.go
 */
export function causeOfReplicaSet(source: RevisionSource): string | null {
  return source.changeCause || source.templateCause || null;
}

/** For ControllerRevisions kubectl reads only the object's own annotation. */
export function causeOfControllerRevision(source: RevisionSource): string | null {
  return source.changeCause || null;
}

/** `to` and `from` name revisions, as behind the word "revision". */
interface RollbackCause {
  to: string;
  /** Admission makes another template of the requested one, so that what runs is not that revision. */
  isAltered: boolean;
  /** Null: the template before had no revision. */
  from: string | null;
  reason: string;
}

/** The change cause that a rollback writes: "rollback to revision 42 (was 43): reason". */
export function causeOfRollback({ to, isAltered, from, reason }: RollbackCause): string {
  const result = isAltered ? `${to}, altered by admission` : to;
  const former = from === null ? '' : ` (was ${from})`;
  const text = reason.trim();
  return `rollback to revision ${result}${former}${text === '' ? '' : `: ${text}`}`;
}

const ROLLBACK =
  /^rollback to revision \S+?(?: of an earlier object)?(?:, altered by admission)?(?: \(was \S+\))?(?:: |$)/;

/** What a person wrote: all of a change cause but what {@link causeOfRollback} writes before the reason. */
export function reasonInCause(cause: string): string {
  return cause.replace(ROLLBACK, '');
}

/** For each source whose cause merely repeats an earlier one: the source for which the text was first used. */
export type InheritedCauses = ReadonlyMap<string, RevisionSource>;

/** ControllerRevisions copy the cause once, at their creation; a later number changes nothing. */
export function inheritedByControllerRevisions(sources: readonly RevisionSource[]): InheritedCauses {
  return findInherited(sources.toSorted(compareCreation), causeOfControllerRevision);
}

/**
 * ReplicaSets copy the Deployment's annotations while they are the newest. So a reused one may have got the
 * cause of the one before it, unless that one had only repeated its own.
 */
export function inheritedByReplicaSets(oldestFirst: readonly RevisionSource[]): InheritedCauses {
  const inherited = findInherited(
    oldestFirst.toSorted((a, b) => firstNumberOf(a) - firstNumberOf(b)),
    causeOfReplicaSet,
  );
  const copied = oldestFirst.flatMap((source, index): [string, RevisionSource][] => {
    const previous = oldestFirst[index - 1];
    const cause = causeOfReplicaSet(source);
    if (previous === undefined || cause === null || source.formerNumbers.length === 0) return [];
    const origin = inherited.get(previous.uid) ?? previous;
    return causeOfReplicaSet(previous) === cause && origin.uid !== source.uid ? [[source.uid, origin]] : [];
  });
  return new Map([...inherited, ...copied]);
}

/**
 * Where a rollback restores no cause, a reused ReplicaSet has that of the one before it, whatever it had when
 * it was created. `oldestFirst` by their current numbers.
 */
export function inheritedByNumber(oldestFirst: readonly RevisionSource[]): InheritedCauses {
  return findInherited(oldestFirst, causeOfReplicaSet);
}

function firstNumberOf(source: RevisionSource): number {
  return source.formerNumbers[0] ?? numberOfSource(source) ?? 0;
}

function findInherited(
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
