import 'server-only';
import { z } from 'zod';
import { AppError } from '@/lib/errors';
import {
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  memberOf,
  parseJson,
} from '@/lib/kube/json';
import {
  type ArchivedActivation,
  type ArchivedRevision,
  type RolloutRecord,
  type WorkloadLife,
} from '@/lib/ledger/record';
import { type Comment, type Review } from '@/lib/ledger/review';
import { type ArchivedAction } from '@/server/archive/archive';
import {
  activationSchema,
  archivedActionSchema,
  commentSchema,
  lifeSchema,
  recordSchema,
  reviewSchema,
  revisionSchema,
} from '@/server/archive/documents';

/** The form of the file; an older Shiplog refuses a newer one. */
export const FORMAT = 2;

/** One line of an export. What a line names stands before it, so that a file can be read as it comes. */
export type Line =
  | { type: 'archive'; format: number; masked: boolean }
  | { type: 'life'; value: WorkloadLife }
  | { type: 'body'; hash: string; masked: boolean; body: JsonObject }
  | { type: 'revision'; value: ArchivedRevision }
  | { type: 'activation'; value: ArchivedActivation }
  | { type: 'record'; value: RolloutRecord }
  | { type: 'review'; recordId: string; value: Review }
  | { type: 'comment'; value: Comment }
  | { type: 'action'; value: ArchivedAction }
  | { type: 'end'; lines: number };

/** JSON with its members in order, so that equal archives give equal files. */
export function writeLine(line: Line): string {
  return `${canonicalJson(line as unknown as Json)}\n`;
}

const lineSchema: z.ZodType<Exclude<Line, { type: 'body' }>> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('archive'), format: z.number(), masked: z.boolean() }),
  z.object({ type: z.literal('life'), value: lifeSchema }),
  z.object({ type: z.literal('revision'), value: revisionSchema }),
  z.object({ type: z.literal('activation'), value: activationSchema }),
  z.object({ type: z.literal('record'), value: recordSchema }),
  z.object({ type: z.literal('review'), recordId: z.string(), value: reviewSchema }),
  z.object({ type: z.literal('comment'), value: commentSchema }),
  z.object({ type: z.literal('action'), value: archivedActionSchema }),
  z.object({ type: z.literal('end'), lines: z.number() }),
]);

/** Throws AppError `bad_request` that names the line, counted from 1. */
export function readLine(text: string, number: number): Line {
  let json: Json;
  try {
    json = parseJson(text);
  } catch {
    throw badLine(number, 'it is no JSON');
  }
  if (memberOf(json, 'type') === 'body') return readBodyLine(json, number);
  const line = lineSchema.safeParse(json);
  if (line.success) return line.data;
  throw badLine(number, z.prettifyError(line.error).replaceAll(/\s+/g, ' '));
}

/** Apart from the rest, whose numbers are ours: those of a template are kept as they were written. */
function readBodyLine(json: Json, number: number): Line {
  const [hash, masked, body] = ['hash', 'masked', 'body'].map((key) => memberOf(json, key));
  if (typeof hash !== 'string' || typeof masked !== 'boolean' || !isJsonObject(body))
    throw badLine(number, 'it is no template');
  return { type: 'body', hash, masked, body };
}

export function badLine(number: number, why: string): AppError {
  return new AppError(
    'bad_request',
    `Line ${number} of the file can't be imported: ${why}. Nothing has been imported.`,
    { line: number },
  );
}
