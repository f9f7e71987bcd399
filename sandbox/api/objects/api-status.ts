import { type JsonObject } from '@/lib/kube/json';

/** One of several reasons why an object is invalid. */
export type Cause = { reason: string; message: string; field?: string };

/** What a name in a Status refers to: the resource, or the kind where upstream uses the kind. */
interface Subject {
  group: string;
  kind: string;
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
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

export function notFound(resource: Subject, name: string): ApiStatus {
  const message = `${qualified(resource)} "${name}" not found`;
  return new ApiStatus(404, 'NotFound', message, details(resource, name));
}

/** Of a path that does not exist. */
export function noSuchResource(): ApiStatus {
  return new ApiStatus(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(resource: Subject, name: string): ApiStatus {
  const message = `${qualified(resource)} "${name}" already exists`;
  return new ApiStatus(409, 'AlreadyExists', message, details(resource, name));
}

export function conflict(resource: Subject, name: string, why: string): ApiStatus {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`;
  return new ApiStatus(409, 'Conflict', message, details(resource, name));
}

export const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

/** As upstream, `kind` is the Kind here, not the resource. */
export function invalid(kind: Subject, name: string, causes: readonly Cause[]): ApiStatus {
  const told = causes.map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`));
  const text = told.length === 1 ? told[0] : `[${told.join(', ')}]`;

  return new ApiStatus(422, 'Invalid', `${qualified(kind)} "${name}" is invalid: ${text}`, {
    ...details(kind, name),
    causes: causes.map((cause) => ({ ...cause })),
  });
}

/** The response to a JSON patch that does not apply, a failed `test` included; upstream gives no details. */
export function unprocessablePatch(): ApiStatus {
  return new ApiStatus(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

export function badRequest(message: string): ApiStatus {
  return new ApiStatus(400, 'BadRequest', message);
}

export function forbidden(resource: Subject, name: string, why: string): ApiStatus {
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

export function unsupportedMediaType(accepted: readonly string[]): ApiStatus {
  const message = 'the body of the request was in an unknown format - accepted media types include: ';
  return new ApiStatus(415, 'UnsupportedMediaType', message + accepted.join(', '));
}

export function notAcceptable(available: readonly string[]): ApiStatus {
  const message = `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`;
  return new ApiStatus(406, 'NotAcceptable', message, {});
}

function qualified({ group, kind }: Subject): string {
  return group === '' ? kind : `${kind}.${group}`;
}

function details({ group, kind }: Subject, name: string): JsonObject {
  return {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(kind === '' ? {} : { kind }),
  };
}

export function required(field: string, message = ''): Cause {
  return {
    reason: 'FieldValueRequired',
    message: message === '' ? 'Required value' : `Required value: ${message}`,
    field,
  };
}

export function unsupported(field: string, value: unknown, supported: readonly string[]): Cause {
  const values = supported.map((one) => JSON.stringify(one)).join(', ');

  return {
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${values}`,
    field,
  };
}

export function forbiddenField(field: string, message: string): Cause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${message}`, field };
}
