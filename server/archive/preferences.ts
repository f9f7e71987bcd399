import 'server-only';
import { AppError } from '@/lib/errors';
import { noPreferences } from '@/lib/api/preference-values';
import { type Preferences, preferencesSchema } from '@/lib/api/preferences';
import { formatDocument, parseDocument, toColumn } from '@/server/archive/column-values';
import type { ArchiveDb, ArchiveTransaction } from '@/server/archive/migrations/schema';
import type { ArchiveSession } from '@/server/archive/session';

const settingsSchema = preferencesSchema.omit({ version: true });
type Settings = Omit<Preferences, 'version'>;

/** Those of someone who has not been here for so long are deleted. */
const KEPT_MS = 365 * 24 * 3_600_000;

/** What people have set for themselves, by the id of the person. */
export class PreferenceRepository {
  readonly #session: ArchiveSession;

  constructor(session: ArchiveSession) {
    this.#session = session;
  }

  of(person: string): Promise<Preferences> {
    return this.#session.run((db) => preferencesOf(db, person));
  }

  /**
   * Replaces the version that `ifVersion` names, 0 being none. Throws AppError `conflict`, with the current ones in
   * `details.preferences`, where another browser of the person was first.
   */
  async save(person: string, settings: Settings, ifVersion: number, nowMs: number): Promise<Preferences> {
    const version = ifVersion + 1;
    const row = { version, document: toColumn(formatDocument(settings)), changed_ms: nowMs };
    return this.#session.transaction(async (transaction) => {
      const written = await transaction
        .insertInto('preference')
        .values({ person: toColumn(person), ...row })
        .onConflict((conflict) =>
          conflict.column('person').doUpdateSet(row).where('preference.version', '=', ifVersion),
        )
        .returning('person')
        .executeTakeFirst();
      if (written === undefined) {
        const preferences = await preferencesOf(transaction, person);
        throw new AppError('conflict', 'They were changed in another browser or tab meanwhile.', {
          preferences,
        });
      }
      await transaction
        .deleteFrom('preference')
        .where('changed_ms', '<', nowMs - KEPT_MS)
        .where('person', 'not in', (db) => db.selectFrom('person').select('id'))
        .execute();
      return { ...settings, version };
    });
  }
}

async function preferencesOf(db: ArchiveDb | ArchiveTransaction, person: string): Promise<Preferences> {
  const row = await db
    .selectFrom('preference')
    .select(['version', 'document'])
    .where('person', '=', toColumn(person))
    .executeTakeFirst();
  if (row === undefined) return noPreferences;
  return { ...parseDocument(settingsSchema, row.document), version: row.version };
}
