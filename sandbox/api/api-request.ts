import { type IncomingMessage } from 'node:http';
import { type Json, parseJson } from '@/lib/kube/json';
import {
  ApiStatus,
  badRequest,
  invalid,
  unsupported,
  unsupportedMediaType,
} from '@/sandbox/api/objects/api-status';
import { decodeProtobuf, PROTOBUF } from '@/sandbox/api/protobuf';
import { type Caller } from '@/sandbox/api/access';
import { parsePath, type RequestTarget } from '@/sandbox/api/request-path';

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

export function parseUrl(request: IncomingMessage): { target: RequestTarget; query: URLSearchParams } {
  try {
    const url = new URL(request.url ?? '/', 'https://sandbox');
    return { target: parsePath(url.pathname), query: url.searchParams };
  } catch {
    throw badRequest('the address of the request cannot be read');
  }
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) {
      throw new ApiStatus(
        413,
        'RequestEntityTooLarge',
        `Request entity too large: limit is ${BODY_BYTES_MAX}`,
        {},
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** https://kubernetes.io/docs/reference/access-authn-authz/authorization/#determine-the-request-verb */
export function verbOf(method: string, target: RequestTarget, query: URLSearchParams): string {
  const isCollection = target.type === 'resource' && target.name === '';
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return isCollection ? 'deletecollection' : 'delete';
    default:
      if (!isCollection) return 'get';
      return isWatch(query) ? 'watch' : 'list';
  }
}

function isWatch(query: URLSearchParams): boolean {
  return ['1', 'true', 't', ''].includes(query.get('watch')?.toLowerCase() ?? 'false');
}

const BODY_TYPES = ['application/json', PROTOBUF];

/** Reads the body in any supported encoding. Throws ApiStatus 400, 415. */
export function jsonBody({ body, contentType }: ApiRequest): Json {
  switch (contentType) {
    case '':
    case 'application/json':
      return parseText(body.toString('utf8'));
    case PROTOBUF:
      return decodeProtobuf(body);
    default:
      throw unsupportedMediaType(BODY_TYPES);
  }
}

function parseText(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    throw badRequest(
      `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : 'no JSON'}`,
    );
  }
}

/** The field manager of a write: the parameter, else the program's name. */
export function fieldManagerOf({ query, userAgent }: ApiRequest): string {
  const named = query.get('fieldManager');
  if (named !== null && named !== '') return named;

  return userAgent.split('/')[0]?.slice(0, 128) || 'unknown';
}

const OPTIONS: Readonly<Record<string, string>> = {
  create: 'CreateOptions',
  patch: 'PatchOptions',
  update: 'UpdateOptions',
};

/** Throws ApiStatus 422 on an unknown value. */
export function isDryRun({ query, verb }: ApiRequest): boolean {
  const values = query.getAll('dryRun').filter((value) => value !== '');
  if (values.some((value) => value !== 'All')) {
    throw invalid({ group: 'meta.k8s.io', kind: OPTIONS[verb] ?? 'DeleteOptions' }, '', [
      unsupported('dryRun', values, ['All']),
    ]);
  }
  return values.length > 0;
}
