import 'server-only';
import { AppError } from '@/lib/errors';
import { sentence } from '@/lib/sentence';
import { errorAnswer, statuses } from '@/server/http/http-answer';
import { readBounded } from '@/server/http/http-input';
import { assertHost } from '@/server/http/http-origin';
import type { Serve } from '@/server/http/http';
import { escapeHtml, guarded, htmlPage } from '@/server/http/html-page';
import { withCookies } from '@/server/http/session-answer';
import type { SignInProvider } from '@/server/identity/identity';
import { withRequestLog } from '@/server/shared/request-log';
import { type Edge, runtime } from '@/server/runtime/runtime';

type EdgeSource = () => Promise<Edge>;

const edgeOfProcess: EdgeSource = async () => (await runtime()).edge;

export const serveSignIn = signInRoute(edgeOfProcess);
export const serveCallback = callbackRoute(edgeOfProcess);
export const serveBackChannelLogout = backChannelLogoutRoute(edgeOfProcess);

/** Sends the browser to the identity provider; it returns to the path in `?return=`. */
export function signInRoute(edge: EdgeSource): Serve {
  return page(edge, async (provider, request) => {
    const { url, cookies } = await provider.begin(request);
    const response = new Response(null, { status: 303, headers: { Location: url } });
    return withCookies(guarded(response), cookies);
  });
}

/**
 * Takes the answer of the identity provider. The browser goes on from a page of Shiplog: with a redirect it would still
 * come from the provider, and would not send the strict cookie of the session.
 * https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Set-Cookie#samesitesamesite-value
 */
export function callbackRoute(edge: EdgeSource): Serve {
  return page(edge, async (provider, request) => {
    const { path, cookies } = await provider.complete(request);
    const to = escapeHtml(path);
    const html = htmlPage('Signed in', `<p>You are signed in. <a href="${to}">Open Shiplog</a></p>`, to);
    return withCookies(html, cookies);
  });
}

/**
 * The identity provider ends sessions, without a browser.
 * https://openid.net/specs/openid-connect-backchannel-1_0.html#BCRequest
 */
export function backChannelLogoutRoute(edge: EdgeSource): Serve {
  const answer: Serve = async (request) => {
    let parts: Edge | undefined;
    try {
      parts = await edge();
      const provider = providerOf(request, parts);
      const token = new URLSearchParams(await readBounded(request)).get('logout_token');
      if (token === null)
        throw new AppError('bad_request', sentence`logout_token: is missing.`, { field: 'logout_token' });
      await provider.endSessions(token);
      return guarded(new Response(null, { status: 200 }));
    } catch (error) {
      parts?.log.warn('a logout by the identity provider was not accepted', { error });
      return errorAnswer(error, parts?.log, parts?.keys.mask);
    }
  };
  return (request) => withRequestLog(request, () => answer(request));
}

/** A route for browsers: a failure is a page with a sentence, and the id of the request, which the log has too. */
function page(
  edge: EdgeSource,
  work: (provider: SignInProvider, request: Request) => Promise<Response>,
): Serve {
  const answer = async (request: Request, id: string) => {
    let parts: Edge | undefined;
    try {
      parts = await edge();
      return await work(providerOf(request, parts), request);
    } catch (error) {
      parts?.log.warn('a sign-in failed', { error });
      return failurePage(error, id, parts);
    }
  };
  return (request) => withRequestLog(request, (id) => answer(request, id));
}

function providerOf(request: Request, { publicUrl, identity }: Edge): SignInProvider {
  assertHost(request, publicUrl);
  if (identity.provider !== undefined) return identity.provider;
  throw new AppError('not_found', `There is no sign-in at this URL: SHIPLOG_AUTH is ${identity.mode}.`);
}

const UNKNOWN = 'Internal error in Shiplog. Try again; the log has details.';

function failurePage(error: unknown, reference: string, parts: Edge | undefined): Response {
  const isKnown = error instanceof AppError && error.code !== 'internal';
  const message = isKnown ? error.sentence : UNKNOWN;
  const shown = escapeHtml(parts?.keys.mask.text(message) ?? (isKnown ? error.message : UNKNOWN));
  const retry =
    isKnown && error.code === 'not_found'
      ? '<a href="/">Open Shiplog</a>'
      : '<a href="/sign-in">Try again</a>';
  const body = `<p>${shown}</p>\n<p>Reference for your administrator: <code>${reference}</code></p>\n<p>${retry}</p>`;
  return htmlPage('Not signed in', body, null, statuses[isKnown ? error.code : 'internal']);
}
