/** A namespace for display; an object without one belongs to the cluster. */
export function formatNamespace(namespace: string): string {
  return namespace === '-' ? 'cluster' : namespace;
}
