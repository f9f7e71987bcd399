import { type ActivityItem } from '@/lib/api/activity';
import { csvCell } from '@/lib/view/report-text';

/** How an action ended, in a word. */
export const actionStateLabels: Record<ActivityItem['state'], string> = {
  accepted: 'accepted',
  following: 'in progress',
  done: 'done',
  failed: 'failed',
  refused: 'rejected',
};

const columns: readonly (readonly [string, (action: ActivityItem) => string | number | null])[] = [
  ['time', ({ startedAt }) => startedAt],
  ['ended', ({ endedAt }) => endedAt],
  ['result', ({ state }) => actionStateLabels[state]],
  ['action', ({ action }) => action],
  ['label', ({ label }) => label ?? null],
  ['namespace', ({ namespace }) => namespace],
  ['target', ({ name }) => name],
  ['resource', ({ resource }) => resource],
  ['from', ({ from }) => from],
  ['to', ({ to }) => to],
  ['by', ({ actor }) => actor],
  ['as', ({ identity }) => identity],
  ['reason', ({ reason }) => reason],
  ['details', ({ message }) => message],
  ['api server', ({ apiMessage }) => apiMessage],
  ['record', ({ recordId }) => recordId],
];

/** Actions as CSV (RFC 4180), with a header. */
export function formatActivityCsv(items: readonly ActivityItem[]): string {
  const lines = [
    columns.map(([title]) => csvCell(title)),
    ...items.map((item) => columns.map(([, read]) => csvCell(read(item)))),
  ];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}
