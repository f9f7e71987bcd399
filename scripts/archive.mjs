// Maintains the archive: npm run archive -- backup|export|import|verify|vacuum
import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { backUp } from '../deploy/image/backup.mjs';
import './register.mjs';

const { prepareDataDir, readConfig } = await import('../server/shared/config.ts');
const { ConfigError } = await import('../server/shared/config-error.ts');
const { AppError } = await import('../lib/errors.ts');
const { openDatabase } = await import('../server/archive/open.ts');
const { toArchiveError } = await import('../server/archive/errors.ts');

const usage = `Usage: npm run archive -- <command>
  backup <file>   write the files of the data directory as a tar, while Shiplog runs; credentials included
  export <file>   write the archive as lines of JSON; credentials in templates are masked, unless --with-values
  import <file>   add what the file has and the archive has not
  verify          read everything and say what is damaged
  vacuum          give back the space of what has expired`;

/** Shiplog itself writes often and briefly. */
const LOCK_WAIT_MS = 60_000;

const commands = {
  async backup(database, { dataDir }, [file]) {
    const out = await openFile(file, 'wx', 0o600);
    try {
      await out.writeFile(backUp(dataDir));
    } catch (error) {
      await rm(file);
      throw error;
    } finally {
      await out.close();
    }
    const { engine } = database;
    console.log(`Wrote ${file}, credentials included: keep it as safe as the data directory.`);
    if (engine === 'postgres')
      console.log('The archive itself is in PostgreSQL and not in this file: back it up with pg_dump.');
  },
  async export(database, config, [file], { 'with-values': withValues }) {
    const { exportArchive } = await import('../server/archive/export.ts');
    const { Keys } = await import('../server/shared/keys.ts');
    // Never over another file, and for this user only: its values include credentials.
    const out = (await openFile(file, 'wx', 0o600)).createWriteStream();
    await exportArchive(
      database,
      withValues ? null : Keys.load(config.dataDir, config.masks).mask,
      async (chunk) => {
        if (!out.write(chunk)) await once(out, 'drain');
      },
    );
    out.end();
    await once(out, 'finish');
    console.log(`Exported to ${file}${withValues ? ', credentials included' : ''}.`);
  },
  async import(database, _config, [file]) {
    const { importArchive, splitIntoLines } = await import('../server/archive/import.ts');
    const handle = await openFile(file, 'r');
    const { added, known } = await importArchive(
      database,
      splitIntoLines(handle.createReadStream({ encoding: 'utf8' })),
    );
    console.log(`Imported: ${added} added, ${known} already present.`);
  },
  async verify(database) {
    const { verifyArchive } = await import('../server/archive/verify.ts');
    const problems = await verifyArchive(database);
    for (const problem of problems) console.error(problem);
    console.log(problems.length === 0 ? 'No problems found in the archive.' : `${problems.length} problems.`);
    if (problems.length > 0) process.exitCode = 1;
  },
  async vacuum(database) {
    const { vacuumArchive } = await import('../server/archive/vacuum.ts');
    const before = await database.bytes();
    await vacuumArchive(database);
    console.log(`${before} bytes before, ${await database.bytes()} now.`);
  },
};

try {
  await main();
} catch (error) {
  const told = toArchiveError(error);
  console.error(told instanceof ConfigError ? told.message : `Failed: ${told.message}`);
  process.exitCode = 1;
}

/** These errors concern a given file, not the archive. */
async function openFile(path, ...how) {
  try {
    return await open(path, ...how);
  } catch (error) {
    const why =
      error.code === 'EEXIST'
        ? `${path} already exists and was not changed. Choose another file`
        : error.message;
    throw new AppError('bad_request', `${why}.`, {}, error);
  }
}

async function main() {
  const { values, positionals } = parseArgs({
    options: { 'with-values': { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [name, ...rest] = positionals;
  const wanted = ['backup', 'export', 'import'].includes(name) ? 1 : 0;
  if (name === undefined || !Object.hasOwn(commands, name) || rest.length !== wanted) {
    console.error(usage);
    process.exitCode = 2;
    return;
  }
  const config = readConfig(process.env);
  prepareDataDir(config.dataDir);
  const { databaseUrl, dataDir } = config;
  const database = await openDatabase({ databaseUrl, dataDir, lockWaitMs: LOCK_WAIT_MS });
  try {
    await commands[name](database, config, rest, values);
  } finally {
    await database.db.destroy();
  }
}
