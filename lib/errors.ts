/** Every way in which Shiplog rejects a request or fails, as scripts see it, with the status of the answer. */
export const errorStatuses = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  read_only: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  ambiguous: 409,
  changed: 409,
  too_large: 413,
  unsupported_media_type: 415,
  misdirected: 421,
  refused: 422,
  idempotency_mismatch: 422,
  rate_limited: 429,
  internal: 500,
  cluster_error: 502,
  archive_unavailable: 503,
  cluster_unreachable: 503,
  timeout: 504,
} as const;
export type ErrorCode = keyof typeof errorStatuses;

const brand: unique symbol = Symbol.for('shiplog.AppError') as never;

/**
 * The one error class. `message` is a sentence for people: what happened, to what, and what to do next.
 * `details` is JSON that scripts may use; it never holds a secret.
 */
export class AppError extends Error {
  /** Identifies instances of other copies of this module: the server's bundles each have their own. */
  readonly [brand] = true;
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
    this.details = details;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value;
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
