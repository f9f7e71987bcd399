import { type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type JsonObject } from '@/lib/kube/json';
import { type AccessTable, type Caller } from '@/sandbox/api/access';
import { type ApiCore } from '@/sandbox/api/api-core';
import { type ApiRequest, jsonBody, parseUrl, readBody, verbOf } from '@/sandbox/api/api-request';
import { ApiStatus, forbidden, methodNotAllowed, noSuchResource } from '@/sandbox/api/objects/api-status';
import { auditRequest, type AuditRecord } from '@/sandbox/api/audit-trail';
import { impersonate, type TokenTable } from '@/sandbox/api/authenticate';
import { answerControl, CONTROL_PATH, type ControlParts } from '@/sandbox/api/control';
import { apiGroup, apiGroupList, apiResourceList, SERVER_VERSION } from '@/sandbox/api/discovery';
import { breakOffAfter, type Faults } from '@/sandbox/api/faults';
import { openApiDocument, openApiIndex } from '@/sandbox/api/openapi';
import { answerLog, type LogSource } from '@/sandbox/api/pod-log';
import { placeOf, type RequestTarget, type ResourceTarget } from '@/sandbox/api/request-path';
import { type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { handleResource } from '@/sandbox/api/resource-handler';
import { answerReview } from '@/sandbox/api/reviews';
import { warningHeaders } from '@/sandbox/api/warning-headers';
import { type WatchStreams } from '@/sandbox/api/watch-streams';

interface ServerParts {
  readonly core: ApiCore;
  readonly tokens: TokenTable;
  readonly access: AccessTable;
  readonly watches: WatchStreams;
  readonly logs: LogSource;
  readonly control: ControlParts;
  readonly controlToken: string;
  readonly audit: ((entry: AuditRecord) => void) | undefined;
}

/** Answers one request; every error becomes a Status. */
export async function answer(
  parts: ServerParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    response.setHeader('date', new Date(parts.core.now()).toUTCString());
    if (request.url === CONTROL_PATH)
      return await answerControl(parts.control, parts.controlToken, request, response);
    const read = await readRequest(parts, request);
    if (parts.audit !== undefined)
      auditRequest(parts.audit, { ...read, uri: request.url ?? '', user: read.caller.name }, response);
    if (await disturb(parts.control.faults, read, response)) route(parts, read, response);
  } catch (error) {
    sendStatus(response, error);
  }
}

async function readRequest({ tokens, access }: ServerParts, request: IncomingMessage): Promise<ApiRequest> {
  const { target, query } = parseUrl(request);
  const verb = verbOf(request.method ?? 'GET', target, query);
  const caller = impersonate(request, tokens.callerOf(request), access, (who) =>
    refusal(who, `impersonate-on:user-info:${verb}`, target),
  );

  return {
    target,
    query,
    accept: request.headers.accept,
    contentType: (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    userAgent: request.headers['user-agent'] ?? '',
    body: await readBody(request),
    caller,
    verb,
    warnings: [],
  };
}

/** Applies the active faults. False when the connection is gone. Throws ApiStatus. */
async function disturb(faults: Faults, request: ApiRequest, response: ServerResponse): Promise<boolean> {
  if (faults.active.length === 0) return true;
  const target = { ...placeOf(request.target), verb: request.verb, user: request.caller.name };
  const latency = faults.consume('latency', target);
  if (latency !== undefined) await delay(latency.ms, undefined, { ref: false });
  if (faults.consume('reset', target) !== undefined) response.destroy();
  if (response.destroyed) return false;
  faults.refuse(target);
  const truncate = faults.consume('truncate', target);
  if (truncate !== undefined) breakOffAfter(response, truncate.bytes);

  return true;
}

function route(parts: ServerParts, request: ApiRequest, response: ServerResponse): void {
  const { target } = request;
  switch (target.type) {
    case 'path':
      if (!parts.access.mayRead(request.caller, target.path)) throw refusal(request.caller, 'get', target);
      return answerPath(parts, target.path, response);
    case 'resource':
      if (!parts.access.mayAct(request.caller, { ...target, verb: request.verb }))
        throw refusal(request.caller, request.verb, target);
      return answerResource(parts, target, request, response);
    default:
      return target satisfies never;
  }
}

function refusal(caller: Caller, verb: string, target: RequestTarget): ApiStatus {
  if (target.type === 'path') {
    const message = `forbidden: User "${caller.name}" cannot ${verb} path "${target.path}"`;
    return new ApiStatus(403, 'Forbidden', message, {});
  }
  const { group, resource, subresource, namespace, name } = target;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  return forbidden(
    { group, kind: resource },
    name,
    `User "${caller.name}" cannot ${verb} resource "${full}" in API group "${group}" ${scope}`,
  );
}

function answerPath({ core }: ServerParts, path: string, response: ServerResponse): void {
  if (['/healthz', '/livez', '/readyz'].includes(path)) return sendText(response, 200, 'ok');
  const body = describe(core, path);
  if (body === undefined) return notFoundPage(response);
  sendJson(response, 200, body);
}

function describe({ kinds }: ApiCore, path: string): JsonObject | undefined {
  const [root, group = '', version = ''] = path.split('/').filter((part) => part !== '');
  switch (root) {
    case 'version':
      return SERVER_VERSION;
    case 'openapi':
      return path === '/openapi/v3' ? openApiIndex(kinds) : openApiDocument(kinds, path);
    case 'api':
      return group === '' ? { kind: 'APIVersions', versions: ['v1'] } : apiResourceList(kinds, '', group);
    case 'apis':
      if (group === '') return apiGroupList(kinds);
      return version === '' ? apiGroup(kinds, group) : apiResourceList(kinds, group, version);
    default:
      return undefined;
  }
}

function notFoundPage(response: ServerResponse): void {
  sendText(response, 404, '404 page not found\n');
}

function answerResource(
  parts: ServerParts,
  target: ResourceTarget,
  request: ApiRequest,
  response: ServerResponse,
): void {
  const { core, access, watches, logs } = parts;
  const review = core.kinds.reviews.find(
    ({ group, version, plural }) =>
      group === target.group && version === target.version && plural === target.resource,
  );
  if (review !== undefined) {
    if (request.verb !== 'create') throw methodNotAllowed();
    return sendJson(response, 201, answerReview(review, jsonBody(request), request.caller, access));
  }
  if (!core.kinds.groups().has(target.group)) return notFoundPage(response);
  const kind = findKind(core, target);
  if (request.verb === 'watch') return watches.open(kind, target, request, response);
  if (target.subresource === 'log') {
    const text = answerLog(core, logs, kind, target, request);
    return sendText(response, 200, text, 'text/plain');
  }
  const { code, body } = handleResource(core, kind, target, request);
  if (request.warnings.length > 0) response.setHeader('warning', warningHeaders(request.warnings));
  sendJson(response, code, body);
}

function findKind({ kinds }: ApiCore, { group, version, resource, namespace }: ResourceTarget): ResourceKind {
  const kind = kinds.find(group, version, resource);
  if (kind === undefined) throw noSuchResource();
  if (!kind.namespaced && namespace !== '' && resource !== 'namespaces') throw noSuchResource();

  return kind;
}

function sendStatus(response: ServerResponse, error: unknown): void {
  const status =
    error instanceof ApiStatus
      ? error
      : new ApiStatus(500, 'InternalError', `Internal error occurred: ${String(error)}`);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (status.retryAfter !== undefined) response.setHeader('retry-after', String(status.retryAfter));
  sendJson(response, status.code, status.body());
}

function sendJson(response: ServerResponse, code: number, body: JsonObject, type = 'application/json'): void {
  sendText(response, code, `${JSON.stringify(body)}\n`, type);
}

function sendText(
  response: ServerResponse,
  code: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void {
  const bytes = Buffer.from(text);
  response.writeHead(code, {
    'content-type': type,
    'content-length': bytes.length,
    'cache-control': 'no-cache, private',
  });
  response.end(bytes);
}
