import 'server-only';
import { z } from 'zod';
import { AppError } from '@/lib/errors';
import { isNestedDeeper, type Json, parseJson } from '@/lib/kube/json';
import { ownWords, sentence } from '@/lib/sentence';

const BODY_BYTES_MAX = 65_536;

/** No request has more than a few levels; code that walks a body may recurse. */
const BODY_DEPTH_MAX = 32;

/** Parses a value of a caller; throws `bad_request` that names the first invalid field. */
export function parseInput<S extends z.core.$ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  throw badRequest(parsed.error);
}

/** "to: must be a string or a number", with all invalid fields in the details. */
export function badRequest(error: z.ZodError): AppError {
  const fields = error.issues.flatMap(faultsOf);
  const [first] = fields;
  const message =
    first === undefined ? 'The request is malformed.' : sentence`${first.field}: ${ownWords(first.message)}`;
  return new AppError('bad_request', message, { fields });
}

/** The JSON body, read no further than its limit. */
export async function readJsonBody(request: Request): Promise<Json> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new AppError(
      'unsupported_media_type',
      'The body must be JSON. Send it with Content-Type: application/json.',
      { contentType: type?.slice(0, 100) ?? null },
    );
  }
  const text = await readBounded(request);
  if (isNestedDeeper(text, BODY_DEPTH_MAX)) {
    throw new AppError(
      'bad_request',
      `body: is nested deeper than ${BODY_DEPTH_MAX} levels. Nothing was changed; reduce the nesting.`,
      { fields: [{ field: 'body', message: `is nested deeper than ${BODY_DEPTH_MAX} levels.` }] },
    );
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw new AppError('bad_request', 'body: must be valid JSON.', { fields: [] }, error);
  }
}

/** The body as text, read no further than its limit. */
export async function readBounded(request: Request): Promise<string> {
  if (Number(request.headers.get('content-length')) > BODY_BYTES_MAX) throw tooLarge();
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  const reader = request.body?.getReader();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    bytes += part.value.byteLength;
    if (bytes > BODY_BYTES_MAX) {
      await reader?.cancel();
      throw tooLarge();
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

function tooLarge(): AppError {
  return new AppError('too_large', `The body is longer than ${BODY_BYTES_MAX} bytes. Nothing was changed.`, {
    maxBytes: BODY_BYTES_MAX,
  });
}

interface Fault {
  field: string;
  message: string;
}

function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  const field = issue.path.join('.') || 'body';
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: [...issue.path, key].join('.').slice(0, 100),
      message: 'is not a field of this request.',
    }));
  }
  return [{ field: field.slice(0, 100), message: sentenceOf(issue) }];
}

function sentenceOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined && issue.message.includes('undefined')
        ? `is missing; it must be ${withArticle(issue.expected)}.`
        : `must be ${withArticle(issue.expected)}.`;
    case 'too_small':
      return issue.origin === 'string'
        ? `must have at least ${count(issue.minimum, 'character')}.`
        : `must be at least ${issue.minimum}.`;
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${count(issue.maximum, 'character')}.`
        : `must be at most ${issue.maximum}.`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}.`;
    case 'invalid_union':
      return unionSentence(issue);
    default:
      return `${issue.message}.`;
  }
}

function unionSentence(issue: z.core.$ZodIssueInvalidUnion): string {
  const sentences = issue.errors.flatMap((branch) => branch.slice(0, 1).map(sentenceOf));
  const parts = [...new Set(sentences)].map((sentence) => sentence.replace(/^is missing; it |\.$/g, ''));
  const [first = 'matches none of the known forms', ...others] = parts;
  return `${[first, ...others.map((part) => part.replace(/^must be /, ''))].join(', or ')}.`;
}

function withArticle(type: string): string {
  if (type === 'int') return 'an integer';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function count(amount: number | bigint, noun: string): string {
  return `${amount} ${noun}${Number(amount) === 1 ? '' : 's'}`;
}
