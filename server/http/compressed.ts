import 'server-only';
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import { createGzip } from 'node:zlib';

/**
 * A connection begins with ten packets: a shorter answer arrives after one round trip, compressed or not.
 * https://www.rfc-editor.org/rfc/rfc6928
 */
const BYTES_MIN = 14 * 1024;

/** Off the main thread; of lists of rows the lowest level makes as little as the default, in half of the time. */
const LEVEL = 1;

/** Routes and the start of the process are separate bundles: only globalThis is common to both. */
const slot = Symbol.for('shiplog.nodeResponse');
type NodeResponses = AsyncLocalStorage<WeakRef<ServerResponse>>;
type Slot = { [slot]?: NodeResponses };

/**
 * Lets {@link compressed} find Node's response to a request; once per process. Next compresses no answer of a route, and
 * removes its Content-Encoding: https://github.com/vercel/next.js/issues/98007
 */
export function followNodeResponses(): void {
  const responses: NodeResponses = ((globalThis as Slot)[slot] ??= new AsyncLocalStorage());
  subscribe('http.server.request.start', (message) => {
    responses.enterWith(new WeakRef((message as { response: ServerResponse }).response));
  });
}

/** The answer to a request, compressed if it is long JSON and the client accepts that. */
export function compressed(request: Request, response: Response): Response {
  const nodeResponse = (globalThis as Slot)[slot]?.getStore()?.deref();
  if (nodeResponse === undefined || !isJson(response)) return response;
  response.headers.append('Vary', 'Accept-Encoding');
  if (!acceptsGzip(request.headers.get('accept-encoding') ?? '')) return response;
  const length = response.headers.get('content-length');
  if (response.body === null || (length !== null && Number(length) < BYTES_MIN)) return response;
  nodeResponse.setHeader('Content-Encoding', 'gzip');
  response.headers.delete('Content-Length');
  // In pieces: copies of a whole list would be most of the garbage of this process.
  const gzip = Duplex.toWeb(createGzip({ level: LEVEL })) as ReadableWritablePair<Uint8Array, Uint8Array>;
  return new Response(response.body.pipeThrough(gzip), response);
}

function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('application/json') ?? false;
}

function acceptsGzip(header: string): boolean {
  return header
    .toLowerCase()
    .split(',')
    .map((part) => part.replaceAll(/\s|;q=(1|0\.\d*[1-9]\d*)\b/g, ''))
    .includes('gzip');
}
