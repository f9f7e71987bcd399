import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Json, parseJson } from '@/lib/kube/json';
import type { Caller } from '@/sandbox/api/access';
import { ApiStatus, badRequest } from '@/sandbox/api/objects/api-status';
import { resourceName } from '@/sandbox/api/objects/resource-kind';
import { decodeProtobuf, PROTOBUF } from '@/sandbox/api/protobuf';

/** What a path refers to: objects, or anything else. */
export type RequestTarget = { readonly type: 'path'; readonly path: string } | ResourceTarget;

export interface ResourceTarget {
  readonly type: 'resource';
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty for cluster scope. */
  readonly namespace: string;
  /** Empty for the collection. */
  readonly name: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/** A parsed request with its authenticated user. */
export interface ApiRequest {
  readonly target: RequestTarget;
  readonly query: URLSearchParams;
  readonly accept: string | undefined;
  /** Without parameters, in lower case; empty if none is given. */
  readonly contentType: string;
  readonly userAgent: string;
  readonly body: Buffer;
  readonly caller: Caller;
  /** As audits call it: `get`, `list`, `watch`, `create`, … */
  readonly verb: string;
  /** Sent with the response; the handler adds to them. */
  readonly warnings: string[];
}

/** The limit of the API server. */
const BODY_BYTES_MAX = 3 * 1024 * 1024;

/** Reads a request; `authenticate` names its user. Throws ApiStatus. */
export async function readRequest(
  request: IncomingMessage,
  authenticate: (target: RequestTarget, verb: string) => Caller,
): Promise<ApiRequest> {
  const { headers, method = 'GET' } = request;
  const { target, query } = parseUrl(request.url ?? '/');
  const verb = verbOf(method, target, query);
  return {
    target,
    query,
    verb,
    caller: authenticate(target, verb),
    accept: headers.accept,
    contentType: (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    userAgent: headers['user-agent'] ?? '',
    body: await readBody(request),
    warnings: [],
  };
}

/** https://github.com/kubernetes/apiserver/blob/master/pkg/endpoints/request/requestinfo.go */
function parseUrl(text: string): { target: RequestTarget; query: URLSearchParams } {
  try {
    const { pathname, searchParams } = new URL(text, 'https://sandbox');
    const names = pathname.split('/').filter((part) => part !== '');
    const parts = names.map(decodeURIComponent);
    const [root, group = '', version = '', ...rest] =
      parts[0] === 'api' ? ['api', '', ...parts.slice(1)] : parts;
    const isResource = (root === 'api' || root === 'apis') && rest.length > 0;
    const target: RequestTarget = isResource
      ? { type: 'resource', group, version, ...underNamespace(rest) }
      : { type: 'path', path: pathname };
    return { target, query: searchParams };
  } catch {
    throw badRequest('the address of the request cannot be read');
  }
}

function underNamespace(parts: string[]) {
  const [first = '', second = '', third = ''] = parts;
  const isNamespaceItself = parts.length < 3 || (parts.length === 3 && third === 'status');
  const namespace = first === 'namespaces' ? second : '';
  const [resource = '', name = '', ...subresource] =
    first === 'namespaces' && !isNamespaceItself ? parts.slice(2) : parts;
  return { resource, namespace, name, subresource: subresource.join('/') };
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    const message = `Request entity too large: limit is ${BODY_BYTES_MAX}`;
    if (length > BODY_BYTES_MAX) throw new ApiStatus(413, 'RequestEntityTooLarge', message, {});
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const WRITES: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** https://kubernetes.io/docs/reference/access-authn-authz/authorization/#determine-the-request-verb */
function verbOf(method: string, target: RequestTarget, query: URLSearchParams): string {
  const isCollection = target.type === 'resource' && target.name === '';
  const write = WRITES[method];
  if (write !== undefined) return write === 'delete' && isCollection ? 'deletecollection' : write;
  if (!isCollection) return 'get';
  const isWatch = ['1', 'true', 't', ''].includes(query.get('watch')?.toLowerCase() ?? 'false');
  return isWatch ? 'watch' : 'list';
}

/** Reads the body in any supported encoding; null without one. Throws ApiStatus 400, 415. */
export function jsonBody({ body, contentType }: ApiRequest): Json {
  if (body.length === 0) return null;
  if (contentType === PROTOBUF) return decodeProtobuf(body);
  if (contentType !== '' && contentType !== 'application/json') {
    const message = 'the body of the request was in an unknown format - accepted media types include: ';
    throw new ApiStatus(415, 'UnsupportedMediaType', `${message}application/json, ${PROTOBUF}`);
  }
  try {
    return parseJson(body.toString('utf8'));
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${String(error)}`);
  }
}

/** The field manager of a write: the parameter, else the program's name. */
export function fieldManagerOf({ query, userAgent }: ApiRequest): string {
  return query.get('fieldManager') || userAgent.split('/')[0]?.slice(0, 128) || 'unknown';
}

/** Any value, so that nothing is written by mistake. */
export function isDryRun({ query }: ApiRequest): boolean {
  return query.getAll('dryRun').some((value) => value !== '');
}

/** What audits and faults know a request by; empty for paths that are no resource. */
export function placeOf(target: RequestTarget) {
  if (target.type === 'path') return { resource: '', subresource: '', namespace: '', name: '' };
  const { group, resource, subresource, namespace, name } = target;
  return { resource: resourceName({ group, plural: resource }), subresource, namespace, name };
}

/** One stage of one request. A request has two, tied by `id`; an open watch has only the first. */
export interface AuditRecord {
  readonly id: string;
  readonly stage: 'RequestReceived' | 'ResponseComplete';
  readonly verb: string;
  readonly user: string;
  /** With its group, `deployments.apps`; empty for paths that are no resource. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uri: string;
  readonly userAgent: string;
  /** HTTP status; undefined before the answer. */
  readonly code: number | undefined;
}

/** Reports to `record` that a request was received, and later that it was answered or aborted. */
export function auditRequest(
  record: (entry: AuditRecord) => void,
  { target, verb, userAgent, caller }: ApiRequest,
  uri: string,
  response: ServerResponse,
): void {
  const entry = { ...placeOf(target), id: randomUUID(), verb, user: caller.name, uri, userAgent };
  record({ ...entry, stage: 'RequestReceived', code: undefined });
  response.on('close', () => record({ ...entry, stage: 'ResponseComplete', code: response.statusCode }));
}
