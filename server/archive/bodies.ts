import 'server-only';
import { createHash } from 'node:crypto';
import { AppError } from '@/lib/errors';
import { canonicalJson, isJsonObject, type JsonObject, parseJson } from '@/lib/kube/json';
import { compress, chunksOf, decompress } from '@/server/archive/column-values';
import { type ArchiveDb } from '@/server/archive/migrations/schema';

/** SHA-256, in hex, of the canonical JSON: the key of a body. */
export function hashOfText(canonicalText: string): string {
  return createHash('sha256').update(canonicalText).digest('hex');
}

/**
 * Stores bodies under their hashes, each once. Throws AppError `internal` where a body does not match its hash: a
 * rollback could apply it.
 */
export async function saveBodies(
  db: ArchiveDb,
  bodies: readonly { hash: string; body: JsonObject }[],
): Promise<void> {
  if (bodies.length === 0) return;
  const known = await db
    .selectFrom('body')
    .select('hash')
    .where('hash', 'in', [...new Set(bodies.map(({ hash }) => hash))])
    .where('masked', '=', 0)
    .execute();
  const savedHashes = new Set(known.map(({ hash }) => hash));
  const rows: { hash: string; bytes: Uint8Array; masked: number }[] = [];
  for (const { hash, body } of bodies) {
    if (savedHashes.has(hash)) continue;
    savedHashes.add(hash);
    const text = canonicalJson(body);
    if (hashOfText(text) !== hash) throw hashMismatch(hash);
    rows.push({ hash, bytes: compress(text), masked: 0 });
  }
  for (const chunk of chunksOf(rows)) {
    await db
      .insertInto('body')
      .values(chunk)
      // An unmasked body replaces one that was imported with its credentials masked.
      .onConflict((conflict) =>
        conflict
          .column('hash')
          .doUpdateSet((of) => ({ bytes: of.ref('excluded.bytes'), masked: of.ref('excluded.masked') })),
      )
      .execute();
  }
}

/** Null where there is none, or it has expired. */
export async function readBody(db: ArchiveDb, hash: string): Promise<JsonObject | null> {
  return (await readBodies(db, [hash])).get(hash) ?? null;
}

/** Those that have not expired, by their hash. */
export async function readBodies(db: ArchiveDb, hashes: readonly string[]): Promise<Map<string, JsonObject>> {
  const bodies = new Map<string, JsonObject>();
  for (const chunk of chunksOf([...new Set(hashes)])) {
    const rows = await db.selectFrom('body').select(['hash', 'bytes']).where('hash', 'in', chunk).execute();
    for (const { hash, bytes } of rows) bodies.set(hash, bodyOf(hash, bytes));
  }
  return bodies;
}

export function bodyOf(hash: string, bytes: Uint8Array): JsonObject {
  const body = parseJson(decompress(bytes));
  if (!isJsonObject(body)) throw hashMismatch(hash);
  return body;
}

/** Those of these hashes whose bodies are stored unmasked. */
export async function unmaskedBodies(db: ArchiveDb, hashes: readonly string[]): Promise<Set<string>> {
  const unmasked = new Set<string>();
  for (const chunk of chunksOf([...new Set(hashes)])) {
    const rows = await db
      .selectFrom('body')
      .select('hash')
      .where('hash', 'in', chunk)
      .where('masked', '=', 0)
      .execute();
    for (const { hash } of rows) unmasked.add(hash);
  }
  return unmasked;
}

function hashMismatch(hash: string): AppError {
  return new AppError('internal', `The template ${hash.slice(0, 12)} is not what its hash says.`, { hash });
}
