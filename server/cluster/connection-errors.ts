import { AppError } from '@/lib/errors';
import { isRead } from '@/server/cluster/request-guard';
import type { KubeRequest } from '@/server/cluster/kube-request';

/** Errors that prove that no byte of the request reached an API server. */
const notSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * The error for a connection that could not be made or broke off. For a write, `details.outcome` says whether
 * the cluster may have executed it all the same (`unknown`) or cannot have (`not_sent`).
 */
export function connectionError(
  server: string,
  request: Pick<KubeRequest, 'method' | 'path'>,
  cause: unknown,
): AppError {
  const code = causeCodeOf(cause);
  const outcome = notSent.has(code) || isCertificateProblem(code) ? 'not_sent' : 'unknown';
  const description = isBrokenCode(code)
    ? `The connection to the API server at ${server} was lost (${code}).`
    : `The API server at ${server} is unreachable (${code}). ${adviceOf(code)}`;
  return new AppError(
    'cluster_unreachable',
    `${description}${noteOf(request, outcome)}`,
    { server, cause: code, ...(isRead(request) ? {} : { outcome }) },
    cause,
  );
}

export function timeoutError(
  server: string,
  request: Pick<KubeRequest, 'method' | 'path'>,
  timeoutMs: number,
): AppError {
  return new AppError(
    'timeout',
    `The API server at ${server} did not answer ${request.method} ${request.path} within ${timeoutMs / 1000} s. It may be overloaded. Archived data is still available.`,
    { server, timeoutMs, ...(isRead(request) ? {} : { outcome: 'unknown' }) },
  );
}

/** The error for a request to a transport that is closed, or was closed while the request was running. */
export function closedError(
  server: string,
  request: Pick<KubeRequest, 'method' | 'path'>,
  outcome: 'unknown' | 'not_sent',
): AppError {
  return new AppError(
    'cluster_unreachable',
    `Shiplog no longer connects to the API server at ${server}: the cluster was removed, or Shiplog is stopping.${noteOf(request, outcome)}`,
    { server, ...(isRead(request) ? {} : { outcome }) },
  );
}

/** Whether the connection was found dead, as happens to an idle one that a load balancer dropped. */
export function isBrokenConnection(cause: unknown): boolean {
  return isBrokenCode(causeCodeOf(cause));
}

/** Whether the certificate of the API server was rejected, before anything was sent. */
export function isUntrustedCertificate(cause: unknown): boolean {
  return isCertificateProblem(causeCodeOf(cause));
}

function noteOf(request: Pick<KubeRequest, 'method' | 'path'>, outcome: 'unknown' | 'not_sent'): string {
  return !isRead(request) && outcome === 'unknown'
    ? ' The change may or may not have been applied; check before you repeat it.'
    : '';
}

function isBrokenCode(code: string): boolean {
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

function causeCodeOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return causeCodeOf(cause.errors[0]);
  if (!(cause instanceof Error)) return 'unknown';
  if ('code' in cause && typeof cause.code === 'string') return cause.code;
  return cause.cause === undefined ? cause.message : causeCodeOf(cause.cause);
}

function isCertificateProblem(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code);
}

function adviceOf(code: string): string {
  if (code === 'ECONNREFUSED')
    return 'The connection was refused: check that the cluster is running and the port is correct.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return 'The host name does not resolve: check the address, DNS, and VPN.';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
    return 'The connection failed: check the network, firewall, and VPN.';
  }
  if (isCertificateProblem(code)) {
    return 'Its certificate is not trusted: check certificate-authority, tls-server-name, and the client certificate in the kubeconfig.';
  }
  return 'Check the address in the kubeconfig and the network.';
}
