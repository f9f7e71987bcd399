/**
 * The path of a request to an API server without the names in it, as `/api/v1/namespaces/{namespace}/pods/{name}/log`; of
 * other paths the first part.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris
 */
export function pathTemplate(path: string): string {
  const segments = path.split('/').slice(1);
  const versionAt = { api: 1, apis: 2 }[segments[0] ?? ''];
  if (versionAt === undefined) return `/${segments[0] ?? ''}`;
  const root = segments.slice(0, versionAt + 1);
  const rest = segments.slice(versionAt + 1);
  const isNamespaced = rest[0] === 'namespaces' && rest.length > 2;
  const scope = isNamespaced ? ['namespaces', '{namespace}'] : [];
  const [resource, name, ...subresource] = isNamespaced ? rest.slice(2) : rest;
  const object = resource === undefined ? [] : [resource, ...(name === undefined ? [] : ['{name}'])];
  return `/${[...root, ...scope, ...object, ...subresource].join('/')}`;
}
