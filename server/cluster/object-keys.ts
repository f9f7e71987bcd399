/** The key of an object by its name; a later object of the same name has the same key. */
export function nameKey({
  resource,
  namespace,
  name,
}: {
  resource: string;
  namespace: string;
  name: string;
}): string {
  return `${resource}/${namespace}/${name}`;
}

/** The key of everything of a kind, or of a component, in one namespace. */
export function scopeKey(resource: string, namespace: string): string {
  return `${resource}/${namespace}`;
}
