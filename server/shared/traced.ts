import {
  type Attributes,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api';
import { AppError } from '@/lib/errors';

/** Not the global tracer: Next would send spans of its own to that, which contain URLs with their queries. */
const slot = Symbol.for('shiplog.tracer');
type Slot = { [slot]?: Tracer | undefined };

interface SpanDescription {
  readonly name: string;
  readonly kind: keyof typeof SpanKind;
  /** By the semantic conventions; never values of a query, a body or a header. */
  readonly attributes: Attributes;
  /** Of an incoming request: its `traceparent` is the parent of the span. */
  readonly headers?: Headers;
}

/** The tracer of the process; undefined unless traces are sent. */
export function tracer(): Tracer | undefined {
  return (globalThis as Slot)[slot];
}

export function setTracer(own: Tracer | undefined): void {
  (globalThis as Slot)[slot] = own;
}

/** Does the work in a span, which ends with it. Without a tracer it only does the work, and the span is not described. */
export async function traced<Result>(
  describe: () => SpanDescription,
  work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> {
  const own = tracer();
  if (own === undefined) return work(undefined);
  const { name, kind, attributes, headers } = describe();
  const active = context.active();
  const parent = headers === undefined ? active : propagation.extract(active, headers, fromHeaders);
  return own.startActiveSpan(name, { kind: SpanKind[kind], attributes }, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      failSpan(span, errorTypeOf(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The words of an error may quote a request, so a span has only its type. */
export function failSpan(span: Span | undefined, type: string): void {
  span?.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type);
}

/** `traceparent` of the span that is active, for an outgoing request; empty without one. */
export function traceHeaders(): Record<string, string> {
  if (tracer() === undefined) return {};
  const { traceparent } = inject();
  return traceparent === undefined ? {} : { traceparent };
}

function inject(): Partial<Record<string, string>> {
  const headers = {};
  propagation.inject(context.active(), headers);
  return headers;
}

function errorTypeOf(error: unknown): string {
  if (error instanceof AppError) return error.code;
  return error instanceof Error ? error.name : '_OTHER';
}

const fromHeaders = {
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
  keys: (headers: Headers) => [...headers.keys()],
};
