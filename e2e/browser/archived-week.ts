import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RolloutRecord } from '@/lib/api/record';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** What the tests expect of each rollout, by its id. */
export interface ArchivedWeek {
  all: readonly string[];
  failed: readonly string[];
  /** Completed at once. */
  quick: readonly string[];
  /** Completed after twenty minutes. */
  slow: readonly string[];
}

/**
 * Adds to the archive of a sandbox that does not run a week of sixty rollouts without a verdict: six that failed, forty
 * that completed at once, and fourteen that took long. They belong to `team`, so that what starts in the sandbox
 * meanwhile is not in their queue.
 */
export function archiveWeek(home: string, team: string): ArchivedWeek {
  const env = { ...process.env, HOME: home, SHIPLOG_DATA_DIR: join(home, '.local/share/shiplog/sandbox') };
  const archive = (command: string, file: string) =>
    execFileSync(process.execPath, ['scripts/archive.mjs', command, join(home, file)], { env });
  archive('export', `before-${team}.ndjson`);
  const [header = '', ...lines] = readFileSync(join(home, `before-${team}.ndjson`), 'utf8').split('\n');
  const records = lines
    .filter((line) => line.startsWith('{"type":"record"'))
    .map((line) => (JSON.parse(line) as { value: RolloutRecord }).value);
  const known = copyable(records);
  const week: Record<'failed' | 'quick' | 'slow', string[]> = { failed: [], quick: [], slow: [] };
  const added = Array.from({ length: 60 }, (_, index): RolloutRecord => {
    const kind = index % 10 === 0 ? 'failed' : index % 3 === 0 && week.slow.length < 14 ? 'slow' : 'quick';
    const id = `${team}-${String(index).padStart(2, '0')}`;
    week[kind].push(id);
    const base = known[index % known.length];
    if (base === undefined) throw new Error('The sandbox has no rollout to copy.');
    const startedMs = Date.now() - DAY_MS - index * 2 * 60 * MINUTE_MS;
    const endedMs = startedMs + (kind === 'quick' ? MINUTE_MS / 2 : 20 * MINUTE_MS);
    return {
      ...base,
      id,
      actionId: null,
      workload: { ...base.workload, labels: { 'app.kubernetes.io/part-of': team } },
      ...{ startedAt: new Date(startedMs).toISOString(), endedAt: new Date(endedMs).toISOString() },
      outcome: kind === 'failed' ? 'rolledBack' : 'completed',
      ...{ steps: [], spans: [], samples: [], events: [], unwatched: [] },
    };
  });
  const copies = added.map((value) => JSON.stringify({ type: 'record', value }));
  const end = JSON.stringify({ type: 'end', lines: copies.length + 2 });
  writeFileSync(join(home, `${team}.ndjson`), `${[header, ...copies, end].join('\n')}\n`);
  archive('import', `${team}.ndjson`);
  return { all: added.map(({ id }) => id), ...week };
}

/** One rollout of each workload to whose source no later one returns, so that no copy is taken for a reverted one. */
function copyable(records: readonly RolloutRecord[]): RolloutRecord[] {
  const byWorkload = new Map<string, RolloutRecord>();
  for (const record of records) {
    const { outcome, from, restart, progressiveRollout, workload } = record;
    if (outcome !== 'completed' || from === null || restart || progressiveRollout !== null) continue;
    // After the rollout itself, or after a copy of it.
    const since = Math.min(startMs(record), Date.now() - 7 * DAY_MS);
    const isReturnedTo = records.some(
      (other) =>
        other.id !== record.id &&
        other.workload.uid === workload.uid &&
        other.to.hash === from.hash &&
        startMs(other) > since,
    );
    if (!isReturnedTo) byWorkload.set(workload.uid, record);
  }
  return [...byWorkload.values()];
}

function startMs({ startedAt, endedAt }: RolloutRecord): number {
  return Date.parse(startedAt ?? endedAt ?? '');
}
