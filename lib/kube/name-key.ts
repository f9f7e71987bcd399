/**
 * The key of an object by its name, as in lists, addresses and the stream: `deployments.apps/shop/checkout`. A later
 * object of the same name has the same key.
 */
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
