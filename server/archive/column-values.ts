import 'server-only';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { AppError } from '@/lib/errors';
import { DOCUMENT_VERSION, newerVersionOf } from '@/server/archive/upgrades';

/** Milliseconds since the epoch, or null for no time. */
export function toMs(instant: string | null): number | null {
  const ms = instant === null ? NaN : Date.parse(instant);
  return Number.isNaN(ms) ? null : ms;
}

/** The same on both engines: PostgreSQL takes neither NUL nor half a surrogate pair. */
export function toColumn(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

export function compress(text: string): Uint8Array {
  return deflateRawSync(text);
}

/**
 * Holds most documents in one chunk. Chunks lie outside of the heap: with Node's own 16 KB for each document, every
 * fiftieth page waited for a full garbage collection.
 */
const CHUNK_BYTES = 4_000;

export function decompress(bytes: Uint8Array): string {
  return inflateRawSync(bytes, { chunkSize: CHUNK_BYTES }).toString('utf8');
}

export function formatDocument(document: object): string {
  return JSON.stringify({ v: DOCUMENT_VERSION, ...document });
}

/**
 * A row's document. Throws AppError `archive_unavailable` where a newer Shiplog has written it, since what this one does
 * not know of it would be lost, and a zod error where another program has.
 */
export function parseDocument<Document>(schema: z.core.$ZodType<Document>, text: string): Document {
  const document: unknown = JSON.parse(text);
  const found = newerVersionOf(document);
  if (found === undefined) return z.parse(schema, document);
  throw new AppError(
    'archive_unavailable',
    `This part of the archive was written by a newer Shiplog: its document has the version ${found}, and this one knows up to ${DOCUMENT_VERSION}. Upgrade this Shiplog.`,
    { reason: 'newer', retry: false, found, known: DOCUMENT_VERSION },
  );
}

/** Few enough rows for the parameters of one statement. */
const CHUNK_ROWS = 200;

export function chunksOf<Row>(rows: readonly Row[]): Row[][] {
  const chunks: Row[][] = [];
  for (let start = 0; start < rows.length; start += CHUNK_ROWS)
    chunks.push(rows.slice(start, start + CHUNK_ROWS));
  return chunks;
}
