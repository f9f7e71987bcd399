import 'server-only';
import { type ArchivedRevision } from '@/lib/records/record';
import { parseDocument, chunksOf, toColumn, toMs } from '@/server/archive/column-values';
import { revisionSchema } from '@/server/archive/document-schemas';
import { type ArchiveDb } from '@/server/archive/migrations/schema';

export async function saveRevisions(db: ArchiveDb, revisions: readonly ArchivedRevision[]): Promise<void> {
  // One statement may touch a row only once.
  const byKey = new Map(revisions.map((revision) => [`${revision.workloadUid} ${revision.id}`, revision]));
  for (const chunk of chunksOf([...byKey.values()].map(rowOfRevision))) {
    await db
      .insertInto('revision')
      .values(chunk)
      .onConflict((conflict) =>
        conflict.columns(['workload_uid', 'id']).doUpdateSet((of) => ({
          hash: of.ref('excluded.hash'),
          first_seen_ms: of.ref('excluded.first_seen_ms'),
          pruned_ms: of.ref('excluded.pruned_ms'),
          document: of.ref('excluded.document'),
        })),
      )
      .execute();
  }
}

export function rowOfRevision(revision: ArchivedRevision) {
  return {
    workload_uid: toColumn(revision.workloadUid),
    id: toColumn(revision.id),
    hash: toColumn(revision.hash),
    first_seen_ms: toMs(revision.firstSeenAt) ?? 0,
    pruned_ms: toMs(revision.prunedAt),
    document: JSON.stringify(revision),
  };
}

/** Those of one incarnation, first observed first. */
export async function revisionsOf(db: ArchiveDb, workloadUid: string): Promise<ArchivedRevision[]> {
  const rows = await db
    .selectFrom('revision')
    .select('document')
    .where('workload_uid', '=', toColumn(workloadUid))
    .orderBy('first_seen_ms')
    .orderBy('id')
    .execute();
  return rows.map(({ document }) => parseDocument(revisionSchema, document));
}
