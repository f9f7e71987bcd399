import { type z } from 'zod';
import { mutation, route, type Edge, type RouteHandler } from '@/server/http/http';
import { parseInput } from '@/server/http/http-input';
import { assertNamedCluster } from '@/server/reads/connected-cluster';
import { runtime, type Runtime } from '@/server/runtime/runtime';
import { type Viewer } from '@/server/shared/viewer';

interface ReadCall<P extends z.core.$ZodType, Q extends z.core.$ZodType> extends Runtime {
  viewer: Viewer;
  params: z.output<P>;
  query: z.output<Q>;
  request: Request;
}

interface WriteCall<P extends z.core.$ZodType, B extends z.core.$ZodType> extends Runtime {
  viewer: Viewer;
  params: z.output<P>;
  body: z.output<B>;
}

/** A catch-all route has a list for the rest of its path. */
type RawParams = Record<string, string | string[]>;

/** A route that reads: parses path and query, calls one function, and measures the time under `label`. */
export function readRoute<P extends z.core.$ZodType, Q extends z.core.$ZodType>(
  label: string,
  paramsSchema: P,
  querySchema: Q,
  handler: (call: ReadCall<P, Q>) => unknown,
): RouteHandler<RawParams> {
  return withMetrics(
    label,
    route<RawParams>(async ({ request, url, params, viewer }) => {
      const parts = await runtime();
      assertNamedCluster(parts.cluster, url.searchParams);
      return handler({
        ...parts,
        viewer,
        request,
        params: parseInput(paramsSchema, decodeParams(params)),
        query: parseInput(querySchema, Object.fromEntries(url.searchParams)),
      });
    }, readEdge),
  );
}

/** A route that writes. Host, origin, media type and size are already checked when `handler` is called. */
export function writeRoute<P extends z.core.$ZodType, B extends z.core.$ZodType>(
  label: string,
  paramsSchema: P,
  bodySchema: B,
  handler: (call: WriteCall<P, B>) => unknown,
  method: 'POST' | 'PUT' = 'POST',
): RouteHandler<RawParams> {
  return withMetrics(
    label,
    mutation<B, RawParams>(
      async ({ url, params, viewer, body }) => {
        const parts = await runtime();
        assertNamedCluster(parts.cluster, url.searchParams);
        return handler({ ...parts, viewer, params: parseInput(paramsSchema, decodeParams(params)), body });
      },
      { schema: bodySchema, edge: readEdge, method },
    ),
  );
}

async function readEdge(): Promise<Edge> {
  return (await runtime()).edge;
}

/** Next passes path segments on undecoded, and nothing at all to a route without any. */
function decodeParams(params: RawParams | undefined): RawParams {
  if (params === undefined) return {};
  return Object.fromEntries(
    Object.entries(params).map(([key, value]) => [
      key,
      typeof value === 'string' ? decodeSafely(value) : value.map(decodeSafely),
    ]),
  );
}

function decodeSafely(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function withMetrics(label: string, handler: RouteHandler<RawParams>): RouteHandler<RawParams> {
  return async (request, context) => {
    const start = performance.now();
    const answer = await handler(request, context);
    const { metrics } = await runtime();
    metrics.observe(label, answer.status, (performance.now() - start) / 1_000);
    return answer;
  };
}
