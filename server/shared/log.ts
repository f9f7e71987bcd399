import { AppError } from '@/lib/errors';
import { formatSentence } from '@/lib/sentence';
import { commonNames, CredentialNames } from '@/server/shared/masking/credential-name';
import { hideInText } from '@/server/shared/masking/credential-text';
import { requestFields } from '@/server/shared/request-log';

/** Anything else is quoted as JSON. */
const plain = /^[\w.:/@{}*+-]+$/;

/** Text of others must not move the cursor of a terminal, nor begin a line. */
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** `time level message name=value …` for people; the stack of an error follows in lines of its own, indented. */
function textOf({ time, level, message, ...fields }: Readonly<Record<string, unknown>>): string {
  const words = [String(time), String(level).padEnd(5), escaped(String(message))];
  const stacks: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (!hasStack(value)) {
      words.push(`${quoted(name)}=${quoted(value)}`);
      continue;
    }
    const { stack, ...rest } = value;
    words.push(`${quoted(name)}=${quoted(rest)}`);
    stacks.push(...stack.split('\n').map((line) => `    ${escaped(line)}`));
  }
  return [words.join(' '), ...stacks].join('\n');
}

function hasStack(value: unknown): value is { stack: string } {
  return typeof value === 'object' && value !== null && 'stack' in value && typeof value.stack === 'string';
}

function quoted(value: unknown): string {
  const text =
    typeof value === 'string' && plain.test(value) ? value : (JSON.stringify(value) ?? 'undefined');
  return escaped(text);
}

function escaped(text: string): string {
  return text.replace(controls, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logFormats = ['text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

export type LogFields = Readonly<Record<string, unknown>>;
export type Logger = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>;

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Default `json`. */
  readonly format?: LogFormat;
  /** Custom names of credentials. */
  readonly names?: readonly string[];
  readonly write?: (line: string) => void;
  /** Receives each line that is a warning or an error, too. */
  readonly onProblem?: (line: string) => void;
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
 * One JSON object per line: `time`, `level`, `message`, those of the request that is handled, then the fields; or the same
 * as text. Values that resemble a credential are removed, by the same rules as everywhere else, and without markers: a log
 * has no use for them.
 */
export function createLogger(options: LoggerOptions): Logger {
  const {
    level,
    format = 'json',
    names = [],
    write = writeLine,
    onProblem,
    now = () => new Date(),
  } = options;
  const threshold = logLevels.indexOf(level);
  const credentials = names.length === 0 ? commonNames : new CredentialNames(names);
  function at(lineLevel: LogLevel) {
    if (logLevels.indexOf(lineLevel) < threshold) return () => undefined;
    return (message: string, fields: LogFields = {}) => {
      const entry = {
        time: now().toISOString(),
        level: lineLevel,
        message: redactText(message, credentials),
      };
      const own = redactFields({ ...requestFields(), ...fields }, credentials, 0);
      const line = format === 'json' ? JSON.stringify({ ...entry, ...own }) : textOf({ ...entry, ...own });
      write(line);
      if (lineLevel === 'warn' || lineLevel === 'error') onProblem?.(line);
    };
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Adds the fields to every line; those of the line itself count where both have one. */
export function withFields(log: Logger, fields: LogFields): Logger {
  function at(level: LogLevel) {
    return (message: string, own?: LogFields) => log[level](message, { ...fields, ...own });
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** For people where they read it, for programs elsewhere. */
export function defaultFormat(): LogFormat {
  return process.stderr.isTTY ? 'text' : 'json';
}

function writeLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

const DEPTH_MAX = 5;
const REDACTED = '[redacted]';
const secretName = /authorization|cookie|token|passw|secret|credential|private.?key|client.?key|api.?key/i;

function redactFields(fields: LogFields, names: CredentialNames, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isSecret(name, value, names) ? REDACTED : redactValue(value, names, depth),
    ]),
  );
}

function redactValue(value: unknown, names: CredentialNames, depth: number): unknown {
  if (typeof value === 'string') return redactText(value, names);
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function')
    return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH_MAX) return '[deep]';
  if (value instanceof Error) return redactError(value, names, depth + 1);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((entry) => redactValue(entry, names, depth + 1));
  return redactFields(Object.fromEntries(Object.entries(value)), names, depth + 1);
}

function redactError(error: Error, names: CredentialNames, depth: number): Record<string, unknown> {
  const said = error instanceof AppError ? error.sentence : error.message;
  const redact = (text: string) => redactText(text, names);
  const message = typeof said === 'string' ? redact(said) : formatSentence(said, redact);
  const own = { name: error.name, message };
  const cause = error.cause === undefined ? {} : { cause: redactValue(error.cause, names, depth) };
  // The stack of an AppError adds nothing to its code.
  if (error instanceof AppError)
    return { ...own, code: error.code, details: redactFields(error.details, names, depth), ...cause };
  return { ...own, stack: error.stack === undefined ? undefined : redactText(error.stack, names), ...cause };
}

function isSecret(name: string, value: unknown, names: CredentialNames): boolean {
  return secretName.test(name) || (typeof value === 'string' && names.isCredential(name, value));
}

function redactText(text: string, names: CredentialNames): string {
  return hideInText(text, names, () => REDACTED);
}
