import { AppError } from '@/lib/errors';
import type { KubeRequest } from '@/server/cluster/kube-request';

/** Reviews are POSTs that change nothing. */
const reviewPath =
  /^\/apis\/(authorization\.k8s\.io\/v1\/(selfsubjectaccessreviews|selfsubjectrulesreviews|subjectaccessreviews)|authentication\.k8s\.io\/v1\/selfsubjectreviews)$/;

/** Subresources through which a request would leave the API server or run something. */
const tunnels = new Set(['exec', 'attach', 'portforward', 'proxy']);

/** Whether the request leaves the cluster as it is, and so may be repeated. */
export function isRead(request: Pick<KubeRequest, 'method' | 'path'>): boolean {
  return request.method === 'GET' || (request.method === 'POST' && reviewPath.test(request.path));
}

/** With `readOnly` only reads and reviews pass, not even a dry run. Throws AppError `read_only`. */
export function assertAllowed(request: Pick<KubeRequest, 'method' | 'path'>, readOnly: boolean): void {
  assertSafePath(request.path);
  if (readOnly && !isRead(request)) {
    throw new AppError(
      'read_only',
      `Nothing was changed: Shiplog is read-only, so it did not send ${request.method} ${request.path}. Unset SHIPLOG_READ_ONLY to allow changes.`,
      { method: request.method, path: request.path },
    );
  }
}

/** `/apis/apps/v1/namespaces/shop/deployments/cart` from its parts, each escaped. */
export function pathTo(...segments: string[]): string {
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
}

/** A path is built from checked parts, so anything here that could lead elsewhere is a bug or an attack. */
function assertSafePath(path: string): void {
  const segments = path.split('/').slice(1);
  const unsafe =
    !/^(\/[A-Za-z0-9._~:%-]+)+$/.test(path) ||
    /%(2f|5c|2e|25|00)/i.test(path) ||
    segments.some((segment) => segment === '.' || segment === '..') ||
    tunnels.has(subresourceOf(segments));
  if (unsafe)
    throw new AppError('bad_request', 'Shiplog does not request this path from an API server.', { path });
}

/** The third part after group and version, and namespace if there is one: resource, name, subresource. */
function subresourceOf(segments: string[]): string {
  const rest = segments.slice(segments[0] === 'api' ? 2 : 3);
  return (rest[0] === 'namespaces' && rest.length > 3 ? rest[4] : rest[2]) ?? '';
}
