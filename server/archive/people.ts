import 'server-only';
import { sql } from 'kysely';
import { toColumn } from '@/server/archive/column-values';
import type { ArchiveTransaction } from '@/server/archive/migrations/schema';
import { listOf } from '@/server/archive/record-query';
import type { ArchiveSession } from '@/server/archive/session';

/** A person who has sent a request. */
export interface SeenPerson {
  id: string;
  /** As it is shown: masked. */
  name: string;
}

/** Who has not been here for a year is not suggested any more. */
const KEPT_MS = 365 * 24 * 3_600_000;

/** The people to mention and to assign, and no more of them than a company has. */
export class PersonRepository {
  readonly #session: ArchiveSession;
  readonly #max: number;

  constructor(session: ArchiveSession, max = 10_000) {
    this.#session = session;
    this.#max = max;
  }

  /** Notes that they are here now, under this name; the ones who were here longest ago are deleted. */
  async saw({ id, name }: SeenPerson, nowMs: number): Promise<void> {
    const row = { name: toColumn(name), term: toColumn(name.toLowerCase()), seen_ms: nowMs };
    await this.#session.transaction(async (transaction) => {
      await transaction
        .insertInto('person')
        .values({ id: toColumn(id), ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute();
      await transaction
        .deleteFrom('person')
        .where('seen_ms', '<', nowMs - KEPT_MS)
        .execute();
      await this.#deleteBeyondMax(transaction);
    });
  }

  /** The names that contain `text` in whatever case, each once, the ones seen last in front. */
  async names(text: string, limit: number): Promise<string[]> {
    const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
    const rows = await this.#session.run((db) =>
      db
        .selectFrom('person')
        .select('name')
        .where(sql<boolean>`term like ${toColumn(pattern)} escape '\\'`)
        .groupBy('name')
        .orderBy((each) => each.fn.max('seen_ms'), 'desc')
        .orderBy('name')
        .limit(limit)
        .execute(),
    );
    return rows.map(({ name }) => name);
  }

  /** Those who have one of these names, which are in lower case; `limit` of them at most, the ones seen last. */
  async named(names: readonly string[], limit: number): Promise<SeenPerson[]> {
    if (names.length === 0) return [];
    const terms = listOf(names.map(toColumn));
    return this.#session.run((db) =>
      db
        .selectFrom('person')
        .select(['id', 'name'])
        .where(sql<boolean>`term in (${terms})`)
        .orderBy('seen_ms', 'desc')
        .orderBy('id')
        .limit(limit)
        .execute(),
    );
  }

  async #deleteBeyondMax(transaction: ArchiveTransaction): Promise<void> {
    const oldestKept = await transaction
      .selectFrom('person')
      .select('seen_ms')
      .orderBy('seen_ms', 'desc')
      .offset(this.#max - 1)
      .limit(1)
      .executeTakeFirst();
    if (oldestKept === undefined) return;
    await transaction.deleteFrom('person').where('seen_ms', '<', oldestKept.seen_ms).execute();
  }
}
