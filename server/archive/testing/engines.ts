import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import type { Engine } from '@/server/archive/migrations/schema';
import { startPostgres } from '@/scripts/postgres.mjs';

/** A new, empty place for an archive. */
export interface TestDatabase {
  databaseUrl: string | undefined;
  dataDir: string;
  readonly remove: () => Promise<void>;
}

export interface EngineUnderTest {
  engine: Engine;
  readonly createDatabase: () => Promise<TestDatabase>;
}

/**
 * The engines that tests can have: PostgreSQL is that of `SHIPLOG_TEST_DATABASE_URL`, or a server of its own for the
 * test file. Where there is none it prints so, and fails with CI=true; an empty variable states that there is none.
 */
export async function enginesUnderTest(): Promise<{
  engines: readonly EngineUnderTest[];
  readonly stop: () => Promise<void>;
}> {
  const given = process.env.SHIPLOG_TEST_DATABASE_URL;
  const own = given === undefined ? await startPostgres() : undefined;
  const url = given ?? own?.url ?? '';
  if (url === '') {
    const message =
      'PostgreSQL was not found: the tests of the archive on it are LEFT OUT. Install it, or set SHIPLOG_TEST_DATABASE_URL.';
    if (process.env.CI === 'true') throw new Error(message);
    console.warn(`\n!!! ${message}\n`);
    return { engines: [sqlite], stop: () => Promise.resolve() };
  }
  return { engines: [sqlite, postgresAt(url)], stop: async () => own?.stop() };
}

const sqlite: EngineUnderTest = {
  engine: 'sqlite',
  createDatabase() {
    const folder = makeFolder();
    return Promise.resolve({
      databaseUrl: undefined,
      dataDir: folder.path,
      remove: () => Promise.resolve(folder.remove()),
    });
  },
};

/** A schema for each place, which takes a hundredth of the time of a database. */
function postgresAt(url: string): EngineUnderTest {
  return {
    engine: 'postgres',
    async createDatabase() {
      const schema = `t${randomBytes(6).toString('hex')}`;
      await execute(url, `create schema ${schema}`);
      const schemaUrl = new URL(url);
      schemaUrl.searchParams.set('options', `-c search_path=${schema}`);
      return {
        databaseUrl: schemaUrl.href,
        dataDir: '',
        remove: () => execute(url, `drop schema ${schema} cascade`),
      };
    },
  };
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`set client_min_messages = warning; ${statement}`);
  } finally {
    await client.end();
  }
}
