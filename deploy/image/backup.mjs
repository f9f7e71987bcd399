// A backup of the data directory while Shiplog runs, with nothing but Node. In a pod:
// kubectl exec deploy/shiplog -- node /app/backup.mjs > shiplog.tar
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

const ARCHIVE_FILE = 'archive.db';
/** The copy has the log of the archive in it, and the rest are written anew at each start. */
const LEFT_OUT = /^(archive\.db-(wal|shm)|open\.html|.*\.(tmp|draft))$/;

/** A vacuum of another process locks the archive. */
const LOCK_WAIT_MS = 60_000;

const CHUNK_BYTES = 1024 * 1024;
const BLOCK_BYTES = 512;
/** What eleven octal digits can state. */
const OCTAL_MAX = 8 ** 11;

/**
 * The files of the data directory as a tar, in chunks. The archive is a copy of one moment, for which the temporary
 * folder needs room; Shiplog can write meanwhile. The archive comes first: the audit file then has at least what the
 * archive has of it, and the rest is archived after a restore.
 *
 * @param {string} dataDir
 */
export async function* backUp(dataDir) {
  const names = readdirSync(dataDir, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !LEFT_OUT.test(entry.name))
    .map(({ name }) => name);
  if (names.includes(ARCHIVE_FILE)) {
    const scratch = mkdtempSync(join(tmpdir(), 'shiplog-backup-'));
    try {
      const copy = join(scratch, ARCHIVE_FILE);
      copyArchive(join(dataDir, ARCHIVE_FILE), copy);
      yield* fileInTar(ARCHIVE_FILE, copy);
    } finally {
      rmSync(scratch, { recursive: true });
    }
  }
  for (const name of names) if (name !== ARCHIVE_FILE) yield* fileInTar(name, join(dataDir, name));
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

/** In one transaction that reads, which delays no writer. https://sqlite.org/lang_vacuum.html#vacuuminto */
function copyArchive(from, to) {
  const archive = new DatabaseSync(from, { readOnly: true, timeout: LOCK_WAIT_MS });
  try {
    archive.prepare('vacuum into ?').run(to);
  } finally {
    archive.close();
  }
}

/** As long as the file is now: the audit file grows. */
async function* fileInTar(name, path) {
  const file = await open(path);
  try {
    const { size, mtimeMs } = await file.stat();
    yield headerOf(name, size, Math.floor(mtimeMs / 1_000));
    for (let done = 0; done < size;) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - done));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, done);
      if (bytesRead === 0) throw new Error(`${path} became shorter while it was read.`);
      yield chunk.subarray(0, bytesRead);
      done += bytesRead;
    }
    yield Buffer.alloc(-size & (BLOCK_BYTES - 1));
  } finally {
    await file.close();
  }
}

/** https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html, "ustar Interchange Format" */
function headerOf(name, size, mtime) {
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value, offset, length) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset);
  header.write(name, 0, 100);
  octal(0o600, 100, 8);
  octal(process.getuid?.() ?? 0, 108, 8);
  octal(process.getgid?.() ?? 0, 116, 8);
  if (size < OCTAL_MAX) octal(size, 124, 12);
  else {
    // As every tar reads it: a byte that marks the form, then the number.
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  octal(mtime, 136, 12);
  header.write('        0', 148);
  header.write('ustar\0' + '00', 257);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

async function main() {
  const { SHIPLOG_DATA_DIR: dataDir } = process.env;
  if (!dataDir) throw new Error('SHIPLOG_DATA_DIR is not set.');
  if (process.stdout.isTTY) throw new Error('Redirect the output to a file: backup.mjs > shiplog.tar');
  await pipeline(Readable.from(backUp(dataDir)), process.stdout);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    console.error(`The backup is incomplete: ${error.message}`);
    process.exitCode = 1;
  });
}
