import 'server-only';
import { type ArchivedCluster, archivedClusterSchema } from '@/lib/api/archived-cluster';
import { formatDocument, parseDocument, toColumn, toMs } from '@/server/archive/column-values';
import { type ArchiveDb } from '@/server/archive/migrations/schema';
import { type Session } from '@/server/archive/session';
import { isoTime } from '@/lib/format/time';

type Observed = Pick<ArchivedCluster, 'id' | 'name' | 'aliases'>;

/** More addresses than a cluster has in its life. */
const ALIASES_MAX = 20;

/** The clusters that have data in the archive, present or not. */
export class ClusterRepository {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** In order of id. */
  async list(): Promise<ArchivedCluster[]> {
    const rows = await this.#session.run((db) =>
      db.selectFrom('cluster').select('document').orderBy('id').execute(),
    );
    return rows.map(({ document }) => parseDocument(archivedClusterSchema, document));
  }

  /** Notes that a cluster is observed now, under this name. */
  async saw({ id, name, aliases }: Observed, nowMs: number): Promise<void> {
    await this.#session.transaction(async (transaction) => {
      const known = await readCluster(transaction, id);
      await saveCluster(transaction, {
        id,
        name,
        aliases: [...new Set([...(known?.aliases ?? []), ...aliases])].slice(-ALIASES_MAX),
        firstSeenAt: known?.firstSeenAt ?? isoTime(nowMs),
        lastSeenAt: isoTime(nowMs),
      });
    });
  }
}

async function readCluster(db: ArchiveDb, id: string): Promise<ArchivedCluster | undefined> {
  const row = await db
    .selectFrom('cluster')
    .select('document')
    .where('id', '=', toColumn(id))
    .executeTakeFirst();
  return row && parseDocument(archivedClusterSchema, row.document);
}

async function saveCluster(db: ArchiveDb, cluster: ArchivedCluster): Promise<void> {
  const { id, ...row } = rowOfCluster(cluster);
  await db
    .insertInto('cluster')
    .values({ id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

export function rowOfCluster(cluster: ArchivedCluster) {
  return {
    id: toColumn(cluster.id),
    first_seen_ms: toMs(cluster.firstSeenAt) ?? 0,
    last_seen_ms: toMs(cluster.lastSeenAt) ?? 0,
    document: formatDocument(cluster),
  };
}
