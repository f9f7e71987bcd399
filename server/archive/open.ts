import 'server-only';
import { join } from 'node:path';
import { AppError } from '@/lib/errors';
import { Archive } from '@/server/archive/archive';
import { backfillMeanings } from '@/server/archive/meanings';
import { migrate } from '@/server/archive/migrate';
import { openPostgres } from '@/server/archive/postgres';
import { retryWhileLocked } from '@/server/archive/session';
import { openSqlite, refuseEmptied, stateSelectivity } from '@/server/archive/sqlite';

import type { ArchiveDatabase } from '@/server/archive/migrations/schema';

export interface ArchiveOptions {
  /** A `postgres://` address; undefined for the file in the data directory. */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  /** How long to wait for another process that holds the lock of the file. */
  readonly lockWaitMs?: number;
}

/** Reports for how many records of an earlier version the backfill is done. */
export type OnProgress = (told: number, total: number) => void;

/** By default. */
export const LOCK_WAIT_MS = 5_000;

export const ARCHIVE_FILE = 'archive.db';

/**
 * Opens the archive and brings its schema up to date. Rejects with AppError `archive_unavailable`; where
 * `details.retry` is true, opening it later may succeed. What `onProgress` throws ends it, see `backfillMeanings`.
 */
export async function openArchive(options: ArchiveOptions, onProgress?: OnProgress): Promise<Archive> {
  const database = await openDatabase(options);
  try {
    await retryWhileLocked(() => backfillMeanings(database, onProgress), options.lockWaitMs ?? LOCK_WAIT_MS);
  } catch (error) {
    // Until the next start templates are compared by their bytes, which is no reason to be without an archive.
    if (!(error instanceof AppError)) {
      await Promise.all([database.db.destroy(), database.recorderDb?.destroy()]);
      throw error;
    }
  }
  return new Archive(database, options.lockWaitMs ?? LOCK_WAIT_MS);
}

/** The same without the repositories: for maintenance of the archive. The caller ends it by `destroy`. */
export async function openDatabase({
  databaseUrl,
  dataDir,
  lockWaitMs = LOCK_WAIT_MS,
}: ArchiveOptions): Promise<ArchiveDatabase> {
  const open = async () => {
    const database = databaseUrl === undefined ? openFile(dataDir) : openPostgres(databaseUrl);
    try {
      await migrate(database);
      await stateSelectivity(database);
      return database;
    } catch (error) {
      await database.db.destroy();
      throw error;
    }
  };
  return retryWhileLocked(open, lockWaitMs);
}

function openFile(dataDir: string): ArchiveDatabase {
  const path = join(dataDir, ARCHIVE_FILE);
  refuseEmptied(path);
  return openSqlite(path);
}
