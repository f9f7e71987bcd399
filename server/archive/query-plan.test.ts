import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '@/server/archive/open';
import { listedRecordQuery } from '@/server/archive/records';

test('the records of a workload are found without reading those of its whole cluster', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shiplog-plan-'));
  const { db } = await openDatabase({ databaseUrl: undefined, dataDir });
  onTestFinished(async () => {
    await db.destroy();
    rmSync(dataDir, { recursive: true });
  });
  const { sql, parameters } = listedRecordQuery(db)
    .where('record.cluster', '=', 'cluster')
    .where('workload_uid', '=', 'uid')
    .orderBy('activation', 'desc')
    .compile();
  const { rows } = await db.executeQuery<{ detail: string }>(
    CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
  );
  const searches = rows.map(({ detail }) => detail).filter((detail) => detail.includes('cluster=?'));
  expect(searches.length).toBeGreaterThan(2);
  for (const search of searches) expect(search).toContain('cluster=? AND workload_uid=?');
});
