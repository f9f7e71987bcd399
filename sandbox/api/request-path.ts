/** What a path refers to. */
export type RequestTarget =
  | { readonly type: 'other'; readonly path: string }
  | { readonly type: 'discovery'; readonly group: string | null; readonly version: string | null }
  | ResourceTarget;

export interface ResourceTarget {
  readonly type: 'resource';
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty for cluster scope. */
  readonly namespace: string;
  /** Empty for the collection. */
  readonly name: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

/**
 * Reads a path as the API server does. Throws URIError when it is not properly escaped.
 * https://github.com/kubernetes/apiserver/blob/master/pkg/endpoints/request/requestinfo.go
 */
export function parsePath(path: string): RequestTarget {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const [root, ...rest] = parts;
  if (root === 'api') return underVersion('', rest, path);
  if (root !== 'apis') return { type: 'other', path };
  const [group, ...below] = rest;
  if (group === undefined) return { type: 'discovery', group: null, version: null };

  return underVersion(group, below, path);
}

function underVersion(group: string, parts: string[], path: string): RequestTarget {
  const [version, ...rest] = parts;
  if (version === undefined) return { type: 'discovery', group, version: null };
  if (rest.length === 0) return { type: 'discovery', group, version };
  const target = underNamespace(rest);
  if (target === undefined) return { type: 'other', path };

  return { type: 'resource', group, version, ...target };
}

function underNamespace(parts: string[]) {
  const [first = '', second = '', third = '', ...rest] = parts;
  const isNamespaceItself = parts.length < 3 || (parts.length === 3 && NAMESPACE_SUBRESOURCES.has(third));
  if (first !== 'namespaces' || isNamespaceItself) {
    const extra = rest.length > 0 ? `/${rest.join('/')}` : '';
    const namespace = first === 'namespaces' ? second : '';
    return { resource: first, namespace, name: second, subresource: third + extra };
  }
  const [name = '', ...subresource] = rest;

  return { resource: third, namespace: second, name, subresource: subresource.join('/') };
}
