import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { RolloutRecord } from '@/lib/api/record';
import { openArchive } from '@/server/archive/open';
import { silentLogger } from '@/server/shared/log';
import { seedRecordedHistory } from '@/server/runtime/seed-recorder';
import { OAM } from '@/sandbox/seed/fleet/oam-and-kubevela';

const END = Date.parse('2026-11-20T12:00:00Z');

const records = new Map<string, RolloutRecord>();

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shiplog-recorded-oam-'));
  await seedRecordedHistory({ dataDir, end: END, fleet: OAM, log: silentLogger });
  const archive = await openArchive({ databaseUrl: undefined, dataDir: join(dataDir, 'sandbox') });
  const cluster = (await archive.clusters.list())[0]?.id ?? '';
  for (const { record } of (
    await archive.rollouts.search({ clusters: [{ cluster, scopes: null }], limit: 50 })
  ).items) {
    const { name } = record.workload;
    const whole = await archive.rollouts.byId(record.id);
    // Newest first.
    if (whole !== null && !records.has(name)) records.set(name, whole.record);
  }
  await archive.close();
  rmSync(dataDir, { recursive: true });
}, 60_000);

const stepsOf = (name: string) =>
  records.get(name)?.steps.map((step) => [step.name, step.planned, step.state, step.pods.length].join(', '));

test('a rollout in batches is a record of the workload that it drives, each batch with its pods and times', () => {
  expect(records.get('loyalty-v3')).toMatchObject({
    outcome: 'completed',
    summary: expect.stringContaining('image 2.7.0 → 3.0.0') as string,
    progressiveRollout: { system: 'oam', id: 'loyalty-v3', style: 'batch', result: 'completed' },
  });
  expect(stepsOf('loyalty-v3')).toEqual([
    'Batch 1, 1 of 4 pods, completed, 1',
    'Batch 2, 2 of 4 pods, completed, 1',
    'Batch 3, 3 of 4 pods, completed, 1',
    'Batch 4, 4 of 4 pods, completed, 1',
  ]);
  const { steps = [] } = records.get('loyalty-v3') ?? {};
  expect(steps.slice(1).map(({ startedAt }) => startedAt)).toEqual(
    steps.slice(0, -1).map(({ endedAt }) => endedAt),
  );
});

test('one that waits stays open, and one that is deleted and reverts its pods was rolled back', () => {
  expect(records.get('loyalty-v4')?.outcome).toBeNull();
  expect(stepsOf('loyalty-v4')?.slice(0, 3)).toEqual([
    'Batch 1, 1 of 4 pods, completed, 1',
    'Batch 2, 2 of 4 pods, running, 1',
    'Batch 3, 3 of 4 pods, planned, 0',
  ]);
  expect(records.get('wishlist-green')).toMatchObject({
    outcome: 'rolledBack',
    progressiveRollout: { result: 'deleted' },
  });
});
