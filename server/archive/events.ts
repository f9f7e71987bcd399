import 'server-only';
import type { activityEventKinds } from '@/lib/api/action-values';
import { type EventEntry, eventEntrySchema } from '@/lib/api/activity-event';
import { formatDocument, parseDocument, toColumn, toMs } from '@/server/archive/column-values';
import type { ArchiveTransaction } from '@/server/archive/migrations/schema';
import type { ArchiveSession } from '@/server/archive/session';
import { readCursor } from '@/server/archive/time-cursor';

export interface ArchivedEvent {
  /** Of the line of the audit file. */
  id: string;
  entry: EventEntry;
}

export interface EventQuery {
  kind: (typeof activityEventKinds)[number] | null;
  /** Reviews of workloads in these, and changes of them. */
  clusters: readonly string[];
  /** Sign-ins of this person alone; null: of everyone. */
  person: string | null;
  limit: number;
  /** From the previous page. */
  cursor: string | null;
}

/** Sign-ins tell when people work: they are kept no longer than needed. */
const SIGN_INS_KEPT_MS = 400 * 24 * 3_600_000;

/** Reviews, sign-ins, and changes of clusters, as the audit file has them. */
export class EventRepository {
  readonly #session: ArchiveSession;

  constructor(session: ArchiveSession) {
    this.#session = session;
  }

  /** Latest first. */
  async list({ kind, clusters, person, limit, cursor }: EventQuery): Promise<ArchivedEvent[]> {
    const rows = await this.#session.run((db) => {
      let found = db
        .selectFrom('event')
        .select(['id', 'document'])
        .where((of) =>
          of.or([
            of.and([
              of('kind', 'in', ['review', 'cluster']),
              of('cluster', 'in', ['', ...clusters.map(toColumn)]),
            ]),
            person === null
              ? of('kind', '=', 'signIn')
              : of.and([of('kind', '=', 'signIn'), of('person', '=', toColumn(person))]),
          ]),
        );
      if (kind !== null) found = found.where('kind', '=', kind);
      if (cursor !== null) {
        const { ms, id } = readCursor(cursor);
        found = found.where((of) => of(of.refTuple('at_ms', 'id'), '<', of.tuple(ms, id)));
      }
      return found.orderBy('at_ms', 'desc').orderBy('id', 'desc').limit(limit).execute();
    });
    return rows.map(({ id, document }) => ({ id, entry: parseDocument(eventEntrySchema, document) }));
  }
}

/** Each once, whichever process copies the line. */
export async function saveEvents(db: ArchiveTransaction, events: readonly ArchivedEvent[]): Promise<void> {
  const last = events.at(-1);
  if (last === undefined) return;
  for (const event of events)
    await db
      .insertInto('event')
      .values(rowOf(event))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  await db
    .deleteFrom('event')
    .where('kind', '=', 'signIn')
    .where('at_ms', '<', (toMs(last.entry.at) ?? 0) - SIGN_INS_KEPT_MS)
    .execute();
}

function rowOf({ id, entry }: ArchivedEvent) {
  return {
    id: toColumn(id),
    at_ms: toMs(entry.at) ?? 0,
    ...subjectOf(entry),
    person: entry.by === null ? null : toColumn(entry.by.id),
    document: formatDocument(entry),
  };
}

function subjectOf(entry: EventEntry) {
  if ('workload' in entry) return { kind: 'review' as const, cluster: toColumn(entry.workload.cluster) };
  if ('cluster' in entry) return { kind: 'cluster' as const, cluster: toColumn(entry.cluster) };
  return { kind: 'signIn' as const, cluster: null };
}
