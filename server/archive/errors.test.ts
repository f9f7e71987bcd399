import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Archive } from '@/server/archive/archive';
import { ArchiveKeeper } from '@/server/archive/archive-keeper';
import { isLocked, toArchiveError } from '@/server/archive/errors';
import type { Lease } from '@/server/archive/lease';
import { ARCHIVE_FILE, openArchive, openDatabase } from '@/server/archive/open';
import { retryWhileLocked } from '@/server/archive/session';
import { enginesUnderTest } from '@/server/archive/testing/engines';
import { sampleIncarnation, sampleRecording, START_MS } from '@/server/archive/testing/samples';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { silentLogger } from '@/server/shared/log';

const cart = sampleIncarnation();

const { engines, stop } = await enginesUnderTest();
afterAll(stop);

const everything = { clusters: [{ cluster: 'prod', scopes: null }], limit: 50 };
const recording = sampleRecording(sampleIncarnation(), 1);
let folder: ReturnType<typeof makeFolder>;
let path: string;
const closing: (() => void | Promise<void>)[] = [];

beforeEach(() => {
  folder = makeFolder();
  path = join(folder.path, ARCHIVE_FILE);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  folder.remove();
});

async function openHere(): Promise<{ archive: Archive; lease: Lease }> {
  const archive = await openArchive({ databaseUrl: undefined, dataDir: folder.path, lockWaitMs: 0 });
  closing.push(() => archive.close());
  return { archive, lease: (await archive.leases.acquire('one', START_MS, 'prod')) as Lease };
}

function openFile(options = {}): DatabaseSync {
  const file = new DatabaseSync(path, options);
  closing.push(() => file.close());
  return file;
}

function unavailable(reason: string, retry = true) {
  return { code: 'archive_unavailable', details: { reason, retry } };
}

test('while another process holds the file, reads continue and recording reports it, and records again later', async () => {
  const { archive, lease } = await openHere();
  const other = openFile();
  other.exec('begin immediate');
  await expect(archive.record(lease, [recording], START_MS)).rejects.toMatchObject(unavailable('locked'));
  expect((await archive.rollouts.search(everything)).items).toStrictEqual([]);
  other.exec('rollback');
  await archive.record(lease, [recording], START_MS);
  expect((await archive.rollouts.search(everything)).items).toHaveLength(1);
});

test('waits for a lock that is released in time', async () => {
  await openHere();
  const other = openFile();
  const writer = openFile({ timeout: 0 });
  other.exec('begin immediate');
  let tries = 0;
  const clock = { now: () => 0, sleep: () => Promise.resolve(void (tries === 3 && other.exec('rollback'))) };
  const work = () => {
    tries += 1;
    writer.exec('delete from lease');
    return Promise.resolve('done');
  };
  expect(await retryWhileLocked(async () => work(), 1, clock)).toBe('done');
  expect(tries).toBe(4);
});

test('keeps a command alive that does nothing but wait for the lock', () => {
  const script = `
    import { retryWhileLocked } from './server/archive/session.ts';
    let tries = 0;
    const work = async () => {
      tries += 1;
      if (tries === 1) throw Object.assign(new Error(), { code: 'ERR_SQLITE_ERROR', errcode: 5 });
    };
    await retryWhileLocked(work, 60_000);
    console.log(tries);`;
  const args = ['--import', './scripts/register.mjs', '--input-type=module', '--eval', script];
  expect(spawnSync(process.execPath, args, { encoding: 'utf8' })).toMatchObject({ status: 0, stdout: '2\n' });
});

test.each([
  // A limit on the file's pages gives the error of a full disk.
  ['full', 'a full disk', 'pragma max_page_count = 1', 'pragma max_page_count = 1000000'],
  ['read_only', 'a file that may only be read', 'pragma query_only = 1', 'pragma query_only = 0'],
])(
  '%s: reports %s, writes nothing incomplete, and records again afterwards',
  async (reason, _, limit, lift) => {
    const database = await openDatabase({ databaseUrl: undefined, dataDir: folder.path });
    const archive: Archive = new Archive(database, 0);
    closing.push(() => archive.close());
    const lease = (await archive.leases.acquire('one', START_MS, 'prod')) as Lease;
    const many = sampleRecording(sampleIncarnation(), 40);
    await sql.raw(limit).execute(database.db);
    await expect(archive.record(lease, [many], START_MS)).rejects.toMatchObject(unavailable(reason));
    const kept = async () => [await archive.rollouts.of(cart), await archive.revisions.of(cart)];
    expect(await kept()).toEqual([[], []]);
    await sql.raw(lift).execute(database.db);
    await archive.record(lease, [many], START_MS);
    expect((await kept()).map(({ length }) => length)).toEqual([40, 40]);
  },
);

test.each(engines.filter(({ engine }) => engine === 'postgres'))(
  'reports a connection that $engine closes while it is used, and replaces it',
  async ({ createDatabase: makePlace }) => {
    const place = await makePlace();
    closing.push(place.remove);
    const database = await openDatabase(place);
    const archive = new Archive(database, 0);
    closing.unshift(() => archive.close());
    const cut = sql`select pg_terminate_backend(pg_backend_pid())`.execute(database.db);
    expect(await cut.catch(toArchiveError)).toMatchObject(unavailable('connection'));
    await vi.waitFor(async () => expect(await archive.rollouts.of(cart)).toEqual([]));
  },
);

test('a database whose socket is missing does not answer, and no file is to blame', () => {
  const gone = Object.assign(new Error('connect ENOENT'), { code: 'ENOENT', syscall: 'connect' });
  expect(toArchiveError(gone)).toMatchObject(unavailable('connection'));
});

test('reports a file that can not be opened, and opens it once it can', async () => {
  mkdirSync(path);
  const options = { databaseUrl: undefined, dataDir: folder.path };
  await expect(openArchive(options)).rejects.toMatchObject(unavailable('no_file'));
  rmdirSync(path);
  await openHere();
});

test('reports a file that is no archive, and does not overwrite it', async () => {
  writeFileSync(path, 'no database at all, but some text that is long enough to be taken for one'.repeat(20));
  const options = { databaseUrl: undefined, dataDir: folder.path };
  await expect(openArchive(options)).rejects.toMatchObject(unavailable('damaged', false));
});

const options = () => ({ databaseUrl: undefined, dataDir: folder.path, lockWaitMs: 0 });

test.for<Record<string, string>>([
  { 'clusters.json': '{}' },
  { 'audit.jsonl': '{}\n' },
  { 'audit-2026-01.jsonl': '{}\n', 'audit.jsonl': '' },
  { 'archive.db-wal': 'changes' },
])(
  'reports an empty file beside %j, and neither begins a new archive nor changes anything',
  async (files) => {
    const all = { ...files, key: 'k', [ARCHIVE_FILE]: '' };
    for (const [name, text] of Object.entries(all)) writeFileSync(join(folder.path, name), text);
    await expect(openArchive(options())).rejects.toMatchObject({
      ...unavailable('empty'),
      message: expect.stringMatching(
        /Restore a backup, or move archive.db (and archive.db-wal )?away/,
      ) as string,
    });
    const left = readdirSync(folder.path).map((name) => [
      name,
      readFileSync(join(folder.path, name), 'utf8'),
    ]);
    expect(Object.fromEntries(left)).toEqual(all);
  },
);

test('reports the changes of a file that is gone, which a new archive would delete', async () => {
  writeFileSync(`${path}-wal`, 'changes');
  await expect(openArchive(options())).rejects.toMatchObject(unavailable('empty'));
  expect(readdirSync(folder.path)).toEqual([`${ARCHIVE_FILE}-wal`]);
});

test('begins a new archive in a new data directory, and where an empty file was moved away', async () => {
  writeFileSync(join(folder.path, 'key'), 'k');
  writeFileSync(join(folder.path, 'audit.jsonl'), '');
  writeFileSync(path, '');
  const { archive } = await openHere();
  await archive.close();
  closing.splice(0);
  writeFileSync(join(folder.path, 'clusters.json'), '{}');
  rmSync(path);
  await openHere();
});

test('leaves no empty file where the disk is full at the first start', () => {
  const script = `
    const { openDatabase } = await import('@/server/archive/open');
    const dataDir = ${JSON.stringify(folder.path)};
    await openDatabase({ databaseUrl: undefined, dataDir, lockWaitMs: 0 }).catch(({ code }) => console.log(code));`;
  // A process that may write no byte to a file, as on a full disk.
  const limited = 'trap \'\' XFSZ; ulimit -f 0; exec "$@"';
  const node = [
    process.execPath,
    '--import',
    './scripts/register.mjs',
    '--input-type=module',
    '--eval',
    script,
  ];
  const { stdout } = spawnSync('bash', ['-c', limited, 'bash', ...node], { encoding: 'utf8' });
  expect(stdout).toBe('archive_unavailable\n');
  expect(readdirSync(folder.path)).toEqual([]);
});

test('a keeper shows an empty archive as its state, and opens a new one once the file is away', async () => {
  writeFileSync(join(folder.path, 'clusters.json'), '{}');
  writeFileSync(path, '');
  const keeper = new ArchiveKeeper({
    open: () => openArchive(options()),
    onArchive: () => undefined,
    log: silentLogger,
  });
  closing.push(() => keeper.stop());
  await keeper.start();
  expect(keeper.state).toMatchObject({
    state: 'interrupted',
    reason: expect.stringContaining('is empty or missing, though its data directory was in use') as string,
  });
  expect(statSync(path).size).toBe(0);
  rmSync(path);
  await expect.poll(() => keeper.archive).not.toBeNull();
});

test('reports a database server that does not answer, or hangs up', async () => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const options = { databaseUrl: `postgres://shiplog@127.0.0.1:${port}/shiplog`, dataDir: '' };
  await expect(openArchive(options)).rejects.toMatchObject(unavailable('connection'));
  await new Promise((resolve) => server.close(resolve));
  await expect(openArchive(options)).rejects.toMatchObject(unavailable('connection'));
});

test.each([
  ['57P01', 'connection'],
  ['53300', 'connection'],
  ['53100', 'full'],
  ['40001', 'locked'],
  ['25006', 'read_only'],
  ['28P01', 'refused'],
  ['3D000', 'refused'],
])('reports what PostgreSQL calls %s as %s', (code, reason) => {
  expect(toArchiveError(Object.assign(new Error('x'), { code }))).toMatchObject(unavailable(reason));
});

test('leaves a bug of Shiplog as it is', () => {
  const mistake = Object.assign(new Error('syntax error'), { code: '42601' });
  expect(toArchiveError(mistake)).toBe(mistake);
  expect(isLocked(mistake)).toBe(false);
  const file = openFile();
  const error = told(() => file.exec('selec 1'));
  expect(error).toHaveProperty('code', 'ERR_SQLITE_ERROR');
});

function told(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return toArchiveError(error);
  }
  return undefined;
}
