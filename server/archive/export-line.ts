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
  type WorkloadIncarnation,
  activationSchema,
  incarnationSchema,
  archivedRevisionSchema,
} from '@/lib/api/incarnation';
import { type ArchivedCluster, archivedClusterSchema } from '@/lib/api/archived-cluster';
import type { Answer } from '@/lib/api/common';
import type { RolloutRecord, rolloutRecordSchema } from '@/lib/api/record';
import type { Masked } from '@/lib/masked';
import { type ReviewComment, type Review, commentSchema, reviewSchema } from '@/lib/api/review';
import type { ArchivedAction, archivedActionSchema } from '@/lib/api/action';
import { actionDocumentSchema, exportedRecordSchema } from '@/server/archive/document-schemas';
import { DOCUMENT_VERSION, newerVersionOf } from '@/server/archive/upgrades';

/** The format of the file; an older Shiplog rejects a newer one. */
export const EXPORT_FORMAT = 4;

/** One line of an export. What a line refers to precedes it, so that an import can read the file as a stream. */
export type ExportLine =
  | { type: 'archive'; format: number; masked: boolean }
  | { type: 'cluster'; value: ArchivedCluster }
  | { type: 'incarnation'; value: WorkloadIncarnation }
  | { type: 'body'; hash: string; masked: boolean; body: JsonObject }
  | { type: 'revision'; cluster: string; value: ArchivedRevision }
  | { type: 'activation'; cluster: string; value: ArchivedActivation }
  | { type: 'record'; value: RolloutRecord }
  | { type: 'review'; recordId: string; value: Review }
  | { type: 'comment'; value: ReviewComment }
  | { type: 'action'; value: ArchivedAction }
  | { type: 'end'; lines: number };

/** A line of an export without credentials. */
export type MaskedLine =
  | Exclude<ExportLine, { body: unknown } | { value: unknown }>
  | (ExportLine & { type: 'activation' | 'cluster' })
  | { type: 'incarnation'; value: Answer<typeof incarnationSchema> }
  | { type: 'body'; hash: string; masked: boolean; body: Masked<JsonObject> }
  | { type: 'revision'; cluster: string; value: Answer<typeof archivedRevisionSchema> }
  | { type: 'record'; value: Answer<typeof rolloutRecordSchema> }
  | { type: 'review'; recordId: string; value: Answer<typeof reviewSchema> }
  | { type: 'comment'; value: Answer<typeof commentSchema> }
  | { type: 'action'; value: Answer<typeof archivedActionSchema> };

/** JSON with its members in order, so that equal archives give equal files. */
export function formatLine(line: ExportLine): string {
  const versioned = 'value' in line ? { ...line, value: { v: DOCUMENT_VERSION, ...line.value } } : line;
  return `${canonicalJson(versioned as unknown as Json)}\n`;
}

/** Absent in files of formats 1 and 2, where the line of the incarnation before it tells. */
const clusterSchema = z.string().default('');

/** Files of formats 1 to 3 call an incarnation a life. */
const incarnationTypeSchema = z.literal(['incarnation', 'life']).transform(() => 'incarnation' as const);

const lineSchema: z.ZodType<Exclude<ExportLine, { type: 'body' }>> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('archive'), format: z.number(), masked: z.boolean() }),
  z.object({ type: z.literal('cluster'), value: archivedClusterSchema }),
  z.object({ type: incarnationTypeSchema, value: incarnationSchema }),
  z.object({ type: z.literal('revision'), cluster: clusterSchema, value: archivedRevisionSchema }),
  z.object({ type: z.literal('activation'), cluster: clusterSchema, value: activationSchema }),
  z.object({ type: z.literal('record'), value: exportedRecordSchema }),
  z.object({ type: z.literal('review'), recordId: z.string(), value: reviewSchema }),
  z.object({ type: z.literal('comment'), value: commentSchema }),
  z.object({ type: z.literal('action'), value: actionDocumentSchema }),
  z.object({ type: z.literal('end'), lines: z.number() }),
]);

/** Throws AppError `bad_request` that names the line, counted from 1. */
export function parseLine(text: string, number: number): ExportLine {
  let json: Json;
  try {
    json = parseJson(text);
  } catch {
    throw badLine(number, 'it is no JSON');
  }
  if (memberOf(json, 'type') === 'body') return readBodyLine(json, number);
  const version = newerVersionOf(memberOf(json, 'value'));
  if (version !== undefined) throw badLine(number, newerShiplog(`version ${version}`));
  const line = lineSchema.safeParse(json);
  if (line.success) return line.data;
  throw badLine(number, z.prettifyError(line.error).replaceAll(/\s+/g, ' '));
}

/** Apart from the rest, whose numbers are Shiplog's: those of a template keep their notation. */
function readBodyLine(json: Json, number: number): ExportLine {
  const [hash, masked, body] = ['hash', 'masked', 'body'].map((key) => memberOf(json, key));
  if (typeof hash !== 'string' || typeof masked !== 'boolean' || !isJsonObject(body))
    throw badLine(number, 'it is no template');
  return { type: 'body', hash, masked, body };
}

/** Why a line that is not known yet can't be imported. */
export function newerShiplog(what: string): string {
  return `a newer Shiplog wrote it (${what}); upgrade this one first`;
}

export function badLine(number: number, why: string): AppError {
  return new AppError(
    'bad_request',
    `Line ${number} of the file can't be imported: ${why}. Nothing has been imported.`,
    { line: number },
  );
}
