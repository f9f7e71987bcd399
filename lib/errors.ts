import { formatSentence, type Sentence } from '@/lib/sentence';

/** Every way in which Shiplog rejects a request or fails, as scripts see it. */
export const errorCodes = [
  'bad_request',
  'signed_out',
  'unauthorized',
  'forbidden',
  'read_only',
  'not_found',
  'method_not_allowed',
  'conflict',
  'ambiguous',
  'changed',
  'too_large',
  'unsupported_media_type',
  'misdirected',
  'refused',
  'idempotency_mismatch',
  'rate_limited',
  'internal',
  'cluster_error',
  'archive_unavailable',
  'identity_unavailable',
  'cluster_unreachable',
  'timeout',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

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
  /** The message, with our words apart from the data where they are known. */
  readonly sentence: string | Sentence;

  /** `message`: a text may quote others, and is masked as a whole; of a sentence only its data is. */
  constructor(
    code: ErrorCode,
    message: string | Sentence,
    details: Record<string, unknown> = {},
    cause?: unknown,
  ) {
    const text = typeof message === 'string' ? message : formatSentence(message);
    super(text, cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
    this.details = details;
    this.sentence = message;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value;
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
