import { resourceName } from '@/sandbox/api/objects/resource-kind';

/** What a path refers to: objects, or anything else. */
export type RequestTarget = { readonly type: 'path'; readonly path: string } | ResourceTarget;

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

/**
 * Reads a path as the API server does. Throws URIError when it is not properly escaped.
 * https://github.com/kubernetes/apiserver/blob/master/pkg/endpoints/request/requestinfo.go
 */
export function parsePath(path: string): RequestTarget {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const [root, group = '', version = '', ...rest] =
    parts[0] === 'api' ? ['api', '', ...parts.slice(1)] : parts;
  if ((root !== 'api' && root !== 'apis') || rest.length === 0) return { type: 'path', path };

  return { type: 'resource', group, version, ...underNamespace(rest) };
}

function underNamespace(parts: string[]) {
  const [first = '', second = '', third = '', ...rest] = parts;
  const isNamespaceItself = parts.length < 3 || (parts.length === 3 && third === 'status');
  if (first !== 'namespaces' || isNamespaceItself) {
    const extra = rest.length > 0 ? `/${rest.join('/')}` : '';
    const namespace = first === 'namespaces' ? second : '';
    return { resource: first, namespace, name: second, subresource: third + extra };
  }
  const [name = '', ...subresource] = rest;

  return { resource: third, namespace: second, name, subresource: subresource.join('/') };
}

/** What audits and faults know a request by; empty for paths that are no resource. */
export function placeOf(target: RequestTarget) {
  if (target.type === 'path') return { resource: '', subresource: '', namespace: '', name: '' };
  const { group, resource, subresource, namespace, name } = target;

  return { resource: resourceName({ group, plural: resource }), subresource, namespace, name };
}
