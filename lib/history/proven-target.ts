import { compareTimes } from '@/lib/history/revision-order';
import { formatCount } from '@/lib/format/text';

/** The result of one activation, from its record. */
export interface ActivationOutcome {
  id: string;
  number: number | null;
  /** Identifies the meaning of the template. */
  template: string;
  /** Every desired pod ran it and was available. */
  completed: boolean;
  /** Its workload was scaled to zero, and no pod of it ran. */
  hadNoPods: boolean;
  /** It failed, was rolled back, or got the verdict bad. */
  failed: boolean;
  /** When it had completed. */
  endedAt: string | null;
  /** When something else became the target. */
  to: string | null;
  /** The template is still available for a rollback, and is not the current one. */
  isUsable: boolean;
}

interface ProvenTarget {
  id: string;
  number: number | null;
  /** "completed on 12 Nov, ran 3 days" */
  why: string;
}

/** A rollout reverted so soon after it had completed was a failure; later ones ran long enough. */
export const REVERTED_WITHIN_MS = 24 * 3_600_000;

/** A shorter run does not prove yet that it runs well. */
const PROVEN_AFTER_MS = 3_600_000;

/**
 * The revision of the newest activation that ran healthily for an hour, from the record; where none did, of
 * the newest that completed at all. Null where no record proves one. One that failed in its latest run is no
 * candidate, however well it had run before. `runs` are oldest first.
 */
export function findProvenTarget(runs: readonly ActivationOutcome[], nowMs: number): ProvenTarget | null {
  const failed = new Set<string>();
  const candidates = runs.toReversed().filter((run) => {
    if (run.failed) failed.add(run.template);
    return run.completed && run.isUsable && !failed.has(run.template);
  });
  const run = candidates.find((each) => (ranMs(each) ?? 0) > PROVEN_AFTER_MS) ?? candidates[0];
  return run === undefined ? null : { id: run.id, number: run.number, why: describeProof(run, nowMs) };
}

/** Ids of the revisions of which no pod ran in any run. */
export function revisionsWithoutPods(runs: readonly ActivationOutcome[]): ReadonlySet<string> {
  const ran = new Set(runs.flatMap(({ id, hadNoPods }) => (hadNoPods ? [] : [id])));
  return new Set(runs.flatMap(({ id }) => (ran.has(id) ? [] : [id])));
}

/** From its completion to its end; null where one of them is unknown. */
function ranMs({ endedAt, to }: ActivationOutcome): number | null {
  if (endedAt === null || to === null || compareTimes(to, endedAt) < 0) return null;
  return Date.parse(to) - Date.parse(endedAt);
}

function describeProof(run: ActivationOutcome, nowMs: number): string {
  if (run.endedAt === null) return 'completed';
  const completed = `completed on ${formatDate(run.endedAt, nowMs)}`;
  const ran = ranMs(run);
  return ran === null ? completed : `${completed}, ran ${formatRoughDuration(ran)}`;
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
/** Within this time a date without a year is unambiguous. */
const YEAR_OMITTED_MS = 300 * 24 * 3_600_000;

function formatDate(time: string, nowMs: number): string {
  const date = new Date(time);
  const text = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
  return nowMs - date.getTime() < YEAR_OMITTED_MS ? text : `${text} ${date.getUTCFullYear()}`;
}

const MINUTE_MS = 60_000;

function formatRoughDuration(ms: number): string {
  const minutes = ms / MINUTE_MS;
  if (minutes < 1) return 'less than a minute';
  if (minutes < 120) return formatCount(Math.floor(minutes), 'minute');
  const hours = minutes / 60;
  return hours < 48 ? formatCount(Math.floor(hours), 'hour') : formatCount(Math.floor(hours / 24), 'day');
}
