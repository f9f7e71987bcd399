import { AppError } from '@/lib/errors';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export type LogFields = Readonly<Record<string, unknown>>;
export type Logger = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>;

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly write?: (line: string) => void;
  readonly now?: () => Date;
}

/** The default where no logger is passed. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/**
 * One JSON object per line: `time`, `level`, `message`, then the fields. Values that resemble a credential
 * are removed.
 */
export function createLogger({ level, write = writeLine, now = () => new Date() }: LoggerOptions): Logger {
  const threshold = logLevels.indexOf(level);
  function at(own: LogLevel) {
    if (logLevels.indexOf(own) < threshold) return () => undefined;
    return (message: string, fields: LogFields = {}) => {
      const entry = { time: now().toISOString(), level: own, message: redactText(message) };
      write(JSON.stringify({ ...entry, ...redactFields(fields, 0) }));
    };
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function writeLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

const DEPTH_MAX = 5;
const REDACTED = '[redacted]';
const secretName = /authorization|cookie|token|passw|secret|credential|private.?key|client.?key|api.?key/i;

function redactFields(fields: LogFields, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      secretName.test(name) ? REDACTED : redactValue(value, depth),
    ]),
  );
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function')
    return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH_MAX) return '[deep]';
  if (value instanceof Error) return redactError(value, depth + 1);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((entry) => redactValue(entry, depth + 1));
  return redactFields(Object.fromEntries(Object.entries(value)), depth + 1);
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  const own = { name: error.name, message: redactText(error.message) };
  const cause = error.cause === undefined ? {} : { cause: redactValue(error.cause, depth) };
  // The stack of an AppError adds nothing to its code.
  if (error instanceof AppError)
    return { ...own, code: error.code, details: redactFields(error.details, depth), ...cause };
  return { ...own, stack: error.stack === undefined ? undefined : redactText(error.stack), ...cause };
}

/** Bearer and basic credentials, JSON web tokens, and user-info in addresses, at any position in a text. */
function redactText(text: string): string {
  return text
    .replace(/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${REDACTED}`)
    .replace(/\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, REDACTED)
    .replace(/(\w:\/\/)[^\s/@]+@/g, `$1${REDACTED}@`);
}
