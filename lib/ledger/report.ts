import { formatAge } from '@/lib/format/duration';
import { type Outcome } from '@/lib/ledger/record';

/** A rollout as the figures of a period need it. Times are in milliseconds since 1970. */
export interface ReportedRollout {
  id: string;
  /** The same for every life of a workload: a workload that is created again may restore one that failed. */
  workload: string;
  /** Namespace or team; null where it has none. */
  group: string | null;
  /** An unknown start counts by its bound. */
  startedMs: number;
  endedMs: number | null;
  /** Null while it is open. */
  outcome: Outcome | null;
  /** Whether its start is known, and with it how long it took. */
  timed: boolean;
  /** Start of the rollout that took it back. */
  revertedMs: number | null;
  stuck: boolean;
  reviewed: boolean;
  hasCause: boolean;
}

export interface Figures {
  rollouts: number;
  completed: number;
  rolledBack: number;
  superseded: number;
  failed: number;
  unknown: number;
  open: number;
  stuck: number;
  reverted: number;
  failedChanges: number;
  measured: number;
  changeFailureRate: number | null;
  restored: number;
  unrestored: number;
  timeToRestoreMs: number | null;
  durationMs: number | null;
  reviewed: number;
  withCause: number;
}

export interface Failure {
  rollout: ReportedRollout;
  /** Null while nothing has completed since. */
  restoreMs: number | null;
}

export interface DayFigures {
  fromMs: number;
  completed: number;
  rolledBack: number;
  failed: number;
  other: number;
}

export interface Period {
  fromMs: number;
  toMs: number;
  /** How soon a completed rollout must be taken back to count as a failed change. */
  revertedWithinMs: number;
}

export interface PeriodReport {
  total: Figures;
  groups: { name: string | null; figures: Figures }[];
  days: DayFigures[];
  failures: Failure[];
}

const DAY_MS = 86_400_000;
/** A year of days is the longest row of bars that anybody reads. */
const DAYS_MAX = 366;

/**
 * The figures of a period. `rollouts` may hold more than it: those begun after its end count only as what restored a
 * workload.
 */
export function reportPeriod(rollouts: readonly ReportedRollout[], period: Period): PeriodReport {
  const inside = rollouts.filter(({ startedMs }) => startedMs >= period.fromMs && startedMs < period.toMs);
  const ofWorkload = Map.groupBy(rollouts, ({ workload }) => workload);
  const restores = new Map(
    failedOf(inside, period).map((rollout) => [
      rollout.id,
      restoreMsOf(rollout, ofWorkload.get(rollout.workload) ?? []),
    ]),
  );
  const groups = [...Map.groupBy(inside, ({ group }) => group)]
    .map(([name, members]) => ({ name, figures: figuresOf(members, period, restores) }))
    .sort((a, b) => b.figures.rollouts - a.figures.rollouts || compareNames(a.name, b.name));
  return {
    total: figuresOf(inside, period, restores),
    groups,
    days: daysOf(inside, period),
    failures: failedOf(inside, period).map((rollout) => ({
      rollout,
      restoreMs: restores.get(rollout.id) ?? null,
    })),
  };
}

/** What each figure means, for whoever reads it. */
export function reportDefinitions(revertedWithinMs: number): Record<string, string> {
  return {
    rollouts:
      'Rollouts that began in the period; one whose start nobody saw counts by the latest time at which it can have begun.',
    changeFailureRate: `Failed changes among the rollouts that ended with a known outcome. A failed change was rolled back before it had completed, failed, or was taken back within ${formatAge(revertedWithinMs)} after it had completed.`,
    timeToRestore:
      'Median, over the failed changes, of the time from the start of the rollout to the end of the next rollout of the same workload that completed.',
    duration:
      'Median time from start to end of the rollouts that completed and whose start and end are known.',
    reviewed: 'Rollouts that have a verdict.',
    withCause: 'Rollouts for which somebody gave a reason.',
  };
}

function figuresOf(
  rollouts: readonly ReportedRollout[],
  period: Period,
  restores: ReadonlyMap<string, number | null>,
): Figures {
  const count = (test: (rollout: ReportedRollout) => boolean) => rollouts.filter(test).length;
  const ended = (outcome: Outcome | null) => count((rollout) => rollout.outcome === outcome);
  const failed = failedOf(rollouts, period);
  const restoreTimes = failed.map(({ id }) => restores.get(id) ?? null).filter((ms) => ms !== null);
  const measured = count(({ outcome }) => outcome !== null && outcome !== 'unknown');
  return {
    rollouts: rollouts.length,
    completed: ended('completed'),
    rolledBack: ended('rolledBack'),
    superseded: ended('superseded'),
    failed: ended('failed'),
    unknown: ended('unknown'),
    open: ended(null),
    stuck: count(({ stuck }) => stuck),
    reverted: count((rollout) => isReverted(rollout, period)),
    failedChanges: failed.length,
    measured,
    changeFailureRate: measured === 0 ? null : failed.length / measured,
    restored: restoreTimes.length,
    unrestored: failed.length - restoreTimes.length,
    timeToRestoreMs: median(restoreTimes),
    durationMs: median(rollouts.flatMap(durationOf)),
    reviewed: count(({ reviewed }) => reviewed),
    withCause: count(({ hasCause }) => hasCause),
  };
}

function failedOf(rollouts: readonly ReportedRollout[], period: Period): ReportedRollout[] {
  return rollouts.filter((rollout) => {
    const { outcome } = rollout;
    return outcome === 'rolledBack' || outcome === 'failed' || isReverted(rollout, period);
  });
}

function isReverted({ outcome, endedMs, revertedMs }: ReportedRollout, period: Period): boolean {
  if (outcome !== 'completed' || endedMs === null || revertedMs === null) return false;
  return revertedMs - endedMs <= period.revertedWithinMs;
}

/** `others` are the rollouts of the same workload. */
function restoreMsOf(failed: ReportedRollout, others: readonly ReportedRollout[]): number | null {
  const ends = others.flatMap(({ id, startedMs, endedMs, outcome }) =>
    id !== failed.id && outcome === 'completed' && endedMs !== null && startedMs >= failed.startedMs
      ? [endedMs]
      : [],
  );
  return ends.length === 0 ? null : Math.max(0, Math.min(...ends) - failed.startedMs);
}

function durationOf({ outcome, timed, startedMs, endedMs }: ReportedRollout): number[] {
  return outcome === 'completed' && timed && endedMs !== null ? [Math.max(0, endedMs - startedMs)] : [];
}

/** The mean of the two in the middle where there is no one there; null of nothing. */
export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  if (upper === undefined) return null;
  if (sorted.length % 2 === 1) return upper;
  return ((sorted[sorted.length / 2 - 1] ?? upper) + upper) / 2;
}

function daysOf(rollouts: readonly ReportedRollout[], { fromMs, toMs }: Period): DayFigures[] {
  const count = Math.min(DAYS_MAX, Math.ceil((toMs - fromMs) / DAY_MS));
  const days = Array.from({ length: count }, (_, index): DayFigures => ({
    fromMs: fromMs + index * DAY_MS,
    completed: 0,
    rolledBack: 0,
    failed: 0,
    other: 0,
  }));
  for (const { startedMs, outcome } of rollouts) {
    const day = days[Math.floor((startedMs - fromMs) / DAY_MS)];
    if (day !== undefined) day[barOf(outcome)] += 1;
  }
  return days;
}

function barOf(outcome: Outcome | null): 'completed' | 'rolledBack' | 'failed' | 'other' {
  return outcome === 'completed' || outcome === 'rolledBack' || outcome === 'failed' ? outcome : 'other';
}

function compareNames(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a < b ? -1 : a > b ? 1 : 0;
}
