import 'server-only';
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip, zstdCompress } from 'node:zlib';

/**
 * A connection begins with ten packets: a shorter answer arrives after one round trip, compressed or not.
 * https://www.rfc-editor.org/rfc/rfc6928
 */
const BYTES_MIN = 14 * 1024;

/** Off the main thread; the preferred one first. Zstandard takes a tenth of the time of gzip. */
const codings = { zstd: promisify(zstdCompress), gzip: promisify(gzip) };

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
export async function compressed(request: Request, response: Response): Promise<Response> {
  const nodeResponse = (globalThis as Slot)[slot]?.getStore()?.deref();
  if (nodeResponse === undefined || !isJson(response)) return response;
  response.headers.append('Vary', 'Accept-Encoding');
  const coding = acceptedCoding(request.headers.get('accept-encoding') ?? '');
  if (coding === undefined) return response;
  const length = response.headers.get('content-length');
  if (length !== null && Number(length) < BYTES_MIN) return response;
  const body = await response.arrayBuffer();
  if (body.byteLength < BYTES_MIN) return new Response(body, response);
  const bytes = await codings[coding](body);
  nodeResponse.setHeader('Content-Encoding', coding);
  response.headers.set('Content-Length', String(bytes.byteLength));
  return new Response(bytes, response);
}

function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('application/json') ?? false;
}

function acceptedCoding(header: string): keyof typeof codings | undefined {
  const accepted = header
    .toLowerCase()
    .split(',')
    .map((part) => part.replaceAll(/\s|;q=(1|0\.\d*[1-9]\d*)\b/g, ''));
  return (['zstd', 'gzip'] as const).find((coding) => accepted.includes(coding));
}
