import { AppError, type ErrorCode } from '@/lib/errors';

export interface ApiRequest {
  signal?: AbortSignal;
  /** Default: GET. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  body?: unknown;
  /** The idempotency key: a repeated mutation returns the answer of the first one. */
  idempotencyKey?: string;
}

/**
 * Requests Shiplog's own API from the browser. The server's own suites check the answer against the schema of its
 * route; checking it here again would cost every page the schemas' weight. Throws `AppError` with the code, sentence
 * and details of the server, `details.status` being the HTTP status; `details.offline` is true when no answer came.
 * An aborted request rejects with the signal's reason.
 */
export async function apiFetch<Answer>(path: string, request: ApiRequest = {}): Promise<Answer> {
  const response = await send(path, request);
  const body = await readJson(response);
  if (!response.ok) throw toAppError(body, response, path);
  if (isRecord(body)) return body as Answer;
  throw new AppError(
    'internal',
    'Shiplog answered in a form that this page does not know. Reload it: Shiplog may have been updated meanwhile.',
    { path },
  );
}

async function send(
  path: string,
  { signal, method = 'GET', body, idempotencyKey }: ApiRequest,
): Promise<Response> {
  const headers = new Headers({ accept: 'application/json' });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  try {
    return await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      cache: 'no-store',
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new AppError(
      'internal',
      'Shiplog itself does not answer. Look whether it still runs and can be reached from here.',
      { path, offline: true },
      error,
    );
  }
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toAppError(body: unknown, { status }: Response, path: string): AppError {
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  const details = isRecord(error.details) ? error.details : {};
  if (typeof error.message === 'string') {
    return new AppError(toCode(error.code), error.message, { ...details, status });
  }
  return new AppError('internal', `Something between this page and Shiplog answered ${status} for ${path}.`, {
    status,
  });
}

const codes: Record<ErrorCode, true> = {
  bad_request: true,
  unauthorized: true,
  forbidden: true,
  not_found: true,
  method_not_allowed: true,
  misdirected: true,
  conflict: true,
  ambiguous: true,
  changed: true,
  refused: true,
  too_large: true,
  unsupported_media_type: true,
  idempotency_mismatch: true,
  rate_limited: true,
  read_only: true,
  cluster_unreachable: true,
  cluster_error: true,
  archive_unavailable: true,
  timeout: true,
  internal: true,
};

function toCode(code: unknown): ErrorCode {
  return typeof code === 'string' && isCode(code) ? code : 'internal';
}

function isCode(code: string): code is ErrorCode {
  return Object.hasOwn(codes, code);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
