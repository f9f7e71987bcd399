import { type KubeObject } from '@/lib/kube/object';
import { type ControllerRevision } from '@/sandbox/controllers/objects/workloads';

/** Oldest creation first, then by name. */
export function byCreation({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp ? -1 : 1;
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

/**
 * By number, then creation, then name.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/history/controller_history.go (SortControllerRevisions)
 */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  return a.revision - b.revision || byCreation(a, b);
}
