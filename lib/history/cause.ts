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

/**
 * For each source whose cause merely repeats that of the one before it: the source that the text was first used for.
 * `inOrder` is the order in which the causes were written, oldest first.
 */
export function findInheritedCauses(
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
