import 'server-only';
import { randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server } from 'node:http';

/** Routes and the start of the process are separate bundles: only globalThis is common to both. */
const slot = Symbol.for('shiplog.peerHeader');
type Slot = { [slot]?: string };
/** Its name differs with each process, so that no client can send it. */
const peerHeader = ((globalThis as Slot)[slot] ??= `x-shiplog-peer-${randomUUID()}`);
const repeatedHeader = `${peerHeader}-repeated`;
/** A page has one stream and a few requests; a process of 500 people needs a fifth. */
const CONNECTIONS_MAX = 10_000;
/** To send the head, and all, of a request: no client needs a tenth of it. */
const HEAD_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 60_000;

/** https://nodejs.org/api/diagnostics_channel.html#event-httpserverrequeststart */
interface Started {
  request: IncomingMessage;
  socket: { remoteAddress?: string };
  server: Server;
}

/**
 * Limits the connections of the server that Next has created, from its first request, and notes the address of the other
 * end of each and which headers are sent twice, both of which Next hides from the handlers. X-Forwarded-For stays empty where
 * the client did not send it: Next would put that address into it, as if a proxy had told it.
 */
export function watchConnections(): void {
  subscribe('http.server.request.start', (message) => {
    const { request, socket, server } = message as Started;
    server.maxConnections = CONNECTIONS_MAX;
    server.headersTimeout = HEAD_TIMEOUT_MS;
    server.requestTimeout = REQUEST_TIMEOUT_MS;
    if (socket.remoteAddress !== undefined) request.headers[peerHeader] = socket.remoteAddress;
    request.headers[repeatedHeader] = repeatedNames(request.rawHeaders).join(',');
    request.headers['x-forwarded-for'] ??= '';
  });
}

/** Of headers that were sent more than once, in lower case. `lines` has names and values in turn. */
function repeatedNames(lines: readonly string[]): string[] {
  const seen = new Set<string>();
  const names = lines.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  return names.filter((name) => {
    const isRepeated = seen.has(name);
    seen.add(name);
    return isRepeated;
  });
}

/** What of a request tells who sends it, and from where. */
export interface Carrier {
  readonly method: string;
  readonly url: string;
  readonly headers: Pick<Headers, 'get'>;
}

/** The address of the other end of the connection; undefined where {@link watchConnections} has not run. */
export function peerOf(request: Carrier): string | undefined {
  return request.headers.get(peerHeader) ?? undefined;
}

/**
 * Whether a header was sent more than once: Node has joined the lines, or has left out all but the first, and does not
 * tell which of them a proxy has written. Unknown, and false, where {@link watchConnections} has not run.
 */
export function isRepeated(request: Request, name: string): boolean {
  return (request.headers.get(repeatedHeader) ?? '').split(',').includes(name.toLowerCase());
}

/** X-Forwarded-For as the client or a proxy has sent it; undefined where neither did. */
export function forwardedForOf(request: Carrier): string | undefined {
  return request.headers.get('x-forwarded-for') || undefined;
}
