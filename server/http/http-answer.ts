import 'server-only';
import { z } from 'zod';
import { AppError, type ErrorCode } from '@/lib/errors';
import type { Json } from '@/lib/kube/json';
import { badRequest } from '@/server/http/http-input';
import type { Mask } from '@/server/shared/mask';
import { jsonBody } from '@/server/shared/response-cache';
import type { Logger } from '@/server/shared/log';

export const statuses: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  signed_out: 401,
  unauthorized: 401,
  forbidden: 403,
  read_only: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  ambiguous: 409,
  changed: 409,
  too_large: 413,
  unsupported_media_type: 415,
  misdirected: 421,
  refused: 422,
  idempotency_mismatch: 422,
  rate_limited: 429,
  internal: 500,
  cluster_error: 502,
  archive_unavailable: 503,
  identity_unavailable: 503,
  cluster_unreachable: 503,
  timeout: 504,
};

/**
 * A value as JSON. Answers are never stored: they hold the state of a cluster, as one viewer is allowed to
 * read it.
 */
export function jsonAnswer(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  const body = jsonBody(value);
  const length = typeof body === 'string' && { 'Content-Length': String(Buffer.byteLength(body)) };
  const type = { 'Content-Type': 'application/json; charset=utf-8' };
  return withSecurityHeaders(new Response(body, { status, headers: { ...type, ...length, ...headers } }));
}

/** Adds the headers of every answer of the API. */
export function withSecurityHeaders(response: Response): Response {
  // Nothing else compresses it: see `compressed`.
  if (!response.headers.has('Cache-Control')) response.headers.set('Cache-Control', 'no-store, no-transform');
  response.headers.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  return response;
}

/**
 * `{error: {code, message, details}}` with the status of the code. Anything but an AppError or a ZodError is
 * a bug: it is logged completely, and the caller gets a plain sentence.
 */
export function errorAnswer(error: unknown, log: Logger | undefined, mask: Mask | undefined): Response {
  const known = asAppError(error);
  if (known === undefined || known.code === 'internal')
    log?.error('a request failed with an internal error', { error });
  const { code, message, sentence, details } = known ?? unknownFailure;
  const facts = details as Record<string, Json>;
  // The words of an API server may quote the request.
  const body =
    mask === undefined
      ? { code, message, details: facts }
      : { code, message: mask.text(sentence), details: mask.json(facts) };
  return jsonAnswer({ error: body }, statuses[code], headersOf(details));
}

function asAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  return error instanceof z.ZodError ? badRequest(error) : undefined;
}

const unknownFailure = new AppError('internal', 'Internal error in Shiplog. Try again; the log has details.');

function headersOf({ retryAfterMs, allow }: Record<string, unknown>): Record<string, string> {
  const headers: Record<string, string> = {};
  if (typeof retryAfterMs === 'number') headers['Retry-After'] = String(Math.ceil(retryAfterMs / 1000));
  if (Array.isArray(allow)) headers.Allow = allow.join(', ');
  return headers;
}
