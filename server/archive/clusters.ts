import 'server-only';
import type { z } from 'zod';
import {
  type ArchivedCluster,
  archivedClusterSchema,
  type BoundEntry,
  boundEntrySchema,
} from '@/lib/api/archived-cluster';
import type { Immutable } from '@/lib/immutable';
import { formatDocument, parseDocument, toColumn, toMs } from '@/server/archive/column-values';
import type { ArchiveTransaction } from '@/server/archive/migrations/schema';
import type { ArchiveSession } from '@/server/archive/session';
import { isoTime } from '@/lib/format/time';

/**
 * The row of a cluster. Exports leave the entry out: it belongs to the configuration of one Shiplog. Documents of earlier
 * versions, and of clusters that were never in a list, lack it.
 */
export const clusterRowSchema = archivedClusterSchema.extend({
  entry: boundEntrySchema.nullable().default(null),
});
export type ClusterRow = Immutable<z.infer<typeof clusterRowSchema>>;

type Observed = Pick<ArchivedCluster, 'id' | 'name' | 'aliases'>;

/** More addresses than a cluster has in its life. */
const ALIASES_MAX = 20;

/** The clusters that have data in the archive, present or not. */
export class ClusterRepository {
  readonly #session: ArchiveSession;

  constructor(session: ArchiveSession) {
    this.#session = session;
  }

  /** In order of id. */
  async list(): Promise<ClusterRow[]> {
    const rows = await this.#session.run((db) =>
      db.selectFrom('cluster').select('document').orderBy('id').execute(),
    );
    return rows.map(({ document }) => parseDocument(clusterRowSchema, document));
  }

  /** Notes that a cluster is observed now, under this name. */
  async saw({ id, name, aliases }: Observed, nowMs: number): Promise<void> {
    await this.#session.transaction(async (transaction) => {
      const known = await lockCluster(transaction, id, nowMs);
      await saveCluster(transaction, {
        ...known,
        name,
        aliases: [...new Set([...known.aliases, ...aliases])].slice(-ALIASES_MAX),
        lastSeenAt: isoTime(nowMs),
      });
    });
  }

  /**
   * Binds an id to an entry, if it is bound to `holder`, or to none where that is null. Returns whether it was: another
   * process may have been faster.
   */
  async bind(id: string, entry: BoundEntry, holder: EntryKey | null, nowMs: number): Promise<boolean> {
    return this.#session.transaction(async (transaction) => {
      const known = await lockCluster(transaction, id, nowMs);
      if (!isSameKey(known.entry, holder)) return false;
      await saveCluster(transaction, { ...known, name: known.name ?? entry.name, entry });
      return true;
    });
  }
}

/** What tells entries of the configuration apart. */
export type EntryKey = Pick<BoundEntry, 'name' | 'source'>;

function isSameKey(one: EntryKey | null, other: EntryKey | null): boolean {
  return one?.name === other?.name && one?.source === other?.source;
}

/** The row, which no other transaction changes before this one ends; a new one where there is none. */
async function lockCluster(transaction: ArchiveTransaction, id: string, nowMs: number): Promise<ClusterRow> {
  const seenAt = isoTime(nowMs);
  const first = { id, name: null, aliases: [], firstSeenAt: seenAt, lastSeenAt: seenAt, entry: null };
  // An update that changes nothing locks the row on both engines.
  const { document } = await transaction
    .insertInto('cluster')
    .values(rowOfCluster(first))
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ id: toColumn(id) }))
    .returning('document')
    .executeTakeFirstOrThrow();
  return parseDocument(clusterRowSchema, document);
}

async function saveCluster(transaction: ArchiveTransaction, cluster: ClusterRow): Promise<void> {
  const { id, ...row } = rowOfCluster(cluster);
  await transaction.updateTable('cluster').set(row).where('id', '=', id).execute();
}

export function rowOfCluster(cluster: ArchivedCluster) {
  return {
    id: toColumn(cluster.id),
    first_seen_ms: toMs(cluster.firstSeenAt) ?? 0,
    last_seen_ms: toMs(cluster.lastSeenAt) ?? 0,
    document: formatDocument(cluster),
  };
}
