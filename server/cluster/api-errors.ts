import { cutLine, toLine } from '@/lib/format/message-line';
import { z } from 'zod';
import { AppError, type ErrorCode } from '@/lib/errors';
import type { KubeRequest } from '@/server/cluster/kube-request';
import type { Credential } from '@/server/shared/viewer';
import { commonNames } from '@/server/shared/masking/credential-name';
import { hideInXml } from '@/server/shared/masking/xml-text';

/** https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/ */
const statusSchema = z.object({
  kind: z.literal('Status'),
  message: z.string().optional(),
  reason: z.string().optional(),
  code: z.number().optional(),
  details: z
    .object({
      causes: z
        .array(
          z.object({
            reason: z.string().optional(),
            message: z.string().optional(),
            field: z.string().optional(),
          }),
        )
        .nullish(),
      retryAfterSeconds: z.number().optional(),
    })
    .nullish(),
});

type RequestTarget = Pick<KubeRequest, 'method' | 'path'> & { readonly credential?: Credential };

/**
 * The error for an answer other than 2xx. The message carries the API server's own words; `details` has
 * `status`, `reason`, `apiMessage`, `causes` and, where the server sent it, `retryAfterMs`; and `credential: 'viewer'`
 * where a viewer's own token was rejected.
 */
export function errorOfAnswer(
  server: string,
  request: RequestTarget,
  httpStatus: number,
  body: string,
  retryAfter: string | undefined,
): AppError {
  const parsed = statusSchema.safeParse(jsonOrUndefined(body));
  const status = parsed.success ? parsed.data : undefined;
  const code = status?.code ?? httpStatus;
  const causes = status?.details?.causes ?? [];
  const apiMessage = status?.message ?? plainTextOf(body);
  const retryAfterMs = retryAfterOf(retryAfter, status?.details?.retryAfterSeconds);
  const isViewersToken = code === 401 && request.credential?.kind === 'token';
  const details = {
    status: code,
    reason: status?.reason,
    apiMessage,
    ...(causes.length > 0 ? { causes } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(isViewersToken && { credential: 'viewer' }),
  };
  const message = apiMessage === '' ? `status ${code} without a message` : apiMessage;
  return new AppError(
    isFailedPatch(code, causes) ? 'conflict' : codeOf(code),
    `API server: ${message}${adviceOf(code, server, request)}`,
    details,
  );
}

/** The body of a watch event of type ERROR is a Status too. */
export function errorOfStatus(server: string, request: RequestTarget, status: unknown): AppError {
  const parsed = statusSchema.safeParse(status);
  return errorOfAnswer(server, request, parsed.data?.code ?? 500, JSON.stringify(status ?? null), undefined);
}

/** Whether the requested resource version or continue token has expired, so that only a new list helps. */
export function isExpired(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  return (
    error.details.status === 410 || error.details.reason === 'Expired' || error.details.reason === 'Gone'
  );
}

/**
 * Whether the requested version is in the API server's future: it was reset to an older state, as after a
 * restore.
 */
export function isFromFuture(error: unknown): boolean {
  return error instanceof AppError && /too large resource version/i.test(String(error.details.apiMessage));
}

/** Whether the API server gave no usable answer at all, as opposed to a rejection. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  if (error.code === 'cluster_unreachable' || error.code === 'timeout' || error.code === 'rate_limited')
    return true;
  return (
    error.code === 'cluster_error' && typeof error.details.status === 'number' && error.details.status >= 500
  );
}

/** The wait that the API server requested, in milliseconds. */
export function retryAfterMsOf(error: unknown): number | undefined {
  if (!(error instanceof AppError)) return undefined;
  return typeof error.details.retryAfterMs === 'number' ? error.details.retryAfterMs : undefined;
}

function codeOf(status: number): ErrorCode {
  switch (status) {
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
      return 'not_found';
    case 409:
      return 'conflict';
    case 429:
      return 'rate_limited';
    case 502:
    case 503:
      return 'cluster_unreachable';
    case 504:
      return 'timeout';
    default:
      return 'cluster_error';
  }
}

/** What a person can do about it, where the API server's own words don't tell. */
function adviceOf(status: number, server: string, request: RequestTarget): string {
  if (status === 401) {
    if (request.credential?.kind === 'token') return `. ${server} does not accept your token; sign in again.`;
    return `. ${server} does not accept the credentials of the kubeconfig; renew them.`;
  }
  if (status >= 300 && status < 400) {
    return `. ${server} redirects ${request.path}, which an API server never does; check the address in the kubeconfig.`;
  }
  return '';
}

/**
 * A JSON patch that could be read but not applied (a `test` fails, or a path is missing) is answered with 422
 * and no cause; an invalid result has causes.
 * https://github.com/kubernetes/apiserver/blob/master/pkg/endpoints/handlers/patch.go
 */
function isFailedPatch(status: number, causes: readonly unknown[]): boolean {
  return status === 422 && causes.length === 0;
}

function retryAfterOf(header: string | undefined, statusSeconds: number | undefined): number | undefined {
  const seconds = header !== undefined && /^\d+$/.test(header) ? Number(header) : statusSeconds;
  return seconds === undefined || seconds <= 0 ? undefined : seconds * 1000;
}

/**
 * Errors of a proxy or load balancer are often HTML, which helps no reader in full. Without its tags a credential in it
 * would have lost its name.
 */
function plainTextOf(body: string): string {
  return cutLine(toLine(hideInXml(body, commonNames, () => '[masked]').replace(/<[^>]*>/g, ' ')), 300);
}

export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
