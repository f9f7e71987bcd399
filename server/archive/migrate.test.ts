import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Lease } from '@/server/archive/lease';
import { migrate } from '@/server/archive/migrate';
import { openArchive } from '@/server/archive/open';
import { openPostgres } from '@/server/archive/postgres';
import { openSqlite } from '@/server/archive/sqlite';
import { verifyArchive } from '@/server/archive/verify';
import { type Migration, migrations } from '@/server/archive/migrations/migrations';
import type { ArchiveDatabase } from '@/server/archive/migrations/schema';
import { EarlierVersion } from '@/server/archive/testing/earlier-version';
import { enginesUnderTest, type TestDatabase } from '@/server/archive/testing/engines';
import { meaningOf, sampleIncarnation, sampleRecording, START_MS } from '@/server/archive/testing/samples';

const { engines, stop } = await enginesUnderTest();
afterAll(stop);

const HOUR_MS = 3_600_000;
const incarnation = sampleIncarnation();

function openAsIs({ databaseUrl, dataDir }: TestDatabase): ArchiveDatabase {
  return databaseUrl === undefined ? openSqlite(`${dataDir}/archive.db`) : openPostgres(databaseUrl);
}

describe.each(engines)('on $engine', ({ createDatabase: makePlace }) => {
  let place: TestDatabase;
  let database: ArchiveDatabase;

  beforeEach(async () => {
    place = await makePlace();
    database = openAsIs(place);
  });
  afterEach(async () => {
    await database.db.destroy();
    await place.remove();
  });

  async function schema(): Promise<unknown> {
    const tables = await database.db.introspection.getTables({ withInternalKyselyTables: true });
    const own = await ownSchema();
    // PostgreSQL also lists the schemas of other test files.
    return tables
      .filter((table) => table.schema === own)
      .map(({ name, columns }) => [name, columns.map((column) => column.name)]);
  }

  async function ownSchema(): Promise<string | undefined> {
    if (database.engine === 'sqlite') return undefined;
    const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(database.db);
    return rows[0]?.name;
  }

  async function applied(): Promise<number[]> {
    const rows = await database.db.selectFrom('migration').select('number').orderBy('number').execute();
    return rows.map(({ number }) => number);
  }

  test.each(migrations.map((_, number) => number))(
    'migrates an archive of schema %i with its content',
    async (number) => {
      await migrate(database, migrations.slice(0, number));
      expect(await applied()).toHaveLength(number);
      const archive = await openArchive(place);
      const lease = (await archive.leases.acquire('one', START_MS, 'prod')) as Lease;
      await archive.record(lease, [sampleRecording(incarnation, 2)], START_MS);
      await archive.close();
      const again = await openArchive(place);
      expect(await again.rollouts.of(incarnation)).toHaveLength(2);
      await again.close();
      expect(await applied()).toStrictEqual(migrations.map((_, index) => index + 1));
      expect(await verifyArchive(database)).toStrictEqual([]);
    },
  );

  test('an archive of the first schema keeps all its content', async () => {
    await new EarlierVersion('schema-1.ndjson').restore(database);
    const archive = await openArchive(place);
    const records = await archive.rollouts.of(incarnation);
    expect(records.map(({ record }) => [record.id, record.pinned])).toStrictEqual([
      ['uid-cart.1', true],
      ['uid-cart.2', false],
    ]);
    expect(records[1]).toMatchObject({ review: { verdict: 'bad', version: 1 }, comments: 1 });
    expect(await archive.reviews.comments('uid-cart.2')).toMatchObject([{ body: 'Errors rose.' }]);
    expect(await archive.revisions.body(records[1]?.record.to.hash ?? '')).not.toBeNull();
    await archive.close();
    expect(await verifyArchive(database)).toStrictEqual([]);
    const meanings = records.map(({ record }) => [record.from?.meaning, record.to.meaning]);
    expect(meanings).toStrictEqual([
      [undefined, meaningOf('cart', 1)],
      [meaningOf('cart', 1), meaningOf('cart', 2)],
    ]);
    const figures = await database.db
      .selectFrom('record')
      .select(['id', 'start_known', 'stuck', 'has_cause'])
      .orderBy('id')
      .execute();
    expect(figures).toStrictEqual(
      records.map(({ record }) => ({
        id: record.id,
        start_known: Number(record.startedAt !== null),
        stuck: Number(record.spans.some(({ kind }) => kind === 'stuck')),
        has_cause: Number(record.cause !== null),
      })),
    );
    const begun = await database.db
      .selectFrom('record')
      .select(['action_id', 'ended_ms'])
      .orderBy('id')
      .execute();
    expect(begun).toStrictEqual([
      { action_id: null, ended_ms: START_MS + 1.25 * HOUR_MS },
      { action_id: '5f1c2f5e-0d3c-4a55-9a53-2f2d8f2f9b10', ended_ms: START_MS + 2.25 * HOUR_MS },
    ]);
  });

  test.each([
    ['that names its cluster stays valid', 'prod', null],
    ['that names none is taken anew', '', { epoch: 1 }],
  ])('a lease of an earlier version %s', async (_, cluster, acquired) => {
    await migrate(database, migrations.slice(0, 8));
    await sql`
      insert into lease (id, holder, epoch, expires_ms, cluster)
      values (1, 'before', 3, ${START_MS + 5_000}, ${cluster})`.execute(database.db);
    const archive = await openArchive(place);
    const lease = await archive.leases.acquire('one', START_MS, 'prod');
    if (acquired === null) expect(lease).toBeNull();
    else expect(lease).toMatchObject(acquired);
    const next = await archive.leases.acquire('one', START_MS + 5_000, 'prod');
    expect(next).toMatchObject({ epoch: acquired === null ? 4 : 1 });
    await archive.close();
  });

  test('a migration may take longer than a statement', async () => {
    const limits: string[] = [];
    const slow: Migration = {
      name: 'slow',
      up: async (db, engine) => {
        if (engine === 'sqlite') return;
        const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(db);
        limits.push(...rows.map(({ statement_timeout }) => statement_timeout));
      },
    };
    await migrate(database, [...migrations, slow]);
    expect(limits).toStrictEqual(database.engine === 'postgres' ? ['0'] : []);
    if (database.engine === 'sqlite') return;
    const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(database.db);
    expect(rows).toStrictEqual([{ statement_timeout: '1min' }]);
  });

  test('a migration that fails leaves the schema and its content as it was', async () => {
    await migrate(database);
    const before = await schema();
    const broken: Migration[] = [
      { name: 'fine', up: (db) => db.schema.createTable('extra').addColumn('a', 'integer').execute() },
      {
        name: 'broken',
        up: async (db) => {
          await db.schema.alterTable('incarnation').addColumn('b', 'integer').execute();
          await sql`select * from missing`.execute(db);
        },
      },
    ];
    await expect(migrate(database, [...migrations, ...broken])).rejects.toThrow('missing');
    expect(await schema()).toStrictEqual(before);
    expect(await applied()).toHaveLength(migrations.length);
    const archive = await openArchive(place);
    expect(await archive.rollouts.of(incarnation)).toEqual([]);
    await archive.close();
  });

  test('rejects a database that a newer program has used with a sentence, and leaves it alone', async () => {
    const newer: Migration = { name: 'newer', up: () => Promise.resolve() };
    await migrate(database, [...migrations, newer]);
    const before = await schema();
    await expect(openArchive(place)).rejects.toMatchObject({
      code: 'archive_unavailable',
      message: expect.stringContaining('newer Shiplog') as string,
      details: { reason: 'newer', retry: false },
    });
    expect(await schema()).toStrictEqual(before);
  });

  test('several processes that open an empty archive at once all find it complete', async () => {
    const archives = await Promise.all([1, 2, 3].map(() => openArchive(place)));
    const found = await Promise.all(archives.map((archive) => archive.rollouts.of(incarnation)));
    await Promise.all(archives.map((archive) => archive.close()));
    expect(found).toStrictEqual([[], [], []]);
    expect(await applied()).toStrictEqual(migrations.map((_, index) => index + 1));
  });
});
