import { expect, test } from 'vitest';
import { formatActivityCsv } from '@/lib/view/activity-text';
import { formatReportCsv, formatReportMarkdown } from '@/lib/view/report-text';
import type { RolloutReport, ReportRow } from '@/lib/api/reports';

test('the CSV of a bounded or partial list says so', () => {
  const notesOf = (nextCursor: string | null, reasons: readonly string[]) =>
    formatActivityCsv({
      items: [],
      nextCursor,
      partial: reasons.map((reason) => ({ resource: 'archive', reason })),
    })
      .trimEnd()
      .split('\r\n')
      .slice(1);
  expect(notesOf(null, [])).toEqual([]);
  expect(notesOf('c', ['The archive is unavailable.']).map((line) => line.replace(/,+$/, ''))).toEqual([
    'Older actions are missing. The archive is unavailable.',
    'Incomplete: more actions match. Choose a shorter period.',
  ]);
});

test('files over several clusters name the cluster of each row, and others have no such column', () => {
  const row = {
    cluster: 'id-eu',
    namespace: 'shop',
    name: 'cart',
    summary: '',
    outcome: null,
    startedAt: null,
    endedAt: null,
    verdict: null,
    cause: null,
    reverts: null,
    revertedBy: null,
    actor: null,
    team: null,
    kind: 'Deployment',
    from: 1,
    to: 2,
    reviewedBy: null,
    followUp: null,
    comments: 0,
    id: 'r',
  } satisfies ReportRow;
  const report = { rows: [row], groups: [], definitions: {}, from: '', to: '', by: 'stage' };
  const full = { ...report, total: {}, previous: {}, truncated: false } as unknown as RolloutReport;
  const names = new Map([['id-eu', 'prod-eu']]);
  expect(formatReportCsv(full, names)).toMatch(
    /^started,ended,seconds,cluster,namespace[^]*,prod-eu,shop,cart,/,
  );
  expect(formatReportCsv(full)).toMatch(/^started,ended,seconds,namespace/);
  expect(formatReportMarkdown(full, names)).toMatch(
    /\| Started \| Cluster \| Workload[^]*\| prod-eu \| shop\/cart/,
  );
  expect(formatReportMarkdown(full)).not.toMatch(/Cluster|prod-eu/);
  const listed = { items: [], nextCursor: null, partial: [] };
  expect(formatActivityCsv(listed, names)).toMatch(/,cluster,namespace,/);
  expect(formatActivityCsv(listed)).not.toMatch(/cluster/);
});
