import { compareTimes } from '@/lib/history/order';
import { count } from '@/lib/workloads/words';

/** What became of one activation, from its record. */
export interface RecordedRun {
  id: string;
  number: number | null;
  /** Stands for what the template means. */
  template: string;
  /** Every desired pod ran it and was available. */
  completed: boolean;
  /** It failed, was rolled back from, or was judged bad. */
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

/** One that was taken back so soon after it had completed was a failure; later it had its time. */
export const FAILED_WITHIN_MS = 24 * 3_600_000;

/** Of what ran for less nothing proves yet that it runs well. */
const PROVEN_AFTER_MS = 3_600_000;

/**
 * The revision of the newest activation that ran healthily for an hour, from the record; where none did, of the newest
 * that completed at all. Null where no record proves one. One that failed when it was last tried is no way back, however
 * well it had run before. `runs` are oldest first.
 */
export function provenTarget(runs: readonly RecordedRun[], nowMs: number): ProvenTarget | null {
  const failed = new Set<string>();
  const ways = runs.toReversed().filter((run) => {
    if (run.failed) failed.add(run.template);
    return run.completed && run.usable && !failed.has(run.template);
  });
  const run = ways.find((each) => (ranMs(each) ?? 0) > PROVEN_AFTER_MS) ?? ways[0];
  return run === undefined ? null : { id: run.id, number: run.number, why: why(run, nowMs) };
}

/** From its completion to its end; null where one of them is not known. */
function ranMs({ endedAt, to }: RecordedRun): number | null {
  if (endedAt === null || to === null || compareTimes(to, endedAt) < 0) return null;
  return Date.parse(to) - Date.parse(endedAt);
}

function why(run: RecordedRun, nowMs: number): string {
  if (run.endedAt === null) return 'completed, as its record says';
  const completed = `completed on ${day(run.endedAt, nowMs)}`;
  const ran = ranMs(run);
  return ran === null ? completed : `${completed}, ran ${roughly(ran)}`;
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
