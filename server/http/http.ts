import 'server-only';
import type { z } from 'zod';
import { AppError } from '@/lib/errors';
import { canonicalJson } from '@/lib/kube/json';
import { errorAnswer, jsonAnswer, withSecurityHeaders } from '@/server/http/http-answer';
import { parseInput, readJsonBody } from '@/server/http/http-input';
import { assertHost, assertNotCrossSite, assertSameOrigin } from '@/server/http/http-origin';
import { isReadRequest } from '@/server/identity/identity';
import { containsMarker } from '@/server/shared/mask';
import type { Edge } from '@/server/runtime/runtime';
import { withRequestFacts } from '@/server/shared/request-facts';
import { nameViewer } from '@/server/shared/request-log';
import { accessKeyOf, assertCanWrite, type Person } from '@/server/shared/viewer';

interface Call {
  request: Request;
  url: URL;
  person: Person;
}

/** A Response is sent as it is, anything else as JSON. */
type Work<C> = (call: C) => unknown;

/** Answers one request. */
export type Serve = (request: Request) => Promise<Response>;

type EdgeSource = () => Edge | Promise<Edge>;

const KEY_CHARS_MAX = 200;

/**
 * A route for anyone. Safe without the proxy in front of it: it answers to its own Host names, and to no other site.
 */
export function openRoute(work: Work<Omit<Call, 'person'>>, edge: EdgeSource): Serve {
  return (request) =>
    withErrorAnswer(edge, async ({ publicUrl }) => {
      assertHost(request, publicUrl);
      if (isReadRequest(request)) assertNotCrossSite(request);
      else assertSameOrigin(request, publicUrl);
      return answerOf(await work({ request, url: new URL(request.url) }));
    });
}

/** A route that reads, for viewers. */
export function route(work: Work<Call>, edge: EdgeSource): Serve {
  return openRoute(async (call) => {
    const person = await personOf(await edge(), call.request);
    return work({ ...call, person });
  }, edge);
}

/**
 * A route that acts, for viewers who are allowed to write: JSON, bounded, of this origin or of no browser, without markers
 * of masked values, parsed by `schema`. With an `Idempotency-Key` it runs once; see `server/shared/idempotency-store.ts`.
 * `isOwn`: it changes nothing that others see, and is for everyone.
 */
export function mutation<S extends z.core.$ZodType>(
  work: Work<Call & { body: z.output<S> }>,
  { schema, edge, isOwn = false }: { schema: S; edge: EdgeSource; isOwn?: boolean },
): Serve {
  return (request) =>
    withErrorAnswer(edge, async (parts) => {
      assertHost(request, parts.publicUrl);
      assertSameOrigin(request, parts.publicUrl);
      const key = idempotencyKeyOf(request);
      const person = await personOf(parts, request);
      if (!isOwn) assertCanWrite(person);
      const raw = await readJsonBody(request);
      if (containsMarker(raw)) throw maskedBodyError();
      const body = parseInput(schema, raw);
      const url = new URL(request.url);
      const scope = JSON.stringify([accessKeyOf(person), request.method, url.pathname, url.search]);
      const text = canonicalJson(raw);
      const run = () =>
        withRequestFacts(request, person, `${scope}\n${text}`, () =>
          withErrorAnswer(edge, async () => answerOf(await work({ request, url, person, body }))),
        );
      if (key === undefined) return run();
      return parts.idempotency.once(key, scope, text, run, !isDryRun(body));
    });
}

/** Who sent the request. From here on the lines of the log have their name. */
async function personOf({ identity, keys }: Edge, request: Request): Promise<Person> {
  const person = await identity.personOf(request);
  nameViewer(keys.mask.text(person.name));
  return person;
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

function maskedBodyError(): AppError {
  return new AppError(
    'bad_request',
    'body: must not contain the marker of a masked value. It stands for a value that Shiplog does not show.',
    { fields: [{ field: 'body', message: 'contains the marker of a masked value.' }] },
  );
}
