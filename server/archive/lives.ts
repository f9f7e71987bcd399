import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { type WorkloadLife } from '@/lib/ledger/record';
import { type Place } from '@/server/archive/archive';
import { parseDocument, toColumn, toMs } from '@/server/archive/codec';
import { lifeSchema } from '@/server/archive/documents';
import { type ArchiveDb } from '@/server/archive/schema';
import { type Slice } from '@/server/archive/slice';

export async function saveLife(db: ArchiveDb, life: WorkloadLife): Promise<void> {
  await db
    .insertInto('life')
    .values(rowOfLife(life))
    .onConflict((conflict) =>
      conflict.column('uid').doUpdateSet((of) => ({
        created_ms: of.ref('excluded.created_ms'),
        deleted_ms: of.ref('excluded.deleted_ms'),
        document: of.ref('excluded.document'),
      })),
    )
    .execute();
}

export function rowOfLife(life: WorkloadLife) {
  return {
    uid: toColumn(life.uid),
    cluster: toColumn(life.cluster),
    resource: toColumn(life.resource),
    namespace: toColumn(life.namespace),
    name: toColumn(life.name),
    created_ms: toMs(life.createdAt) ?? 0,
    deleted_ms: toMs(life.deletedAt),
    document: JSON.stringify(life),
  };
}

/** All lives of a name, oldest first. */
export async function livesOf(
  db: ArchiveDb,
  cluster: string,
  resource: string,
  namespace: string,
  name: string,
): Promise<WorkloadLife[]> {
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
  return rows.map(({ document }) => parseDocument(lifeSchema, document));
}

/** Read and parsed in one turn of the event loop: some milliseconds. */
export const LIVES_IN_A_SLICE = 500;

/** The lives of a cluster in order of uid, all or those that are not over. There may be very many. */
export async function* lifeSlices(
  read: Slice,
  cluster: string,
  { isOpen }: { isOpen: boolean },
): AsyncGenerator<WorkloadLife[]> {
  for (let after = ''; ;) {
    const slice = await read(({ db }) => lifeSlice(db, cluster, isOpen, after));
    yield slice;
    const last = slice.at(-1);
    if (last === undefined || slice.length < LIVES_IN_A_SLICE) return;
    after = last.uid;
    await setImmediate();
  }
}

async function lifeSlice(
  db: ArchiveDb,
  cluster: string,
  isOpen: boolean,
  after: string,
): Promise<WorkloadLife[]> {
  const lives = db.selectFrom('life').select('document').where('cluster', '=', toColumn(cluster));
  const rows = await (isOpen ? lives.where('deleted_ms', 'is', null) : lives)
    .where('uid', '>', toColumn(after))
    .orderBy('uid')
    .limit(LIVES_IN_A_SLICE)
    .execute();
  return rows.map(({ document }) => parseDocument(lifeSchema, document));
}

/** Every resource with the namespaces of its lives, in order. */
export async function placesOf(db: ArchiveDb, cluster: string): Promise<Place[]> {
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
