import { type NextRequest, NextResponse } from 'next/server';

/*
 * Runs before nearly every request, including static files, and imports no module of the application: it is a
 * separate bundle, which the application must not be able to weaken.
 */

/**
 * These guard themselves: the routes under /api/workloads (server/http/http.ts), where the proxy takes longer than most of
 * them, and the pages of the sign-in (server/http/sign-in.ts), which have a policy of their own. A path with an escape
 * comes here all the same.
 */
export const config = { matcher: ['/((?!(?:api/workloads|sign-in(?:/|$))[^%]*$).*)'] };

/** Of whatever is no page of the application. */
const answerPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Rejects foreign Host names, so that a page elsewhere cannot reach a loopback server through its own name (DNS
 * rebinding), and sets the policy, with a fresh script nonce per page. next.config.js has the other security headers.
 * https://nextjs.org/docs/app/guides/content-security-policy
 */
export function proxy(request: NextRequest): NextResponse {
  const host = request.headers.get('host');
  if (!isOwnHost(host, process.env.SHIPLOG_PUBLIC_URL)) return refuse(host);
  const { pathname } = request.nextUrl;
  if (!isDecodable(pathname)) return answerPlainly(400, 'The URL contains an invalid % escape.\n');
  const isPage = !/^\/(api|_next\/static)(\/|$)/.test(pathname);
  if (!isPage) return withPolicy(NextResponse.next(), answerPolicy);
  return isRead(request) ? servePage(request) : refuseMethod(request);
}

/** Pages have no server actions: Next would search for one in whatever is sent, and log a stack when there is none. */
function isRead({ method }: NextRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function refuseMethod({ method }: NextRequest): NextResponse {
  const response = answerPlainly(405, `${method} is not supported here. Use GET.\n`);
  response.headers.set('Allow', 'GET, HEAD');
  return response;
}

function servePage(request: NextRequest): NextResponse {
  const policy = pagePolicy(crypto.randomUUID());
  const headers = new Headers(request.headers);
  // Next reads the nonce for its own scripts from this header.
  headers.set('Content-Security-Policy', policy);
  return withPolicy(NextResponse.next({ request: { headers } }), policy);
}

function pagePolicy(nonce: string): string {
  // React evaluates code in development only, to show the server's stacks.
  const development = process.env.NODE_ENV === 'development' ? " 'unsafe-eval'" : '';
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development}`,
    "style-src 'self' 'unsafe-inline'",
    "worker-src 'self' blob:",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Whether a Host header names this server: loopback by name or number with any port, or the public address. */
export function isOwnHost(host: string | null, publicUrl: string | undefined): boolean {
  if (host === null) return false;
  const name = host.toLowerCase().replace(/:\d+$/, '');
  return ['localhost', '127.0.0.1', '[::1]', publicName(publicUrl)].includes(name);
}

function publicName(publicUrl: string | undefined): string | undefined {
  return publicUrl && URL.canParse(publicUrl) ? new URL(publicUrl).hostname.toLowerCase() : undefined;
}

/** Next answers a path that it cannot decode with a server error. */
function isDecodable(pathname: string): boolean {
  try {
    decodeURIComponent(pathname);
    return true;
  } catch {
    return false;
  }
}

function refuse(host: string | null): NextResponse {
  const given = host === null ? 'an empty host name' : `“${host.replace(/[^\w.:[\]-]/g, '?').slice(0, 253)}”`;
  const text = `Shiplog does not answer requests for ${given}. Open it as localhost, or set SHIPLOG_PUBLIC_URL to its public URL.\n`;
  return answerPlainly(421, text);
}

function answerPlainly(status: number, text: string): NextResponse {
  const response = new NextResponse(text, {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
  });
  return withPolicy(response, answerPolicy);
}

function withPolicy(response: NextResponse, policy: string): NextResponse {
  response.headers.set('Content-Security-Policy', policy);
  // Browsers heed it in answers that arrive by https, and then stay there.
  if (process.env.SHIPLOG_PUBLIC_URL?.startsWith('https:'))
    response.headers.set('Strict-Transport-Security', 'max-age=31536000');
  return response;
}
