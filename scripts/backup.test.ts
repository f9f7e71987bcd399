import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { backUp } from '@/deploy/image/backup.mjs';
import { findPostgres, startPostgres } from '@/scripts/postgres.mjs';
import type { Archive } from '@/server/archive/archive';
import type { Lease } from '@/server/archive/lease';
import { type ArchiveOptions, openArchive, openDatabase } from '@/server/archive/open';
import { sampleIncarnation, sampleRecording, START_MS } from '@/server/archive/testing/samples';
import { verifyArchive } from '@/server/archive/verify';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';

const root = fileURLToPath(new URL('..', import.meta.url));
const RECORDS_EACH = 3;

function newFolder(): string {
  const folder = makeFolder();
  onTestFinished(folder.remove);
  return folder.path;
}

/** Runs beside the writer of the test, as a backup does beside Shiplog. */
async function run(command: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(command, args, {
    cwd: root,
    env: { NODE_ENV: 'test', PATH: process.env.PATH, ...env },
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  expect(`${command}: ${status}\n${stderr}`).toBe(`${command}: 0\n`);
  return stdout;
}

interface Writer {
  /** Names of the workloads whose recording has been committed. */
  readonly done: string[];
  stop(): Promise<void>;
}

/** Records one workload after the other until it is stopped. */
function keepWriting(archive: Archive, lease: Lease): Writer {
  const done: string[] = [];
  let isStopped = false;
  const writing = (async () => {
    while (!isStopped) {
      const name = `w${done.length}`;
      await archive.record(lease, [sampleRecording(sampleIncarnation(name), RECORDS_EACH)], START_MS);
      done.push(name);
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  return {
    done,
    async stop() {
      isStopped = true;
      await writing;
    },
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** Backs up while the archive is written; returns what was in it before, and what was written at the end. */
async function backUpWhileWriting(options: ArchiveOptions, backUpTo: () => Promise<unknown>) {
  const archive = await openArchive(options);
  const lease = (await archive.leases.acquire('one', START_MS, 'prod')) as Lease;
  const writer = keepWriting(archive, lease);
  await until(() => writer.done.length >= 20);
  const before = writer.done.length;
  try {
    await backUpTo();
    const during = writer.done.length;
    await until(() => writer.done.length > during);
  } finally {
    // Otherwise it takes the time of the tests that follow.
    await writer.stop();
    await archive.close();
  }
  return { before, written: writer.done };
}

/** The restored archive is sound, has everything from before the backup, and each workload with all its records or none. */
async function expectRestored(options: ArchiveOptions, before: number, written: readonly string[]) {
  const database = await openDatabase(options);
  expect(await verifyArchive(database)).toEqual([]);
  await database.db.destroy();
  const archive = await openArchive(options);
  try {
    const counts = await Promise.all(
      written.map(async (name) => (await archive.rollouts.of(sampleIncarnation(name))).length),
    );
    expect(counts.slice(0, before)).toEqual(Array.from({ length: before }, () => RECORDS_EACH));
    expect(counts.at(-1)).toBe(0);
    expect(new Set(counts)).toEqual(new Set([RECORDS_EACH, 0]));
    const lease = (await archive.leases.acquire('two', START_MS + 3_600_000, 'prod')) as Lease;
    await archive.record(lease, [sampleRecording(sampleIncarnation('after'), 1)], START_MS + 3_600_000);
    expect(await archive.rollouts.of(sampleIncarnation('after'))).toHaveLength(1);
  } finally {
    await archive.close();
  }
}

describe('a backup of the data directory', () => {
  test('that was made while Shiplog wrote is restored with every record', async () => {
    const [here, there] = [newFolder(), newFolder()];
    const file = join(newFolder(), 'shiplog.tar');
    writeFileSync(join(here, 'key'), 'k'.repeat(32), { mode: 0o600 });
    writeFileSync(join(here, 'audit.jsonl'), '');
    const env = { HOME: here, SHIPLOG_DATA_DIR: here };
    const { before, written } = await backUpWhileWriting({ databaseUrl: undefined, dataDir: here }, () =>
      run(process.execPath, ['scripts/archive.mjs', 'backup', file], env),
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await run('tar', ['-xf', file, '-C', there]);
    expect(readdirSync(there).sort()).toEqual(['archive.db', 'audit.jsonl', 'key']);
    expect(statSync(join(there, 'key')).mode & 0o777).toBe(0o600);
    await expectRestored({ databaseUrl: undefined, dataDir: there }, before, written);
  });

  test('needs no source of Shiplog, as in the image, and goes to standard output', async () => {
    const here = newFolder();
    const archive = await openArchive({ databaseUrl: undefined, dataDir: here });
    onTestFinished(() => archive.close());
    mkdirSync(join(here, 'sandbox'));
    const { status, stdout } = spawnSync(process.execPath, [join(root, 'deploy/image/backup.mjs')], {
      env: { NODE_ENV: 'test', SHIPLOG_DATA_DIR: here },
    });
    expect(status).toBe(0);
    const { stdout: list } = spawnSync('tar', ['-tf', '-'], { input: stdout, encoding: 'utf8' });
    expect(list.trim().split('\n')).toEqual(['archive.db']);
  });

  test('has files of more than 8 GB', async () => {
    const here = newFolder();
    writeFileSync(join(here, 'audit.jsonl'), '');
    const bytes = 9 * 2 ** 30;
    truncateSync(join(here, 'audit.jsonl'), bytes);
    const chunks = backUp(here);
    const { value: header } = await chunks.next();
    await chunks.return();
    const { stdout } = spawnSync('tar', ['-tvf', '-'], { input: header as Buffer, encoding: 'utf8' });
    expect(stdout).toContain(` ${bytes} `);
  });
});

describe.runIf(findPostgres() !== undefined)('a backup of PostgreSQL', () => {
  const tool = (name: string) => join(findPostgres() ?? '', name);
  let server: Awaited<ReturnType<typeof startPostgres>>;

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());

  async function createDatabase(name: string): Promise<string> {
    const url = new URL(server?.url ?? '');
    const client = new Client({ connectionString: url.href });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    url.pathname = `/${name}`;
    return url.href;
  }

  test('with pg_dump, made while Shiplog wrote, is restored by pg_restore with every record', async () => {
    const file = join(newFolder(), 'archive.dump');
    const [here, there] = [await createDatabase('here'), await createDatabase('there')];
    const { before, written } = await backUpWhileWriting({ databaseUrl: here, dataDir: '' }, () =>
      run(tool('pg_dump'), ['--format=custom', '--no-owner', `--file=${file}`, here]),
    );
    await run(tool('pg_restore'), ['--no-owner', '--exit-on-error', `--dbname=${there}`, file]);
    await expectRestored({ databaseUrl: there, dataDir: '' }, before, written);
  });
});
