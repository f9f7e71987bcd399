import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '@/lib/kube/json';
import type { AccessTable, Caller } from '@/sandbox/api/access';
import type { ApiCore } from '@/sandbox/api/api-core';
import {
  type ApiRequest,
  auditRequest,
  type AuditRecord,
  jsonBody,
  placeOf,
  readRequest,
  type RequestTarget,
  type ResourceTarget,
} from '@/sandbox/api/api-request';
import { impersonate, type TokenTable } from '@/sandbox/api/authenticate';
import { answerControl, CONTROL_PATH, type ControlParts } from '@/sandbox/api/control';
import { describePath } from '@/sandbox/api/discovery';
import { breakOffAfter, type Faults } from '@/sandbox/api/faults';
import { ApiStatus, forbidden, methodNotAllowed, noSuchResource } from '@/sandbox/api/objects/api-status';
import { type ResourceKind, resourceName } from '@/sandbox/api/objects/resource-kind';
import { answerLog, type LogSource } from '@/sandbox/api/pod-log';
import { handleResource } from '@/sandbox/api/resource-handler';
import { answerReview } from '@/sandbox/api/reviews';
import type { WatchStreams } from '@/sandbox/api/watches';

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
  const { core, tokens, access, control, controlToken, audit } = parts;
  const uri = request.url ?? '';
  try {
    response.setHeader('date', new Date(core.now()).toUTCString());
    if (uri === CONTROL_PATH) return await answerControl(control, controlToken, request, response);
    const read = await readRequest(request, (target, verb) =>
      impersonate(request, tokens.callerOf(request), access, (caller) =>
        refusal(caller, `impersonate-on:user-info:${verb}`, target),
      ),
    );
    if (audit !== undefined) auditRequest(audit, read, uri, response);
    if (await disturb(control.faults, read, response)) route(parts, read, response);
  } catch (error) {
    sendStatus(response, error);
  }
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
  const { target, verb, caller } = request;
  if (target.type === 'resource') {
    if (!parts.access.mayAct(caller, { ...target, verb })) throw refusal(caller, verb, target);
    return answerResource(parts, target, request, response);
  }
  const { path } = target;
  if (!parts.access.mayRead(caller, path)) throw refusal(caller, 'get', target);
  if (['/healthz', '/livez', '/readyz'].includes(path)) return sendText(response, 200, 'ok');
  const body = describePath(parts.core.kinds, path);
  return body === undefined ? sendNoPage(response) : sendJson(response, 200, body);
}

function refusal({ name: user }: Caller, verb: string, target: RequestTarget): ApiStatus {
  if (target.type === 'path') {
    const message = `forbidden: User "${user}" cannot ${verb} path "${target.path}"`;
    return new ApiStatus(403, 'Forbidden', message, {});
  }
  const { group, resource, subresource, namespace, name } = target;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const why = `User "${user}" cannot ${verb} resource "${full}" in API group "${group}" ${scope}`;
  return forbidden({ group, plural: resource }, name, why);
}

function answerResource(
  { core, access, watches, logs }: ServerParts,
  target: ResourceTarget,
  request: ApiRequest,
  response: ServerResponse,
): void {
  const { kinds } = core;
  const { verb, caller, warnings } = request;
  const review = kinds.reviews.find((known) => resourceName(known) === placeOf(target).resource);
  if (review !== undefined) {
    if (verb !== 'create') throw methodNotAllowed();
    return sendJson(response, 201, answerReview(review, jsonBody(request), caller, access));
  }
  if (!kinds.groups().has(target.group)) return sendNoPage(response);
  const kind = findKind(core, target);
  if (verb === 'watch') return watches.open(kind, target, request, response);
  if (target.subresource === 'log')
    return sendText(response, 200, answerLog(core, logs, kind, target, request), 'text/plain');
  const { code, body } = handleResource(core, kind, target, request);
  if (warnings.length > 0) response.setHeader('warning', warningHeaders(warnings));
  sendJson(response, code, body);
}

function findKind({ kinds }: ApiCore, target: ResourceTarget): ResourceKind {
  const kind = kinds.find(placeOf(target).resource);
  const isInNamespace = target.namespace !== '' && target.resource !== 'namespaces';
  if (kind?.versions.includes(target.version) !== true || (!kind.namespaced && isInNamespace))
    throw noSuchResource();
  return kind;
}

/** The limit for all texts together; clients have one for headers. */
const WARNINGS_LENGTH_MAX = 4096;

/** As kubectl prints them; without texts that no header can hold. https://www.rfc-editor.org/rfc/rfc7234#section-5.5 */
function warningHeaders(texts: readonly string[]): string[] {
  let left = WARNINGS_LENGTH_MAX;
  const printable = [...new Set(texts)].filter((text) => !/[^ -~]/.test(text));
  return printable
    .filter((text) => (left -= text.length) >= 0)
    .map((text) => `299 - "${text.replace(/["\\]/g, '\\$&')}"`);
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

function sendNoPage(response: ServerResponse): void {
  sendText(response, 404, '404 page not found\n');
}

function sendJson(response: ServerResponse, code: number, body: JsonObject): void {
  sendText(response, code, `${JSON.stringify(body)}\n`, 'application/json');
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
