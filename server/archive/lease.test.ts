import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { acquireLease } from '@/server/archive/lease';
import { openDatabase } from '@/server/archive/open';

const FULL = 2;

test.each(['taken', 'refused'])(
  'what is recorded waits for the disk, after the lease was %s as well',
  async (how) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'shiplog-lease-'));
    const database = await openDatabase({ databaseUrl: undefined, dataDir });
    try {
      await acquireLease(database, 'one', 0, 'prod');
      const lease = await acquireLease(database, how === 'taken' ? 'one' : 'two', 1, 'prod');
      expect(lease === null).toBe(how === 'refused');
      const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(database.db);
      expect(rows).toEqual([{ synchronous: FULL }]);
    } finally {
      await database.db.destroy();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
);
