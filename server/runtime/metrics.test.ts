import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import type { RecorderState } from '@/lib/records/recorder-state';
import { Metrics, type MetricsSources } from '@/server/runtime/metrics';

const root = fileURLToPath(new URL('../..', import.meta.url));
const chartFiles = `${root}deploy/chart/shiplog/files/`;

function metricsOf(state: RecorderState['state'], pendingNotifications: () => Promise<number | null>) {
  const cluster = {
    identity: { name: 'prod' },
    connection: { state: 'connected' },
    cache: { workloadCount: 0, sourceCount: 0, podCount: 0, eventCount: 0 },
    bodies: { size: 0, bytes: 0 },
    transport: { stats: { requests: 0, connectionsOpen: 0, openStreams: 0 } },
  };
  const recorderState = { state, since: 0, reason: null };
  const metrics = new Metrics({
    clusters: () => [{ cluster, recorderState }],
    isConfigured: () => true,
    checks: { counts: { accepted: 4, refused: 3, failed: 2, limited: 1 }, waiting: 5 },
    hub: { size: 0 },
    notifications: () => ({ delivered: 0, failed: 0, givenUp: 0 }),
    pendingNotifications,
    archiveBytes: () => Promise.resolve(4096),
  } as unknown as MetricsSources);
  metrics.observe('/api/workloads/{resource}/{namespace}/{name}', 200, 0.02);
  return metrics.text();
}

const nonePending = () => Promise.resolve(0);

test.each([
  ['recording', 1],
  ['standby', 1],
  ['starting', 0],
  ['interrupted', 0],
] as const)('the recorder of a cluster in state %s is %d', async (state, value) => {
  expect(await metricsOf(state, nonePending)).toContain(`shiplog_recorder_active{cluster="prod"} ${value}\n`);
});

test('credentials that wait, are refused, or were too many are counted', async () => {
  const text = await metricsOf('recording', nonePending);
  for (const line of [
    'shiplog_credential_checks_total{result="refused"} 3',
    'shiplog_credential_checks_total{result="limited"} 1',
    'shiplog_credential_checks_waiting 5',
  ])
    expect(text).toContain(`${line}\n`);
});

test('the number of pending notifications is unknown while the archive cannot be read', async () => {
  expect(await metricsOf('recording', () => Promise.resolve(7))).toContain(
    'shiplog_notifications_pending 7\n',
  );
  for (const unread of [() => Promise.resolve(null), () => Promise.reject(new Error('locked'))])
    expect(await metricsOf('interrupted', unread)).toMatch(/^shiplog_notifications_pending nan$/im);
});

test('a database that hangs takes no metric away but its own', async () => {
  vi.useFakeTimers();
  try {
    const text = metricsOf('interrupted', () => new Promise(() => undefined));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await text).toMatch(/^shiplog_recorder_active\{cluster="prod"\} 0$/m);
    expect(await text).toMatch(/^shiplog_notifications_pending nan$/im);
  } finally {
    vi.useRealTimers();
  }
});

test.each(['alerts.yaml', 'dashboard.json'])('every metric in %s of the chart exists', async (name) => {
  const used =
    readFileSync(chartFiles + name, 'utf8').match(/\b(?:shiplog|nodejs|process)_[a-z0-9_]+/g) ?? [];
  const exposed = await metricsOf('recording', nonePending);
  expect(used.length).toBeGreaterThan(5);
  for (const metric of new Set(used))
    expect(exposed).toContain(`# TYPE ${metric.replace(/_(bucket|count)$/, '')} `);
});

interface Metric {
  name: string;
  type: string;
  help: string;
  labels: string[];
}

/** Shiplog's own, from the text that Prometheus reads. */
async function ownMetrics(): Promise<Metric[]> {
  const text = await metricsOf('recording', nonePending);
  return [...text.matchAll(/^# HELP (shiplog_\w+) (.*)\n# TYPE \w+ (\w+)\n((?:[a-z].*\n)*)/gm)].map(
    ([, name = '', help = '', type = '', samples = '']) => ({
      ...{ name, help, type },
      labels: [...new Set([...samples.matchAll(/[{,](\w+)="/g)].map(([, label = '']) => label))],
    }),
  );
}

/** https://prometheus.io/docs/practices/naming/ */
test('names, types, and units follow the conventions of Prometheus', async () => {
  const metrics = await ownMetrics();
  expect(metrics.length).toBeGreaterThan(15);
  for (const { name, type, help } of metrics) {
    expect([name, type === 'counter']).toEqual([name, name.endsWith('_total')]);
    expect(name).not.toMatch(/_(ms|millis\w*|minutes|hours|[kmg]i?b|kilobytes|megabytes|percent)(_|$)/);
    expect(name).not.toMatch(/_(seconds|bytes)_(?!total$)/);
    expect(help).toMatch(/^[A-Z1].*\.$/);
  }
});

test('no gauge is named like a counter, of those of the library either', async () => {
  const types = [...(await metricsOf('recording', nonePending)).matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  expect(types.length).toBeGreaterThan(30);
  expect(types.filter(([, name, type]) => name?.endsWith('_total') !== (type === 'counter'))).toEqual([]);
});

test('labels have only values that the configuration and the API bound, and none of a workload', async () => {
  const labels = new Set((await ownMetrics()).flatMap((metric) => metric.labels));
  expect([...labels].sort()).toEqual(['cluster', 'le', 'result', 'route', 'status', 'version']);
});

interface Alert {
  alert: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string };
}

/** `npm run docs:operating` writes them. */
test('docs/operating.md lists every metric and every alert', async () => {
  const path = `${root}docs/operating.md`;
  const metrics = (await ownMetrics()).map(({ name, type, labels, help }) => {
    const shown = labels.filter((label) => label !== 'le').map((label) => `\`${label}\``);
    return [`\`${name}\``, type, shown.join(', '), help.replace(/\.$/, '')];
  });
  const { groups } = parse(readFileSync(`${chartFiles}alerts.yaml`, 'utf8')) as {
    groups: { rules: Alert[] }[];
  };
  const alerts = groups.flatMap(({ rules }) =>
    rules.map(({ alert, labels: { severity }, annotations: { summary, description } }) => {
      const what = summary.replace('{{ $labels.cluster }}', 'a cluster');
      return [`\`${alert}\``, severity, `${what}. ${description.trim()}`];
    }),
  );
  const tables = {
    metrics: tableOf(['Metric', 'Type', 'Labels', 'Meaning'], metrics),
    alerts: tableOf(['Alert', 'Severity', 'What it means, and what to do'], alerts),
  };
  const text = Object.entries(tables).reduce(
    (all, [name, table]) => {
      const marked = new RegExp(
        `(?<=<!-- ${name}: written by npm run docs:operating -->\\n)[^]*(?=<!-- end of ${name} -->)`,
      );
      expect(all).toMatch(marked);
      return all.replace(marked, () => `\n${table}\n`);
    },
    readFileSync(path, 'utf8'),
  );
  await expect(text).toMatchFileSnapshot(path);
});

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return `${line(head)}|${'---|'.repeat(head.length)}\n${rows.map(line).join('')}`;
}
