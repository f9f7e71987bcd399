import 'server-only';
import { type ArchivedActivation } from '@/lib/records/record';
import { parseDocument, chunksOf, toColumn } from '@/server/archive/column-values';
import { activationSchema } from '@/server/archive/document-schemas';
import { type ArchiveDb } from '@/server/archive/migrations/schema';

export async function saveActivations(
  db: ArchiveDb,
  activations: readonly ArchivedActivation[],
): Promise<void> {
  // One statement may touch a row only once.
  const byKey = new Map(activations.map((each) => [`${each.workloadUid} ${each.index}`, each]));
  for (const chunk of chunksOf([...byKey.values()].map(rowOfActivation))) {
    await db
      .insertInto('activation')
      .values(chunk)
      .onConflict((conflict) =>
        conflict
          .columns(['workload_uid', 'number'])
          .doUpdateSet((of) => ({ document: of.ref('excluded.document') })),
      )
      .execute();
  }
}

export function rowOfActivation(activation: ArchivedActivation) {
  return {
    workload_uid: toColumn(activation.workloadUid),
    number: activation.index,
    document: JSON.stringify(activation),
  };
}

/** Those of one incarnation, in order. */
export async function activationsOf(db: ArchiveDb, workloadUid: string): Promise<ArchivedActivation[]> {
  const rows = await db
    .selectFrom('activation')
    .select('document')
    .where('workload_uid', '=', toColumn(workloadUid))
    .orderBy('number')
    .execute();
  return rows.map(({ document }) => parseDocument(activationSchema, document));
}
