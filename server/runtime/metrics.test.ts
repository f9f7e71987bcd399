import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type RecorderState } from '@/lib/records/recorder-state';
import { Metrics, type MetricsSources } from '@/server/runtime/metrics';

function metricsOf(state: RecorderState['state'], pendingNotifications: () => Promise<number | null>) {
  const cluster = {
    identity: { name: 'prod' },
    connection: { state: 'connected' },
    cache: { workloadCount: 0, sourceCount: 0, podCount: 0, eventCount: 0 },
    bodies: { size: 0, bytes: 0 },
    transport: { stats: { requests: 0, connectionsOpen: 0, openStreams: 0 } },
  };
  const recorderState = { state, since: 0, reason: null };
  return new Metrics({
    clusters: () => [{ cluster, recorderState }],
    isConfigured: () => true,
    hub: { size: 0 },
    notifications: () => ({ delivered: 0, failed: 0, givenUp: 0 }),
    pendingNotifications,
  } as unknown as MetricsSources).text();
}

test.each([
  ['recording', 1],
  ['standby', 1],
  ['starting', 0],
  ['interrupted', 0],
] as const)('the recorder of a cluster in state %s is %d', async (state, value) => {
  expect(await metricsOf(state, () => Promise.resolve(0))).toContain(
    `shiplog_recorder_active{cluster="prod"} ${value}\n`,
  );
});

test('the number of pending notifications is unknown while the archive cannot be read', async () => {
  expect(await metricsOf('recording', () => Promise.resolve(7))).toContain(
    'shiplog_notifications_pending 7\n',
  );
  for (const unread of [() => Promise.resolve(null), () => Promise.reject(new Error('locked'))])
    expect(await metricsOf('interrupted', unread)).toMatch(/^shiplog_notifications_pending nan$/im);
});

test.each(['alerts.yaml', 'dashboard.json'])('every metric in %s of the chart exists', async (name) => {
  const path = fileURLToPath(new URL(`../../deploy/chart/shiplog/files/${name}`, import.meta.url));
  const used = readFileSync(path, 'utf8').match(/\b(?:shiplog|nodejs|process)_[a-z0-9_]+/g) ?? [];
  const exposed = await metricsOf('recording', () => Promise.resolve(0));
  expect(used.length).toBeGreaterThan(5);
  for (const metric of new Set(used))
    expect(exposed).toContain(`# TYPE ${metric.replace(/_(bucket|count)$/, '')} `);
});
