import type { AnswerOf, BodyOf, PathOf, QueryOf, RouteKey } from '@/lib/api/routes';
import { AppError, errorCodes } from '@/lib/errors';
import { fillTemplate, partsOfKey } from '@/lib/route-key';

/** A member that may be left out where all its own members may. */
type Part<Name extends string, Value> =
  Record<never, never> extends Value ? { [Key in Name]?: Value } : { [Key in Name]: Value };

/** What an address is made of. */
type Address<K extends RouteKey> = Part<'params', PathOf<K>> & Part<'query', QueryOf<K>>;

export interface RequestOptions {
  signal?: AbortSignal;
  /** A repeated mutation returns the answer of the first one. */
  idempotencyKey?: string;
}

type ApiRequest<K extends RouteKey> = Address<K> &
  RequestOptions &
  (BodyOf<K> extends undefined ? { body?: undefined } : { body: BodyOf<K> });

/**
 * Requests a route of Shiplog's own API from the browser. The server's own suites check the answer against the schema
 * of its route; checking it here again would cost every page the schemas' weight. Throws `AppError` with the code,
 * sentence and details of the server, `details.status` being the HTTP status; `details.offline` is true when no answer
 * came. An aborted request rejects with the signal's reason.
 */
export async function apiFetch<K extends RouteKey>(key: K, request: ApiRequest<K>): Promise<AnswerOf<K>> {
  const path = apiPath(key, request);
  const response = await send(partsOfKey(key).method, path, request);
  const body = await readJson(response);
  if (!response.ok) throw toAppError(body, response, path);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as AnswerOf<K>;
  throw new AppError(
    'internal',
    'Shiplog answered in a form that this page does not know. Reload it: Shiplog may have been updated meanwhile.',
    { path },
  );
}

/** The address of a route, for links too; undefined parameters of the query are left out. */
export function apiPath<K extends RouteKey>(key: K, address: Address<K>): string {
  const { params = {}, query = {} } = address as { params?: Record<string, string>; query?: object };
  const path = fillTemplate(partsOfKey(key).template, params);
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
}

async function send(
  method: string,
  path: string,
  { signal, body, idempotencyKey }: RequestOptions & { body?: unknown },
): Promise<Response> {
  const headers = new Headers({ accept: 'application/json' });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  try {
    return await fetch(path, {
      method,
      headers,
      body: JSON.stringify(body),
      signal,
      cache: 'no-store',
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new AppError(
      'internal',
      'Cannot reach Shiplog. Check that it is running and that your network can reach it.',
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

interface ErrorBody {
  error?: { code?: unknown; message?: unknown; details?: object } | null;
}

function toAppError(body: unknown, { status }: Response, path: string): AppError {
  const { code, message, details } = (body as ErrorBody | null | undefined)?.error ?? {};
  return typeof message === 'string'
    ? new AppError(errorCodes.find((known) => known === code) ?? 'internal', message, { ...details, status })
    : new AppError('internal', `Something between this page and Shiplog answered ${status} for ${path}.`, {
        status,
      });
}
