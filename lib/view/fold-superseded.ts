import type { RecordItem } from '@/lib/api/records';
import { HOUR } from '@/lib/format/duration';
import { latestStartMs } from '@/lib/records/times';

/** A row of the history: one rollout, and those that it stands for. */
export type HistoryRow = RecordItem & {
  /** Earlier superseded rollouts of the same run, newest first. */
  folded?: readonly RecordItem[];
};

/** Edits further apart are no run. */
const RUN_MS_MAX = HOUR;

/**
 * Folds each run of superseded rollouts of one workload into the last of them: quick edits that never completed would
 * otherwise fill the list. `items` are newest first; the runs of `opened` rows are listed after them.
 */
export function foldSuperseded(items: readonly RecordItem[], opened: ReadonlySet<string>): HistoryRow[] {
  const heads = new Map<string, { record: RecordItem; folded: RecordItem[] }>();
  const rows: { record: RecordItem; folded: RecordItem[] }[] = [];
  for (const record of items) {
    const key = `${record.workload.cluster} ${record.workload.uid}`;
    const head = heads.get(key);
    if (record.outcome !== 'superseded') heads.delete(key);
    else if (head !== undefined && latestStartMs(head.record) - latestStartMs(record) <= RUN_MS_MAX) {
      head.folded.push(record);
      if (!opened.has(head.record.id)) continue;
    }
    const row = { record, folded: [] };
    rows.push(row);
    if (record.outcome === 'superseded' && !head?.folded.includes(record)) heads.set(key, row);
  }
  return rows.map(({ record, folded }) => (folded.length === 0 ? record : { ...record, folded }));
}
