import type { JsonObject } from '@/lib/kube/json';

/** One of several reasons why an object is invalid. */
export type Cause = { reason: string; message: string; field: string };

/** What a name in a Status refers to. */
interface Resource {
  readonly group: string;
  readonly plural: string;
}

/**
 * A response other than success, in the form that kubectl turns into its messages.
 * https://github.com/kubernetes/apimachinery/blob/master/pkg/api/errors/errors.go
 */
export class ApiStatus extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: JsonObject | undefined;
  /** In seconds; sent as a header too. */
  readonly retryAfter: number | undefined;

  constructor(code: number, reason: string, message: string, details?: JsonObject, retryAfter?: number) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.retryAfter = retryAfter;
  }

  body(): JsonObject {
    const body: JsonObject = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
    };
    if (this.reason !== '') body.reason = this.reason;
    if (this.details !== undefined) body.details = this.details;
    body.code = this.code;
    return body;
  }
}

export function notFound(resource: Resource, name: string): ApiStatus {
  const message = `${qualified(resource)} "${name}" not found`;
  return new ApiStatus(404, 'NotFound', message, details(resource, name));
}

/** Of a path that does not exist. */
export function noSuchResource(): ApiStatus {
  return new ApiStatus(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(resource: Resource, name: string): ApiStatus {
  const message = `${qualified(resource)} "${name}" already exists`;
  return new ApiStatus(409, 'AlreadyExists', message, details(resource, name));
}

export function conflict(resource: Resource, name: string, why: string): ApiStatus {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`;
  return new ApiStatus(409, 'Conflict', message, details(resource, name));
}

/** As upstream, it names the kind and not the resource. */
export function invalid(
  { group, kind }: { group: string; kind: string },
  name: string,
  ...causes: Cause[]
): ApiStatus {
  const subject = { group, plural: kind };
  const told = causes.map(({ field, message }) => `${field}: ${message}`);
  const text = told.length === 1 ? told[0] : `[${told.join(', ')}]`;
  const message = `${qualified(subject)} "${name}" is invalid: ${text}`;
  return new ApiStatus(422, 'Invalid', message, { ...details(subject, name), causes });
}

/** The response to a JSON patch that does not apply, a failed `test` included; upstream gives no details. */
export function unprocessablePatch(): ApiStatus {
  return new ApiStatus(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

export function badRequest(message: string): ApiStatus {
  return new ApiStatus(400, 'BadRequest', message);
}

export function forbidden(resource: Resource, name: string, why: string): ApiStatus {
  const what = name === '' ? qualified(resource) : `${qualified(resource)} "${name}"`;
  return new ApiStatus(403, 'Forbidden', `${what} is forbidden: ${why}`, details(resource, name));
}

export function unauthorized(): ApiStatus {
  return new ApiStatus(401, 'Unauthorized', 'Unauthorized');
}

export function expired(message: string): ApiStatus {
  return new ApiStatus(410, 'Expired', message);
}

export function methodNotAllowed(): ApiStatus {
  const message = 'the server does not allow this method on the requested resource';
  return new ApiStatus(405, 'MethodNotAllowed', message, {});
}

export function unsupportedMediaType(): ApiStatus {
  return new ApiStatus(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

function qualified({ group, plural }: Resource): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** Without what is empty. */
function details({ group, plural }: Resource, name: string): JsonObject {
  return Object.fromEntries(Object.entries({ name, group, kind: plural }).filter(([, text]) => text !== ''));
}
