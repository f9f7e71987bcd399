import { readdirSync, readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { sql } from 'kysely';
import { migrate } from '@/server/archive/migrate';
import { migrations } from '@/server/archive/migrations/migrations';
import type { ArchiveDatabase } from '@/server/archive/migrations/schema';

type Value = string | number | null | Uint8Array;
type Row = Readonly<Record<string, Value>>;

const folder = new URL('versions/', import.meta.url);

/** What a version of Shiplog had written; `versions/README.md` tells how the files are made. */
export class EarlierVersion {
  readonly name: string;
  /** Of its archive: the number of its last migration. */
  readonly schema: number;
  readonly #statements: readonly string[];
  readonly #tables = new Map<string, Row[]>();

  constructor(file: string) {
    this.name = file.replace('.ndjson', '');
    const [first = '', ...lines] = readFileSync(new URL(file, folder), 'utf8').trim().split('\n');
    const { schema, create } = JSON.parse(first) as { schema: number; create: string[] };
    this.schema = schema;
    this.#statements = create;
    let columns: string[] = [];
    let rows: Row[] = [];
    for (const line of lines) {
      const content = JSON.parse(line) as { table: string; columns: string[] } | unknown[];
      if (Array.isArray(content))
        rows.push(Object.fromEntries(columns.map((column, index) => [column, decode(content[index])])));
      else {
        rows = [];
        columns = content.columns;
        this.#tables.set(content.table, rows);
      }
    }
  }

  rowsOf(table: string): readonly Row[] {
    return this.#tables.get(table) ?? [];
  }

  /** The documents of a table by their key, with today's names, without the member that names their version. */
  documentsOf(table: string, key: string): Map<Value, object> {
    return new Map(
      this.rowsOf(table).map(({ [key]: of = null, document = null }) => {
        const { v: _, ...content } = JSON.parse(withNewNames(textOf(document))) as { v?: number };
        return [of, content];
      }),
    );
  }

  /** The version of each document of a table. */
  documentVersions(table: string): number[] {
    return this.rowsOf(table).map(
      ({ document = null }) => (JSON.parse(textOf(document)) as { v?: number }).v ?? 1,
    );
  }

  /** The database as that version left it; on PostgreSQL its tables are those that its migrations create. */
  async restore({ engine, db }: ArchiveDatabase): Promise<void> {
    if (engine === 'sqlite') for (const statement of this.#statements) await sql.raw(statement).execute(db);
    else await migrate({ engine, db } as ArchiveDatabase, migrations.slice(0, this.schema));
    for (const [table, rows] of this.#tables) {
      if (engine === 'postgres' && table === 'migration') continue;
      for (const row of rows) {
        const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)));
        await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(Object.values(row))})`.execute(
          db,
        );
      }
    }
    if (engine === 'postgres')
      await sql`select setval(pg_get_serial_sequence('record', 'seq'), (select max(seq) from record))`.execute(
        db,
      );
  }
}

/** Oldest first. */
export const earlierVersions = readdirSync(folder)
  .filter((file) => file.endsWith('.ndjson'))
  .sort()
  .map((file) => new EarlierVersion(file));

/** A document or a line of an export with the names that its members have today. */
export function withNewNames(json: string): string {
  return json.replaceAll('"release":', '"progressiveRollout":');
}

/** A text that was stored as such, or deflated. */
export function textOf(value: Value): string {
  return typeof value === 'string' ? value : inflateRawSync(value as Uint8Array).toString('utf8');
}

function decode(value: unknown): Value {
  if (value !== null && typeof value === 'object' && 'base64' in value)
    return Buffer.from(value.base64 as string, 'base64');
  return value as Value;
}
