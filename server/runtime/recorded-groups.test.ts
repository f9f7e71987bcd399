import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openArchive } from '@/server/archive/open';
import { silentLogger } from '@/server/shared/log';
import { seedRecordedHistory } from '@/server/runtime/seed-recorder';
import { FLEET } from '@/sandbox/seed/fleet/fleet';
import { savedObjects } from '@/sandbox/seed/testing/saved-objects';
import { Replay } from '@/test/replay/replay';

const END = Date.parse('2026-11-20T12:00:00Z');

test('of the served model the archive has every revision, the cluster only those of the rollout in progress', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shiplog-groups-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  // The namespace of the shop is searched, whatever workloads are in it.
  const fleet = FLEET.filter(({ kind, app }) => kind === 'LeaderWorkerSet' || app.name === 'emailer');
  await seedRecordedHistory({ dataDir, end: END, fleet, log: silentLogger });

  const folder = join(dataDir, 'sandbox');
  const objects = savedObjects(dataDir);
  const of = (kind: string) => objects.filter((object) => object.kind === kind);
  const kinds = ['LeaderWorkerSet', 'StatefulSet', 'ControllerRevision', 'Pod'];
  const lines = kinds.flatMap(of).map((object) => ({ t: 0, type: 'ADDED' as const, object }));
  const replay = Replay.startUnrecorded({ startMs: END, namespace: 'ml', lines });
  await replay.advanceToEnd();
  const { workload, revisions } = await replay.workload(
    'leaderworkersets.leaderworkerset.x-k8s.io',
    'assistant',
  );
  expect(revisions.map(({ number, target, pods }) => [number, target, pods.total])).toEqual([
    [5, true, 6],
    [4, false, 6],
  ]);
  expect(workload).toMatchObject({ state: 'rolling', message: '2 of 4 groups updated; group 2 is starting' });
  expect(workload.groups?.items.map(({ state }) => state)).toEqual(['ready', 'ready', 'starting', 'ready']);

  const archive = await openArchive({ databaseUrl: undefined, dataDir: folder });
  onTestFinished(() => archive.close());
  const cluster = (await archive.clusters.list())[0]?.id ?? '';
  const { items } = await archive.rollouts.search({
    clusters: [{ cluster, scopes: null }],
    limit: 50,
  });
  const own = items.filter(({ record }) => record.workload.kind === 'LeaderWorkerSet');
  const outcomes = own.map(({ record: { from, to, outcome } }) => [from?.number ?? null, to.number, outcome]);
  expect(outcomes).toEqual([
    [4, 5, null],
    [3, 4, 'completed'],
    [2, 3, 'completed'],
    [1, 2, 'completed'],
    [null, 1, 'completed'],
  ]);
  const [set] = of('LeaderWorkerSet');
  const kept = await archive.revisions.of({ cluster, uid: set?.metadata.uid ?? '' });
  expect(kept.map(({ numbers, prunedAt }) => [numbers, prunedAt !== null]).sort()).toEqual([
    [[1], true],
    [[2], true],
    [[3], true],
    [[4], false],
    [[5], false],
  ]);
});
