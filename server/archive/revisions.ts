import 'server-only';
import { createHash } from 'node:crypto';
import { AppError } from '@/lib/errors';
import { canonicalJson, isJsonObject, type JsonObject, parseJson } from '@/lib/kube/json';
import { type ArchivedRevision, archivedRevisionSchema } from '@/lib/api/incarnation';
import {
  chunksOf,
  compress,
  decompress,
  formatDocument,
  parseDocument,
  toColumn,
  toMs,
} from '@/server/archive/column-values';
import type { ArchiveDb } from '@/server/archive/migrations/schema';
import type { ArchiveSession } from '@/server/archive/session';
import type { IncarnationKey } from '@/server/archive/workloads';

/** Revisions, and the bodies of pod templates by their hash. */
export class RevisionRepository {
  readonly #session: ArchiveSession;

  constructor(session: ArchiveSession) {
    this.#session = session;
  }

  /** Those of one incarnation, first observed first. */
  async of({ cluster, uid }: IncarnationKey): Promise<ArchivedRevision[]> {
    const rows = await this.#session.run((db) =>
      db
        .selectFrom('revision')
        .select('document')
        .where('cluster', '=', toColumn(cluster))
        .where('workload_uid', '=', toColumn(uid))
        .orderBy('first_seen_ms')
        .orderBy('id')
        .execute(),
    );
    return rows.map(({ document }) => parseDocument(archivedRevisionSchema, document));
  }

  /** Null where it was never archived, or has expired. One from a masked import has markers in it: never write it. */
  async body(hash: string): Promise<JsonObject | null> {
    return (await this.bodies([hash])).get(hash) ?? null;
  }

  /** Those of these hashes that are archived, by their hash. */
  bodies(hashes: readonly string[]): Promise<ReadonlyMap<string, JsonObject>> {
    return this.#session.run(async (db) => {
      const bodies = new Map<string, JsonObject>();
      for (const chunk of chunksOf([...new Set(hashes)])) {
        const rows = await db
          .selectFrom('body')
          .select(['hash', 'bytes'])
          .where('hash', 'in', chunk)
          .execute();
        for (const { hash, bytes } of rows) bodies.set(hash, bodyOf(hash, bytes));
      }
      return bodies;
    });
  }

  /** Those of these hashes whose bodies are archived as the cluster had them, neither expired nor masked. */
  unmaskedBodies(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#session.run(async (db) => {
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
    });
  }
}

/** Those of an incarnation of this cluster. */
export async function saveRevisions(
  db: ArchiveDb,
  cluster: string,
  revisions: readonly ArchivedRevision[],
): Promise<void> {
  // One statement may touch a row only once.
  const byKey = new Map(revisions.map((revision) => [`${revision.workloadUid} ${revision.id}`, revision]));
  for (const chunk of chunksOf([...byKey.values()].map((each) => rowOfRevision(cluster, each)))) {
    await db
      .insertInto('revision')
      .values(chunk)
      .onConflict((conflict) =>
        conflict.columns(['cluster', 'workload_uid', 'id']).doUpdateSet((of) => ({
          hash: of.ref('excluded.hash'),
          first_seen_ms: of.ref('excluded.first_seen_ms'),
          pruned_ms: of.ref('excluded.pruned_ms'),
          document: of.ref('excluded.document'),
        })),
      )
      .execute();
  }
}

export function rowOfRevision(cluster: string, revision: ArchivedRevision) {
  return {
    cluster: toColumn(cluster),
    workload_uid: toColumn(revision.workloadUid),
    id: toColumn(revision.id),
    hash: toColumn(revision.hash),
    first_seen_ms: toMs(revision.firstSeenAt) ?? 0,
    pruned_ms: toMs(revision.prunedAt),
    document: formatDocument(revision),
  };
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

export function bodyOf(hash: string, bytes: Uint8Array): JsonObject {
  const body = parseJson(decompress(bytes));
  if (!isJsonObject(body)) throw hashMismatch(hash);
  return body;
}

/** SHA-256, in hex, of the canonical JSON: the key of a body. */
export function hashOfText(canonicalText: string): string {
  return createHash('sha256').update(canonicalText).digest('hex');
}

function hashMismatch(hash: string): AppError {
  return new AppError('internal', `The template ${hash.slice(0, 12)} does not match its hash.`, { hash });
}
