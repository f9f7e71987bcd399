import 'server-only';
import type { Action, ArchivedAction } from '@/lib/api/action';
import { formatDocument, parseDocument, toColumn, toMs } from '@/server/archive/column-values';
import { actionDocumentSchema } from '@/server/archive/document-schemas';
import type { ArchiveTransaction } from '@/server/archive/migrations/schema';
import { type ArchivedEvent, saveEvents } from '@/server/archive/events';
import type { ArchiveSession } from '@/server/archive/session';
import { readCursor, timeCursor } from '@/server/archive/time-cursor';

export interface ListedAction extends ArchivedAction {
  /** Of the rollout that it began. */
  recordId: string | null;
}

/** A filter that is null or left out excludes nothing. */
export interface ActionQuery {
  clusters: readonly string[];
  limit: number;
  /** From the previous page. */
  cursor?: string | null;
  namespace?: string | null;
  resource?: string | null;
  name?: string | null;
  actor?: string | null;
  kinds?: readonly Action['action'][] | null;
  states?: readonly Action['state'][] | null;
  /** Milliseconds since the epoch, of the start. */
  sinceMs?: number | null;
  untilMs?: number | null;
}

/** New actions of an audit file, from its lines up to `bytes`. */
export interface JournalChunk {
  /** Of the file. */
  id: string;
  bytes: number;
  /** Lines up to there that could not be read. */
  damaged: number;
  /** Checksum of the file's content right before `bytes`; reveals a file that was restored from a copy. */
  mark: string;
  actions: readonly ArchivedAction[];
  /** Its other lines. */
  events: readonly ArchivedEvent[];
}

/** The actions through Shiplog, and how much of which audit file they are from. */
export class ActionRepository {
  readonly #session: ArchiveSession;

  constructor(session: ArchiveSession) {
    this.#session = session;
  }

  /** How much of the audit file with this id is in the table; zero for a new file. */
  async journal(id: string): Promise<Omit<JournalChunk, 'id' | 'actions' | 'events'>> {
    const row = await this.#session.run((db) =>
      db
        .selectFrom('journal')
        .select(['bytes', 'damaged', 'mark'])
        .where('id', '=', toColumn(id))
        .executeTakeFirst(),
    );
    return row ?? { bytes: 0, damaged: 0, mark: '' };
  }

  /** A chunk of an audit file and how far it reaches, both or neither. */
  async saveJournal({ id, bytes, damaged, mark, actions, events }: JournalChunk): Promise<void> {
    await this.#session.transaction(async (transaction) => {
      for (const action of actions) await saveAction(transaction, action);
      await saveEvents(transaction, events);
      await transaction
        .insertInto('journal')
        .values({ id: toColumn(id), bytes, damaged, mark })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ bytes, damaged, mark }))
        .execute();
    });
  }

  /** Latest first, each with the record of the rollout that it began. */
  async list(query: ActionQuery): Promise<{ items: ListedAction[]; nextCursor: string | null }> {
    const { limit } = query;
    if (query.clusters.length === 0) return { items: [], nextCursor: null };
    const found = await this.#session.run((db) => {
      const { clusters, namespace, resource, name, actor, kinds, states, sinceMs, untilMs } = query;
      let rows = db
        .selectFrom('action')
        .select(['id', 'started_ms', 'document'])
        .select((of) =>
          of
            .selectFrom('record')
            .whereRef('record.action_id', '=', 'action.id')
            .orderBy('record.id')
            .limit(1)
            .select('record.id')
            .as('record_id'),
        )
        .where('cluster', 'in', clusters.map(toColumn));
      if (namespace != null) rows = rows.where('namespace', '=', toColumn(namespace));
      if (resource != null) rows = rows.where('resource', '=', toColumn(resource));
      if (name != null) rows = rows.where('name', '=', toColumn(name));
      if (actor != null) rows = rows.where('actor', '=', toColumn(actor));
      if (kinds != null) rows = rows.where('kind', 'in', kinds);
      if (states != null) rows = rows.where('state', 'in', states);
      if (sinceMs != null) rows = rows.where('started_ms', '>=', sinceMs);
      if (untilMs != null) rows = rows.where('started_ms', '<', untilMs);
      if (query.cursor != null) {
        const { ms, id } = readCursor(query.cursor);
        rows = rows.where((of) => of(of.refTuple('started_ms', 'id'), '<', of.tuple(ms, id)));
      }
      return rows
        .orderBy('started_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
    });
    const items = found.slice(0, limit).map(({ document, record_id }) => ({
      ...parseDocument(actionDocumentSchema, document),
      recordId: record_id,
    }));
    const last = items.at(-1);
    return {
      items,
      nextCursor:
        found.length > limit && last !== undefined ? timeCursor(last.action.startedAt, last.action.id) : null,
    };
  }

  /** In its latest state; null for an unknown id. */
  async byId(id: string): Promise<Action | null> {
    const row = await this.#session.run((db) =>
      db.selectFrom('action').select('document').where('id', '=', toColumn(id)).executeTakeFirst(),
    );
    return row === undefined ? null : parseDocument(actionDocumentSchema, row.document).action;
  }
}

/** Writes the state of an action, unless a later state is stored. */
async function saveAction(db: ArchiveTransaction, archived: ArchivedAction): Promise<void> {
  const { id, ...row } = rowOfAction(archived);
  await db
    .insertInto('action')
    .values({ id, ...row })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(row).where('action.changed_ms', '<=', row.changed_ms),
    )
    .execute();
}

export function rowOfAction(archived: ArchivedAction) {
  const { action, at } = archived;
  return {
    id: toColumn(action.id),
    cluster: toColumn(action.cluster),
    resource: toColumn(action.resource),
    namespace: toColumn(action.namespace),
    name: toColumn(action.name),
    uid: toColumn(action.uid),
    kind: action.action,
    state: action.state,
    actor: toColumn(action.actor),
    started_ms: toMs(action.startedAt) ?? 0,
    changed_ms: toMs(at) ?? 0,
    document: formatDocument(archived),
  };
}
