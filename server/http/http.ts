import 'server-only';
import { type z } from 'zod';
import { AppError } from '@/lib/errors';
import { canonicalJson } from '@/lib/kube/json';
import { errorAnswer, jsonAnswer, withSecurityHeaders } from '@/server/http/http-answer';
import { parseInput, readJsonBody } from '@/server/http/http-input';
import { assertHost, assertNotCrossSite, assertSameOrigin } from '@/server/http/http-origin';
import { type Keys } from '@/server/shared/keys';
import { type Logger } from '@/server/shared/log';
import { containsMarker } from '@/server/shared/mask';
import { type IdempotencyStore } from '@/server/http/idempotency-store';
import { withRequestFacts } from '@/server/http/request-facts';
import { assertCanWrite, type Viewer } from '@/server/shared/viewer';

/** The dependencies of every route. */
export interface Edge {
  log: Logger;
  keys: Pick<Keys, 'mask'>;
  publicUrl: string | undefined;
  idempotency: IdempotencyStore;
  /** The viewer that the request acts for. */
  viewerOf(request: Request): Viewer | Promise<Viewer>;
}

export interface Call<P> {
  request: Request;
  url: URL;
  params: P;
  viewer: Viewer;
}

/** A Response is sent as it is, anything else as JSON. */
export type Handler<C> = (call: C) => unknown;

/** The function that Next calls. */
export type RouteHandler<P> = (request: Request, context: { params: Promise<P> }) => Promise<Response>;

type EdgeSource = () => Edge | Promise<Edge>;

const KEY_CHARS_MAX = 200;

/**
 * A route that reads. Safe without the proxy in front of it: it answers to its own Host names, and to no
 * other site.
 */
export function route<P = Record<never, string>>(
  handler: Handler<Call<P>>,
  edge: EdgeSource,
): RouteHandler<P> {
  return (request, context) =>
    withErrorAnswer(edge, async (parts) => {
      assertHost(request, parts.publicUrl);
      assertNotCrossSite(request);
      return answerOf(await handler(await callOf<P>(request, context, await parts.viewerOf(request))));
    });
}

/**
 * A route that acts, for viewers who are allowed to write: JSON, bounded, of this origin or of no browser,
 * without markers of masked values, parsed by `schema`. With an `Idempotency-Key` it runs once; see {@link
 * IdempotencyStore}.
 */
export function mutation<S extends z.core.$ZodType, P = Record<never, string>>(
  handler: Handler<Call<P> & { body: z.output<S> }>,
  { schema, edge, method = 'POST' }: { schema: S; edge: EdgeSource; method?: 'POST' | 'PUT' },
): RouteHandler<P> {
  return (request, context) =>
    withErrorAnswer(edge, async (parts) => {
      assertHost(request, parts.publicUrl);
      assertSameOrigin(request, parts.publicUrl);
      if (request.method !== method) throw methodNotAllowed(request.method, method);
      const key = idempotencyKeyOf(request);
      const viewer = await parts.viewerOf(request);
      assertCanWrite(viewer);
      const raw = await readJsonBody(request);
      if (containsMarker(raw)) throw maskedBodyError();
      const body = parseInput(schema, raw);
      const call = await callOf<P>(request, context, viewer);
      const scope = JSON.stringify([call.viewer.id, request.method, call.url.pathname, call.url.search]);
      const text = canonicalJson(raw);
      const run = () =>
        withRequestFacts(request, `${scope}\n${text}`, () =>
          withErrorAnswer(edge, async () => answerOf(await handler({ ...call, body }))),
        );
      if (key === undefined) return run();
      return parts.idempotency.once(key, scope, text, run, !isDryRun(body));
    });
}

/** A dry run changes nothing, so it can be repeated without harm. */
function isDryRun(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'dryRun' in body && body.dryRun === true;
}

async function withErrorAnswer(
  edge: EdgeSource,
  work: (parts: Edge) => Promise<Response>,
): Promise<Response> {
  let parts: Edge | undefined;
  try {
    parts = await edge();
    return await work(parts);
  } catch (error) {
    return errorAnswer(error, parts?.log, parts?.keys.mask);
  }
}

async function callOf<P>(
  request: Request,
  context: { params: Promise<P> },
  viewer: Viewer,
): Promise<Call<P>> {
  return { request, url: new URL(request.url), params: await context.params, viewer };
}

function answerOf(value: unknown): Response {
  return value instanceof Response ? withSecurityHeaders(value) : jsonAnswer(value);
}

function idempotencyKeyOf(request: Request): string | undefined {
  const key = request.headers.get('idempotency-key');
  if (key === null) return undefined;
  if (key !== '' && key.length <= KEY_CHARS_MAX) return key;
  throw new AppError('bad_request', `Idempotency-Key: must have 1 to ${KEY_CHARS_MAX} characters.`, {
    fields: [{ field: 'Idempotency-Key', message: `must have 1 to ${KEY_CHARS_MAX} characters.` }],
  });
}

function methodNotAllowed(method: string, allowed: string): AppError {
  return new AppError('method_not_allowed', `${method} does nothing here. Use ${allowed}.`, {
    allow: [allowed],
  });
}

function maskedBodyError(): AppError {
  return new AppError(
    'bad_request',
    'body: must not hold the marker of a masked value. It stands for a value that Shiplog does not show, and is none itself.',
    { fields: [{ field: 'body', message: 'holds the marker of a masked value.' }] },
  );
}
