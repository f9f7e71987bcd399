/** A namespace as it is shown; what stands in none belongs to the whole cluster. */
export function placeName(namespace: string): string {
  return namespace === '-' ? 'cluster' : namespace;
}
