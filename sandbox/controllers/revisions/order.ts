import { compareCreation } from '@/lib/history/revision-order';
import { type KubeObject } from '@/lib/kube/object';
import { type ControllerRevision } from '@/sandbox/controllers/objects/workloads';

/** Oldest creation first, then by name. */
export function byCreation({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  return compareCreation(
    { name: a.name, createdAt: a.creationTimestamp },
    { name: b.name, createdAt: b.creationTimestamp },
  );
}

/**
 * By number, then creation, then name.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/history/controller_history.go (SortControllerRevisions)
 */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  return a.revision - b.revision || byCreation(a, b);
}
