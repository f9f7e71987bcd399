import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { Archive } from '@/server/archive/archive';
import { openDatabase } from '@/server/archive/open';
import { enginesUnderTest } from '@/server/archive/testing/engines';
import { sampleIncarnation, sampleRecording } from '@/server/archive/testing/samples';

const { engines, stop } = await enginesUnderTest();
afterAll(stop);

const FULL = 2;
/** As many as PostgreSQL has connections for. */
const READS = 8;

test.each(['taken', 'refused'])(
  'a recording waits for the disk, also after the lease was %s',
  async (how) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'shiplog-lease-'));
    const database = await openDatabase({ databaseUrl: undefined, dataDir });
    try {
      const archive = new Archive(database, 0);
      await archive.leases.acquire('one', 0, 'prod');
      const lease = await archive.leases.acquire(how === 'taken' ? 'one' : 'two', 1, 'prod');
      expect(lease === null).toBe(how === 'refused');
      const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(database.db);
      expect(rows).toEqual([{ synchronous: FULL }]);
    } finally {
      await database.db.destroy();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
);

const postgres = engines.filter(({ engine }) => engine === 'postgres');

test.each(postgres)(
  'on $engine the lease is renewed and used, however many reads are slow',
  async ({ createDatabase: makePlace }) => {
    const place = await makePlace();
    const database = await openDatabase(place);
    const archive = new Archive(database, 0);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let held = 0;
    const { promise: allHeld, resolve: onAllHeld } = Promise.withResolvers<void>();
    const reads = Array.from({ length: READS }, () =>
      database.db.connection().execute(async () => {
        held += 1;
        if (held === READS) onAllHeld();
        await released;
      }),
    );
    try {
      await allHeld;
      const lease = await archive.leases.acquire('one', 0, 'prod');
      expect(lease).not.toBeNull();
      if (lease !== null) await archive.record(lease, [sampleRecording(sampleIncarnation(), 1)], 0);
      expect(await archive.leases.acquire('one', 3_000, 'prod')).toStrictEqual(lease);
    } finally {
      release();
      await Promise.all(reads);
      await archive.close();
      await place.remove();
    }
  },
);
