import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { trace } from '@opentelemetry/api';

/** What every log line has that is written while a request is handled. */
interface RequestLog {
  readonly id: string;
  /** The name in the audit; absent until the viewer is known. */
  viewer?: string;
}

/** Of a proxy in front of Shiplog. Anything else is hostile, or too long to be worth a part of every line. */
const givenId = /^[A-Za-z0-9._-]{8,64}$/;

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const traceParent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Routes and the start of the process are separate bundles: only globalThis is common to both. */
const slot = Symbol.for('shiplog.requestLog');
type Slot = { [slot]?: AsyncLocalStorage<RequestLog> };

/** Answers a request with its id, in every line of the log and in `X-Request-Id`. */
export async function withRequestLog(
  request: Request,
  work: (id: string) => Promise<Response>,
): Promise<Response> {
  const id = requestIdOf(request.headers);
  return storage().run({ id }, async () => {
    const response = await work(id);
    response.headers.set('X-Request-Id', id);
    return response;
  });
}

/** `name` as the audit has it. */
export function nameViewer(name: string): void {
  const request = storage().getStore();
  if (request !== undefined) request.viewer = name;
}

/** Fields of a log line: `request_id` and `viewer` in a request, `trace_id` while it is traced. */
export function requestFields(): Readonly<Record<string, string>> {
  const request = storage().getStore();
  const traceId = trace.getActiveSpan()?.spanContext().traceId;
  return {
    ...(request !== undefined && { request_id: request.id }),
    ...(request?.viewer !== undefined && { viewer: request.viewer }),
    ...(traceId !== undefined && { trace_id: traceId }),
  };
}

/** The id that a proxy gave the request, or the one of its trace, or a new one. */
function requestIdOf(headers: Headers): string {
  const given = headers.get('x-request-id') ?? '';
  if (givenId.test(given)) return given;
  return traceParent.exec(headers.get('traceparent') ?? '')?.[1] ?? randomBytes(8).toString('hex');
}

function storage(): AsyncLocalStorage<RequestLog> {
  return ((globalThis as Slot)[slot] ??= new AsyncLocalStorage());
}
