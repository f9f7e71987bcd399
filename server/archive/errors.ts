import 'server-only';
import { AppError } from '@/lib/errors';

type Reason = 'locked' | 'read_only' | 'full' | 'disk' | 'damaged' | 'no_file' | 'connection' | 'refused';

/**
 * Converts what an engine threw to AppError `archive_unavailable` with `details.reason`, and `details.retry` true where
 * it may pass without a change to the database. Returns other errors, which are bugs of Shiplog, unchanged.
 */
export function toArchiveError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const reason = reasonOf(error);
  if (reason === undefined) return error;
  const { sentence, retry } = reasons[reason];
  return new AppError('archive_unavailable', sentence, { reason, retry }, error);
}

/** Whether another process had locked the database. */
export function isLocked(error: unknown): boolean {
  return error instanceof AppError && error.details.reason === 'locked';
}

// prettier-ignore
const reasons: Readonly<Record<Reason, { sentence: string; retry: boolean }>> = {
  locked: { sentence: 'The archive is being written to by another process. Try again in a moment.', retry: true },
  read_only: { sentence: 'The archive cannot be written: its file or database is read-only. Grant Shiplog write permission.', retry: true },
  full: { sentence: 'The archive cannot be written: the disk is full. Free some space; Shiplog retries automatically.', retry: true },
  disk: { sentence: 'The archive cannot be read or written: the disk reports an error. Check the disk.', retry: true },
  damaged: { sentence: 'The archive is damaged or not a Shiplog archive. Run `npm run archive -- verify`; restore an export if needed.', retry: false },
  no_file: { sentence: 'The archive cannot be opened. Check the data directory and its permissions.', retry: true },
  connection: { sentence: "The archive's database does not answer. Check that it is running and reachable.", retry: true },
  refused: { sentence: "The archive's database rejected the connection. Check the user, password and database of DATABASE_URL.", retry: true },
};

/** By the primary result code. https://sqlite.org/rescode.html */
const sqliteReasons: Readonly<Record<number, Reason>> = {
  3: 'read_only',
  5: 'locked',
  6: 'locked',
  8: 'read_only',
  10: 'disk',
  11: 'damaged',
  13: 'full',
  14: 'no_file',
  26: 'damaged',
};

const systemReasons: Readonly<Record<string, Reason>> = {
  EACCES: 'no_file',
  EPERM: 'no_file',
  EISDIR: 'no_file',
  ENOENT: 'no_file',
  ENOTDIR: 'no_file',
  EROFS: 'read_only',
  ENOSPC: 'full',
  EDQUOT: 'full',
  EIO: 'disk',
  ECONNREFUSED: 'connection',
  ECONNRESET: 'connection',
  EPIPE: 'connection',
  ETIMEDOUT: 'connection',
  EHOSTUNREACH: 'connection',
  ENETUNREACH: 'connection',
  ENOTFOUND: 'connection',
  EAI_AGAIN: 'connection',
};

/** By SQLSTATE or its class. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const postgresReasons: readonly (readonly [RegExp, Reason])[] = [
  [/^(08|57P0[1-5]|57014)/, 'connection'],
  [/^53300/, 'connection'],
  [/^53/, 'full'],
  [/^(40001|40P01|55P03)/, 'locked'],
  [/^25006/, 'read_only'],
  [/^(28|3D000|42501)/, 'refused'],
  [/^58/, 'disk'],
  [/^XX00[12]/, 'damaged'],
];

function reasonOf(error: unknown): Reason | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = memberOf(error, 'code');
  if (code === 'ERR_SQLITE_ERROR') {
    const number = memberOf(error, 'errcode');
    return typeof number === 'number' ? sqliteReasons[number & 0xff] : undefined;
  }
  // A database is also reached by a socket that is a file; its absence says nothing about the data directory.
  if (memberOf(error, 'syscall') === 'connect') return 'connection';
  if (typeof code === 'string') {
    const known = systemReasons[code] ?? postgresReasons.find(([pattern]) => pattern.test(code))?.[1];
    if (known !== undefined) return known;
  }
  // Several addresses were tried, and all failed.
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  // pg's own errors for a lost connection have no code.
  return /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout)/.test(
    error.message,
  )
    ? 'connection'
    : undefined;
}

function memberOf(error: Error, name: string): unknown {
  return (error as unknown as Record<string, unknown>)[name];
}
