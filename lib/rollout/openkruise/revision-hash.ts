import type { RevisionSource } from '@/lib/history/workload';

/** Whether the source object is the revision that a status names, by its full name or by the hash in it. */
export function carriesHash(source: RevisionSource, hash: string, workload: string): boolean {
  return hashesOf(source, workload).includes(bareHash(hash, workload));
}

/**
 * Labels of a ControllerRevision include those of its template, so only the keys reserved for the hash are
 * read.
 */
function hashesOf({ resource, name, labels }: RevisionSource, workload: string): string[] {
  if (resource === 'replicasets.apps') {
    const label = labels['pod-template-hash'];
    return label === undefined ? [bareHash(name, workload)] : [label];
  }
  const keys = ['controller.kubernetes.io/hash', 'controller-revision-hash'];
  return [
    bareHash(name, workload),
    ...keys.flatMap((key) => labels[key] ?? []).map((text) => bareHash(text, workload)),
  ];
}

/** The hash alone, of a name that begins with the workload's. */
export function bareHash(text: string, workload: string): string {
  return text.startsWith(`${workload}-`) ? text.slice(workload.length + 1) : text;
}
