import type { Activity, ActivityItem } from '@/lib/api/activity';
import { type CsvColumn, formatCsv } from '@/lib/view/csv';
import { type ClusterNames, withCluster } from '@/lib/view/report-text';

/** How an action ended, in a word. */
export const actionStateLabels: Record<ActivityItem['state'], string> = {
  accepted: 'accepted',
  following: 'in progress',
  done: 'done',
  failed: 'failed',
  refused: 'rejected',
};

const columns: readonly CsvColumn<ActivityItem>[] = [
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

/** Actions as CSV, with a note of what is missing. */
export function formatActivityCsv(
  { items, nextCursor, partial }: Pick<Activity, 'items' | 'nextCursor' | 'partial'>,
  clusters?: ClusterNames,
): string {
  const notes = partial.map(({ cluster, reason }) =>
    cluster === undefined
      ? `Older actions are missing. ${reason}`
      : `Actions in ${cluster} are missing. ${reason}`,
  );
  if (nextCursor !== null) notes.push('Incomplete: more actions match. Choose a shorter period.');
  return formatCsv(withCluster(columns, clusters), items, notes);
}
