import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { eventEntrySchema } from '@/lib/api/activity-event';
import { openArchive } from '@/server/archive/open';
import { auditEntrySchema } from '@/server/audit/audit';
import { silentLogger } from '@/server/shared/log';
import { seedRecordedHistory } from '@/server/runtime/seed-recorder';
import { argo, majaLind, ship, undo, using, workloadsIn } from '@/sandbox/seed/story';

const END = Date.parse('2026-11-20T12:00:00Z');
const fleet = [
  workloadsIn('shop')('Deployment', 'pricing', { replicas: 2 }, [
    ship('20d', argo, 'Pricing 1.0.0', '1.0.0'),
    ship('9d', argo, 'Pricing 1.1.0', '1.1.0'),
    ship('8d', using('edit', majaLind), 'Look closer', { env: { LOG_LEVEL: 'debug' } }),
    undo('2d', majaLind, 1, 'Wrong prices'),
  ]),
];

test('the weeks of the seeded history are in the archive as they happened, watched throughout, the older ones reviewed', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shiplog-recorded-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  await seedRecordedHistory({ dataDir, end: END, fleet, log: silentLogger });
  const archive = await openArchive({ databaseUrl: undefined, dataDir: join(dataDir, 'sandbox') });
  onTestFinished(() => archive.close());

  const { items } = await archive.rollouts.search({
    clusters: [{ cluster: (await archive.clusters.list())[0]?.id ?? '', scopes: null }],
    limit: 50,
  });
  const told = items.map(({ record: { from, to, outcome, startedAt, actor, cause, unwatched } }) => ({
    passage: `${from?.number ?? '-'} > ${to.number}`,
    outcome,
    day: startedAt?.slice(0, 10),
    actor: actor?.name,
    cause,
    unwatched: unwatched.length,
  }));

  const common = { outcome: 'completed', unwatched: 0 };
  expect(told).toEqual([
    { ...common, passage: '3 > 4', day: '2026-11-18', actor: 'maja.lind', cause: 'Wrong prices' },
    { ...common, passage: '2 > 3', day: '2026-11-12', actor: 'kubectl-edit', cause: 'Look closer' },
    { ...common, passage: '1 > 2', day: '2026-11-11', actor: 'argocd-controller', cause: 'Pricing 1.1.0' },
    { ...common, passage: '- > 1', day: '2026-10-31', actor: 'argocd-controller', cause: 'Pricing 1.0.0' },
  ]);
  expect(items.map(({ review }) => review?.verdict ?? null)).toEqual([null, 'bad', 'good', 'good']);

  const entries = readFileSync(join(dataDir, 'sandbox', 'audit.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => z.union([auditEntrySchema, eventEntrySchema]).parse(JSON.parse(line)));
  expect(
    entries.map((entry) =>
      'action' in entry
        ? [entry.event, entry.action.action, entry.action.actor, entry.action.state]
        : [entry.event, entry.by?.name],
    ),
  ).toEqual([
    ['attempted', 'rollback', 'maja.lind', 'accepted'],
    ['finished', 'rollback', 'maja.lind', 'done'],
    ['verdict', 'sara.kim'],
    ['verdict', 'maja.lind'],
    ['verdict', 'maja.lind'],
  ]);
  const action = { from: 3, to: 2, recordedAs: 4, id: items[0]?.record.actionId };
  expect(entries[1]).toMatchObject({ action });
});
