import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openArchive } from '@/server/archive/open';
import { silentLogger } from '@/server/shared/log';
import { seedRecordedHistory } from '@/server/runtime/seed-recorder';
import { KUBEVELA, OAM } from '@/sandbox/seed/fleet/oam-and-kubevela';

const END = Date.parse('2026-11-20T12:00:00Z');

test('a deleted Rollout leaves its record, and an Application one of each of its revisions', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shiplog-oam-recorded-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  await seedRecordedHistory({ dataDir, end: END, fleet: [...OAM, ...KUBEVELA], log: silentLogger });
  const archive = await openArchive({ databaseUrl: undefined, dataDir: join(dataDir, 'sandbox') });
  onTestFinished(() => archive.close());
  const cluster = (await archive.clusters.list())[0]?.id ?? '';
  const records = (
    await archive.rollouts.search({ clusters: [{ cluster, scopes: null }], limit: 200 })
  ).items.map(({ record }) => record);

  const [wishlist] = records.filter(({ workload }) => workload.name === 'wishlist-green');
  expect(wishlist?.progressiveRollout).toMatchObject({ system: 'oam', name: 'wishlist', result: 'deleted' });
  expect(wishlist?.steps.map(({ state }) => state)).toEqual(['abandoned', 'skipped']);
  const campaigns = records.filter(({ workload }) => workload.kind === 'Application');
  expect(campaigns.map(({ from, to, outcome }) => [from?.number ?? null, to.number, outcome])).toEqual([
    [6, 7, 'completed'],
    [5, 6, 'completed'],
    [4, 5, 'completed'],
    [3, 4, 'completed'],
    [2, 3, 'completed'],
    [1, 2, 'completed'],
    [null, 1, 'completed'],
  ]);
}, 120_000);
