import { compareTimes } from '@/lib/history/order';
import { count } from '@/lib/workloads/words';

/** What became of one activation, from its record. */
export interface RecordedRun {
  id: string;
  number: number | null;
  /** Stands for the template. */
  hash: string;
  /** Every desired pod ran it and was available. */
  completed: boolean;
  /** It never got that far, was taken back soon after, or was judged bad. */
  failed: boolean;
  /** When it had completed. */
  endedAt: string | null;
  /** When something else became the target. */
  to: string | null;
  /** The template is still there to return to, and is not the present one. */
  usable: boolean;
}

export interface ProvenTarget {
  id: string;
  number: number | null;
  /** "completed on 12 Nov, ran 3 days" */
  why: string;
}

/** A rollout that was taken back so soon after it had completed was a failure; later it had its time. */
export const FAILED_WITHIN_MS = 24 * 3_600_000;

/**
 * The revision of the newest activation that ran healthily, from the record; null where no record proves one. One that
 * failed when it was last tried is no way back, however well it had run before. `runs` are oldest first.
 */
export function provenTarget(runs: readonly RecordedRun[], nowMs: number): ProvenTarget | null {
  const failed = new Set<string>();
  for (const run of runs.toReversed()) {
    if (run.failed) failed.add(run.hash);
    if (!run.completed || !run.usable || failed.has(run.hash)) continue;
    return { id: run.id, number: run.number, why: why(run, nowMs) };
  }
  return null;
}

function why({ endedAt, to }: RecordedRun, nowMs: number): string {
  if (endedAt === null) return 'completed, as its record says';
  const completed = `completed on ${day(endedAt, nowMs)}`;
  if (to === null || compareTimes(to, endedAt) < 0) return completed;
  return `${completed}, ran ${roughly(Date.parse(to) - Date.parse(endedAt))}`;
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
/** Within it a day and a month are said of one year only. */
const YEAR_KNOWN_MS = 300 * 24 * 3_600_000;

function day(time: string, nowMs: number): string {
  const date = new Date(time);
  const text = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
  return nowMs - date.getTime() < YEAR_KNOWN_MS ? text : `${text} ${date.getUTCFullYear()}`;
}

const MINUTE_MS = 60_000;

function roughly(ms: number): string {
  const minutes = ms / MINUTE_MS;
  if (minutes < 1) return 'less than a minute';
  if (minutes < 120) return count(Math.floor(minutes), 'minute');
  const hours = minutes / 60;
  return hours < 48 ? count(Math.floor(hours), 'hour') : count(Math.floor(hours / 24), 'day');
}
