import 'server-only';
import { AppError } from '@/lib/errors';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Rejects a Host that is not Shiplog's own: loopback by name or number, or the public address. A foreign name
 * that points at this machine must not give its page Shiplog's origin (DNS rebinding).
 */
export function assertHost(request: Request, publicUrl: string | undefined): void {
  const host = request.headers.get('host');
  if (host !== null && isOwnHost(urlOf(`http://${host}`), publicUrl)) return;
  throw new AppError(
    'misdirected',
    'Shiplog does not answer requests for this host name. Open it as localhost, or set SHIPLOG_PUBLIC_URL to its public URL.',
    { host: host?.slice(0, 253) ?? null },
  );
}

/**
 * Rejects requests that a page of another origin makes a browser send. A request with neither Origin nor
 * Sec-Fetch-Site comes from no browser and passes. Another port of this machine is another origin.
 * https://web.dev/articles/fetch-metadata
 */
export function assertSameOrigin(request: Request, publicUrl: string | undefined): void {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') throw crossOriginError({ site });
  const origin = request.headers.get('origin');
  if (origin === null) return;
  const from = urlOf(origin);
  const isPublic = from !== undefined && publicUrl !== undefined && from.origin === urlOf(publicUrl)?.origin;
  const host = urlOf(`http://${request.headers.get('host') ?? ''}`);
  // A page of this machine is no page of the public address, though both may use the default port.
  const isLoopback = isLoopbackHost(from) && isLoopbackHost(host) && from?.port === host?.port;
  if (!isPublic && !isLoopback) throw crossOriginError({ origin: origin.slice(0, 300) });
}

/**
 * Rejects reads by a page of another site: it would learn nothing, but it could make a browser request a
 * costly report again and again. Pages themselves can be opened from anywhere.
 */
export function assertNotCrossSite(request: Request): void {
  if (request.headers.get('sec-fetch-site') !== 'cross-site') return;
  throw new AppError(
    'forbidden',
    'Shiplog does not answer requests of other sites. Open Shiplog itself, or send the request without a browser.',
    { site: 'cross-site' },
  );
}

function isLoopbackHost(url: URL | undefined): boolean {
  return url !== undefined && LOOPBACK.includes(url.hostname);
}

function isOwnHost(url: URL | undefined, publicUrl: string | undefined): boolean {
  if (url === undefined || url.username !== '' || url.password !== '' || url.pathname !== '/') return false;
  return LOOPBACK.includes(url.hostname) || url.hostname === urlOf(publicUrl ?? '')?.hostname;
}

function urlOf(text: string): URL | undefined {
  return URL.parse(text) ?? undefined;
}

function crossOriginError(details: Record<string, unknown>): AppError {
  return new AppError(
    'forbidden',
    'Nothing was changed: the request came from a page of another origin. Open Shiplog itself and repeat it there.',
    details,
  );
}
