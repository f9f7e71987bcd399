import 'server-only';
import { type Route } from '@/lib/api/route';
import { routes } from '@/lib/api/routes';
import { AppError } from '@/lib/errors';
import { matchesTemplate, partsOfKey } from '@/lib/route-key';
import { type Handler, handlers, type Rights } from '@/server/http/handlers';
import { mutation, openRoute, route, type Serve } from '@/server/http/http';
import { parseInput } from '@/server/http/http-input';
import { assertNamedCluster } from '@/server/reads/connected-cluster';
import { type ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { runtime, type Runtime } from '@/server/runtime/runtime';

/** A path of the table, with its parameters in braces. */
interface Path {
  template: string;
  segments: readonly string[];
  /** By method. */
  endpoints: Map<string, Endpoint>;
}

interface Endpoint {
  route: Route;
  /** Takes the call that the route's schemas make; the table of handlers holds that it does. */
  handler: Handler<Rights, never, unknown>;
}

const paths = [...pathsOf(routes, handlers).values()];

/** Answers every request of the HTTP API. */
export const serve = createRouter(runtime);

/** Finds the route of a request in the table, and measures the time to answer it. */
export function createRouter(source: () => Promise<Runtime>): Serve {
  return async (request) => {
    const start = performance.now();
    const segments = new URL(request.url).pathname.split('/');
    const path = paths.find((candidate) => matchesTemplate(candidate.segments, segments));
    const response = await serveOf(source, request, path, segments)(request);
    const { metrics } = await source();
    const label = path?.template ?? '/api/{unknown}';
    metrics.observe(label, response.status, (performance.now() - start) / 1_000);
    return response;
  };
}

function serveOf(
  source: () => Promise<Runtime>,
  { method }: Request,
  path: Path | undefined,
  segments: readonly string[],
): Serve {
  const edge = async () => (await source()).edge;
  if (path === undefined) return openRoute(unknownPath, edge);
  const endpoint = path.endpoints.get(method === 'HEAD' ? 'GET' : method);
  if (endpoint === undefined)
    return openRoute(() => answerOtherMethod(method, [...path.endpoints.keys()]), edge);
  const { route: described, handler } = endpoint;
  const work = async (call: { request: Request; url: URL }) => {
    const parts = await source();
    const { cluster, reads, actions, controllers, recorderState } = clusterOf(parts, call.url.searchParams);
    return handler.handle({
      ...{ ...parts, cluster, reads, actions, controllers, recorderState },
      ...call,
      params: parseInput(described.path, paramsOf(path.segments, segments)),
      query: parseInput(described.query, Object.fromEntries(call.url.searchParams)),
    } as never);
  };
  if (described.body !== undefined) return mutation(work, { schema: described.body, edge });
  return handler.rights === 'anyone' ? openRoute(work, edge) : route(work, edge);
}

/** The cluster that a request is about. */
function clusterOf({ clusters: [only] }: Runtime, query: URLSearchParams): ClusterRuntime {
  if (only === undefined) throw new AppError('internal', 'Shiplog has no cluster.');
  assertNamedCluster(only.cluster, query);
  return only;
}

function pathsOf(
  table: Readonly<Record<string, Route>>,
  handling: Readonly<Record<string, Endpoint['handler']>>,
): Map<string, Path> {
  const found = new Map<string, Path>();
  for (const [key, described] of Object.entries(table)) {
    const { method, template } = partsOfKey(key);
    const handler = handling[key];
    if (handler === undefined) throw new Error(`${key} has no handler.`);
    const path = found.get(template) ?? { template, segments: template.split('/'), endpoints: new Map() };
    path.endpoints.set(method, { route: described, handler });
    found.set(template, path);
  }
  return found;
}

function paramsOf(template: readonly string[], segments: readonly string[]): Record<string, string> {
  const params = template.flatMap((part, index) =>
    part.startsWith('{') ? [[part.slice(1, -1), decodeSafely(segments[index] ?? '')]] : [],
  );
  return Object.fromEntries(params) as Record<string, string>;
}

function decodeSafely(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** A mistyped path gets the error format of the API, not a page. */
function unknownPath(): never {
  throw new AppError('not_found', 'The API has no such path. /api/openapi.json lists all paths.');
}

function answerOtherMethod(method: string, methods: readonly string[]): Response {
  const allow = ['OPTIONS', ...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort();
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow.join(', ') } });
  throw new AppError('method_not_allowed', `${method} is not supported here. Use ${methods.join(' or ')}.`, {
    allow,
  });
}
