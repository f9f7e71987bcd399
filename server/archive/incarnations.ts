import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { type WorkloadIncarnation } from '@/lib/records/record';
import { type RecordedNamespace } from '@/server/archive/archive';
import { parseDocument, toColumn, toMs } from '@/server/archive/column-values';
import { incarnationSchema } from '@/server/archive/document-schemas';
import { type ArchiveDb } from '@/server/archive/migrations/schema';
import { type RunSlice } from '@/server/archive/slice';

export async function saveIncarnation(db: ArchiveDb, incarnation: WorkloadIncarnation): Promise<void> {
  await db
    .insertInto('life')
    .values(rowOfIncarnation(incarnation))
    .onConflict((conflict) =>
      conflict.column('uid').doUpdateSet((of) => ({
        created_ms: of.ref('excluded.created_ms'),
        deleted_ms: of.ref('excluded.deleted_ms'),
        document: of.ref('excluded.document'),
      })),
    )
    .execute();
}

export function rowOfIncarnation(incarnation: WorkloadIncarnation) {
  return {
    uid: toColumn(incarnation.uid),
    cluster: toColumn(incarnation.cluster),
    resource: toColumn(incarnation.resource),
    namespace: toColumn(incarnation.namespace),
    name: toColumn(incarnation.name),
    created_ms: toMs(incarnation.createdAt) ?? 0,
    deleted_ms: toMs(incarnation.deletedAt),
    document: JSON.stringify(incarnation),
  };
}

/** All incarnations of a name, oldest first. */
export async function incarnationsOf(
  db: ArchiveDb,
  cluster: string,
  resource: string,
  namespace: string,
  name: string,
): Promise<WorkloadIncarnation[]> {
  const rows = await db
    .selectFrom('life')
    .select('document')
    .where('resource', '=', toColumn(resource))
    .where('namespace', '=', toColumn(namespace))
    .where('name', '=', toColumn(name))
    .where('cluster', '=', toColumn(cluster))
    .orderBy('created_ms')
    .orderBy('uid')
    .execute();
  return rows.map(({ document }) => parseDocument(incarnationSchema, document));
}

/** Read and parsed in one turn of the event loop: some milliseconds. */
export const INCARNATIONS_PER_SLICE = 500;

/** The incarnations of a cluster in order of uid, all or those that are not deleted. There may be very many. */
export async function* incarnationSlices(
  read: RunSlice,
  cluster: string,
  { isOpen }: { isOpen: boolean },
): AsyncGenerator<WorkloadIncarnation[]> {
  for (let after = ''; ;) {
    const slice = await read(({ db }) => incarnationSlice(db, cluster, isOpen, after));
    yield slice;
    const last = slice.at(-1);
    if (last === undefined || slice.length < INCARNATIONS_PER_SLICE) return;
    after = last.uid;
    await setImmediate();
  }
}

async function incarnationSlice(
  db: ArchiveDb,
  cluster: string,
  isOpen: boolean,
  after: string,
): Promise<WorkloadIncarnation[]> {
  const lives = db.selectFrom('life').select('document').where('cluster', '=', toColumn(cluster));
  const rows = await (isOpen ? lives.where('deleted_ms', 'is', null) : lives)
    .where('uid', '>', toColumn(after))
    .orderBy('uid')
    .limit(INCARNATIONS_PER_SLICE)
    .execute();
  return rows.map(({ document }) => parseDocument(incarnationSchema, document));
}

/** Every resource with the namespaces of its incarnations, in order. */
export async function recordedNamespaces(db: ArchiveDb, cluster: string): Promise<RecordedNamespace[]> {
  const rows = await db
    .selectFrom('life')
    .select(({ fn }) => [
      'resource',
      'namespace',
      fn.countAll<number>().as('lives'),
      fn.count<number>('deleted_ms').as('deleted'),
      fn.max('deleted_ms').as('deletedMs'),
    ])
    .where('cluster', '=', toColumn(cluster))
    .groupBy(['resource', 'namespace'])
    .orderBy('resource')
    .orderBy('namespace')
    .execute();
  return rows.map(({ resource, namespace, lives, deleted, deletedMs }) => ({
    resource,
    namespace,
    deletedMs: Number(lives) > Number(deleted) ? null : Number(deletedMs),
  }));
}
