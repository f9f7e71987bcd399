import 'server-only';
import { createHash } from 'node:crypto';
import { AppError } from '@/lib/errors';
import { canonicalJson, isJsonObject, type JsonObject, parseJson } from '@/lib/kube/json';
import { pack, partsOf, unpack } from '@/server/archive/codec';
import { type ArchiveDb } from '@/server/archive/schema';

/** SHA-256, in hex, of the canonical JSON: what a body is kept under. */
export function hashOfText(canonicalText: string): string {
  return createHash('sha256').update(canonicalText).digest('hex');
}

/**
 * Keeps bodies under their hashes, each once. Throws AppError `internal` where a body is not what its hash says:
 * someone could be rolled back to it.
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
  const seen = new Set(known.map(({ hash }) => hash));
  const rows: { hash: string; bytes: Uint8Array; masked: number }[] = [];
  for (const { hash, body } of bodies) {
    if (seen.has(hash)) continue;
    seen.add(hash);
    const text = canonicalJson(body);
    if (hashOfText(text) !== hash) throw notItsHash(hash);
    rows.push({ hash, bytes: pack(text), masked: 0 });
  }
  for (const part of partsOf(rows)) {
    await db
      .insertInto('body')
      .values(part)
      // One that was imported with its credentials masked becomes whole again.
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

/** Those of these that have not expired, by their hash. */
export async function readBodies(db: ArchiveDb, hashes: readonly string[]): Promise<Map<string, JsonObject>> {
  const bodies = new Map<string, JsonObject>();
  for (const part of partsOf([...new Set(hashes)])) {
    const rows = await db.selectFrom('body').select(['hash', 'bytes']).where('hash', 'in', part).execute();
    for (const { hash, bytes } of rows) bodies.set(hash, bodyOf(hash, bytes));
  }
  return bodies;
}

export function bodyOf(hash: string, bytes: Uint8Array): JsonObject {
  const body = parseJson(unpack(bytes));
  if (!isJsonObject(body)) throw notItsHash(hash);
  return body;
}

/** Of these hashes the ones that are kept, and not masked. */
export async function wholeBodies(db: ArchiveDb, hashes: readonly string[]): Promise<Set<string>> {
  const whole = new Set<string>();
  for (const part of partsOf([...new Set(hashes)])) {
    const rows = await db
      .selectFrom('body')
      .select('hash')
      .where('hash', 'in', part)
      .where('masked', '=', 0)
      .execute();
    for (const { hash } of rows) whole.add(hash);
  }
  return whole;
}

function notItsHash(hash: string): AppError {
  return new AppError('internal', `The template ${hash.slice(0, 12)} is not what its hash says.`, { hash });
}
