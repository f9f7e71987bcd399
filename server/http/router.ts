import 'server-only';
import type { Span } from '@opentelemetry/api';
import type { Route } from '@/lib/api/route';
import { routes } from '@/lib/api/routes';
import { AppError } from '@/lib/errors';
import { matchesTemplate, partsOfKey } from '@/lib/route-key';
import { compressed } from '@/server/http/compressed';
import { type Handler, handlers, type Rights, type HandlerScope } from '@/server/http/handlers';
import { mutation, openRoute, route, type Serve } from '@/server/http/http';
import { parseInput, readJsonBody } from '@/server/http/http-input';
import { parseSide } from '@/server/reads/diff';
import type { ClusterRuntime } from '@/server/runtime/cluster-runtime';
import type { Clusters } from '@/server/runtime/clusters';
import { ambiguousCluster, findClusterOf, type ObjectRef } from '@/server/runtime/find-cluster';
import { fleetOf } from '@/server/runtime/fleet';
import type { PlaceSources } from '@/server/runtime/record-places';
import { runtime, type Runtime } from '@/server/runtime/runtime';
import type { LogLevel } from '@/server/shared/log';
import { withRequestLog } from '@/server/shared/request-log';
import { failSpan, traced } from '@/server/shared/traced';
import type { Person } from '@/server/shared/viewer';

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
  handler: Handler<Rights, HandlerScope, never, unknown>;
}

const paths = [...pathsOf(routes, handlers).values()];

/** Answers every request of the HTTP API. */
export const serve = createRouter(runtime);

const UNKNOWN_PATH = '/api/{unknown}';

/** A page of Shiplog has its answers within a second, so someone waited for this one. */
const SLOW_MS = 5_000;

/** Finds the route of a request in the table, measures the time to answer it, and logs it. */
export function createRouter(source: () => Promise<Runtime>): Serve {
  const answer = async (request: Request, { segments, path, label }: FoundPath, span: Span | undefined) => {
    const start = performance.now();
    const response = compressed(request, await serveOf(source, request, path, segments)(request));
    const ms = Math.round(performance.now() - start);
    const { metrics, edge } = await source();
    const { status } = response;
    span?.setAttribute('http.response.status_code', status);
    if (status >= 500) failSpan(span, String(status));
    metrics.observe(label, status, (performance.now() - start) / 1_000);
    edge.log[levelOf(status, ms)]('request', { method: request.method, route: label, status, ms });
    return response;
  };
  return (request) => {
    const found = findPath(request);
    return withRequestLog(request, () =>
      traced(
        () => spanOf(request, found),
        (span) => answer(request, found, span),
      ),
    );
  };
}

function spanOf({ method, headers }: Request, { label }: FoundPath) {
  const attributes = { 'http.request.method': method, 'http.route': label };
  return { name: `${method} ${label}`, kind: 'SERVER', attributes, headers } as const;
}

interface FoundPath {
  segments: readonly string[];
  path: Path | undefined;
  /** Without what a client could make up. */
  label: string;
}

function findPath({ url }: Request): FoundPath {
  const segments = new URL(url).pathname.split('/');
  const path = paths.find((candidate) => matchesTemplate(candidate.segments, segments));
  return { segments, path, label: path?.template ?? UNKNOWN_PATH };
}

function levelOf(status: number, ms: number): LogLevel {
  if (status === 500) return 'error';
  return status > 500 || ms >= SLOW_MS ? 'warn' : 'debug';
}

function serveOf(
  source: () => Promise<Runtime>,
  { method }: Request,
  path: Path | undefined,
  segments: readonly string[],
): Serve {
  const edge = async () => (await source()).edge;
  if (path === undefined) return route(unknownPath, edge);
  const endpoint = path.endpoints.get(method === 'HEAD' ? 'GET' : method);
  if (endpoint === undefined) return route(() => answerOtherMethod(method, [...path.endpoints.keys()]), edge);
  const { route: described, handler } = endpoint;
  const work = async (request: { request: Request; url: URL; person?: Person; body?: unknown }) => {
    const parts = await source();
    const parameters = parseParameters(request.url.searchParams);
    assertKnownClusters(parts.clusters, parameters);
    const params = parseInput(described.path, paramsOf(path.segments, segments));
    const query = parseInput(described.query, parameters);
    const call = { ...parts, ...request, params, query };
    const about = await scopeOf(handler.scope, parts, request.person, parameters, params);
    return handler.handle({ ...call, ...about } as never);
  };
  const { body: schema } = described;
  if (handler.rights !== 'anyone' && schema !== undefined)
    return mutation(work, { schema, edge, isOwn: handler.rights === 'viewer' });
  if (handler.rights === 'viewer') return route(work, edge);
  return openRoute(async (call) => {
    const body = schema && parseInput(schema, await readJsonBody(call.request));
    return work({ ...call, body });
  }, edge);
}

/**
 * The parameters of a request, each once: of two values one part of Shiplog might take the first and another the last.
 * Throws AppError `bad_request`.
 */
function parseParameters(searchParams: URLSearchParams): Parameters {
  const names = [...searchParams.keys()];
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated === undefined) return Object.fromEntries(searchParams);
  const field = repeated.slice(0, 100);
  throw new AppError(
    'bad_request',
    `${field}: is given twice. Nothing was changed. Give it once; lists take several values separated by commas.`,
    { field },
  );
}

/** The ones that choose clusters or an object, whatever the route. */
type Parameters = Partial<Record<'cluster' | 'stage' | 'from' | 'uid', string>>;

/** Whatever the route: an answer about another cluster would be wrong. The archive may know one that was removed. */
function assertKnownClusters(clusters: Clusters, { cluster }: Parameters): void {
  if (clusters.isListed) return;
  for (const name of cluster?.split(',') ?? []) clusters.named(name);
}

/** What a handler of this scope gets besides the request. */
async function scopeOf(
  scope: HandlerScope,
  sources: Runtime,
  person: Person | undefined,
  parameters: Parameters,
  params: Partial<ObjectRef>,
): Promise<object> {
  if (scope === 'process' || person === undefined) return {};
  if (scope === 'fleet') return { fleet: await fleetOf(sources, person, parameters) };
  // The sides of a comparison may name clusters themselves.
  const name = parameters.cluster ?? parseSide(parameters.from ?? '').cluster;
  const { uid } = parameters;
  const found =
    name === null ? await clusterOf(sources, person, { ...params, uid }) : sources.clusters.named(name);
  const { entry, reads, actions } = found;
  return { entry, reads, actions, viewer: found.viewerOf(person) };
}

/** The only cluster, or the only one that has the object. */
async function clusterOf(
  sources: PlaceSources,
  person: Person,
  { resource, namespace, name, uid }: Partial<ObjectRef>,
): Promise<ClusterRuntime> {
  const { clusters } = sources;
  const [only] = clusters.all;
  if (only !== undefined && !clusters.isSeveral) return only;
  const fleet = await fleetOf(sources, person, {});
  if (namespace === undefined || name === undefined)
    throw ambiguousCluster('What the request is about', fleet.clusters);
  const { entry } = await findClusterOf(fleet, { namespace, name, uid, ...(resource && { resource }) });
  return clusters.named(entry.name);
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
