import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillArchive, NOW_MS, acquireLease } from '@/bench/support/archive-records';
import { count } from '@/bench/support/figure';
import type { Hostile } from '@/bench/hostile/environment';
import type { Archive } from '@/server/archive/archive';
import { openArchive } from '@/server/archive/open';

const RECORDS = 500_000;
/** Most of the archive is expired and is deleted in one run. */
const policy = { days: 30, perWorkload: 5 };

let folder: string | undefined;
let archive: Archive | undefined;

/** On SQLite, whose statements run in this thread. */
export const retention: Hostile = {
  what: `Retention of an archive of ${count(RECORDS)} records, 90% of them expired`,
  prepare: async (environment) => {
    folder = mkdtempSync(join(tmpdir(), 'shiplog-bench-'));
    archive = await openArchive({ databaseUrl: undefined, dataDir: folder });
    environment.log(`  writing ${count(RECORDS)} records …`);
    await fillArchive(archive, RECORDS);
  },
  run: async () => {
    if (archive === undefined) throw new Error('There is no archive.');
    const { bodies, series } = await archive.retention.expire(await acquireLease(archive), policy, NOW_MS);
    if (bodies < RECORDS / 2 || series < RECORDS / 2)
      throw new Error(`Only ${bodies} bodies and ${series} series expired.`);
  },
  close: async () => {
    await archive?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  },
};
