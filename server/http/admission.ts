import 'server-only';
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { messageOf } from '@/lib/errors';
import { errorAnswer } from '@/server/http/http-answer';
import { escapeHtml, htmlPage } from '@/server/http/html-page';
import type { UnverifiedChecks } from '@/server/identity/unverified-checks';
import type { Edge } from '@/server/runtime/runtime';
import type { Carrier } from '@/server/shared/connections';

export interface AdmissionOptions {
  edge: Pick<Edge, 'identity' | 'keys' | 'log'>;
  checks: Pick<UnverifiedChecks, 'isRefused' | 'admit'>;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Those of the API and of pages. */
const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

const guarded = new WeakSet<Server>();

/**
 * Looks at every request before Next, which takes milliseconds even to refuse one: another method is not supported, and
 * junk waits for its turn. Once per process; from then on for the server that Next has created.
 */
export function guardRequests(options: AdmissionOptions): void {
  subscribe('http.server.request.start', (message) => {
    const { server } = message as { server: Server };
    if (guarded.has(server)) return;
    guarded.add(server);
    const listeners = server.listeners('request');
    server.removeAllListeners('request');
    const answer: Answer = (request, response) => {
      for (const listener of listeners) Reflect.apply(listener, server, [request, response]);
    };
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      // Next throws on TRACE, and renders a page for PROPFIND.
      if (!methods.includes(request.method ?? '')) refuseMethod(response);
      else if (isJunk(carrierOf(request), options)) void admit(options, request, response, answer);
      else answer(request, response);
    });
  });
}

function refuseMethod(response: ServerResponse): void {
  response.writeHead(405, {
    Allow: methods.join(', '),
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end('Shiplog does not support this method.\n');
}

/** Whether others of its client were refused, and it may be no better. A malformed one is for the route to refuse. */
function isJunk(request: Carrier, { edge: { identity }, checks }: AdmissionOptions): boolean {
  if (isFile(request) || !checks.isRefused(request)) return false;
  try {
    return identity.isUnverified?.(request) ?? false;
  } catch {
    return true;
  }
}

/** No credential is checked for the files of pages. */
function isFile({ url }: Carrier): boolean {
  return /^http:\/\/localhost\/(_next\/static\/|icon\.svg)/.test(url);
}

async function admit(
  { edge, checks }: AdmissionOptions,
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  try {
    await checks.admit(carrierOf(request), left.signal);
  } catch (error) {
    if (left.signal.aborted) return;
    await send(refusalOf(error, request, edge), response);
    return;
  }
  answer(request, response);
}

function refusalOf(error: unknown, { url = '' }: IncomingMessage, { log, keys }: AdmissionOptions['edge']) {
  const answer = errorAnswer(error, log, keys.mask);
  if (/^\/api(\/|$)/.test(url)) return answer;
  const body = `<p>${escapeHtml(messageOf(error))}</p>\n<p><a href="">Load again</a></p>`;
  const page = htmlPage('Not signed in', body, null, answer.status);
  page.headers.set('Retry-After', answer.headers.get('retry-after') ?? '');
  return page;
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(await answer.text());
}

function carrierOf({ method = '', url = '', headers }: IncomingMessage): Carrier {
  return {
    method,
    url: `http://localhost${url}`,
    headers: { get: (name) => headers[name.toLowerCase()]?.toString() ?? null },
  };
}
