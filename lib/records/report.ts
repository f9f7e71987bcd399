import type { Outcome } from '@/lib/api/record-values';
import type { Figures, RolloutReport } from '@/lib/api/reports';
import { formatAge } from '@/lib/format/duration';
import { nextMidnight } from '@/lib/format/time';

/** A rollout as the figures of a period need it. Times are in milliseconds since 1970. */
export interface ReportedRollout {
  id: string;
  /** The same for every incarnation of a workload: a recreated workload may restore one that failed. */
  workload: string;
  /** Namespace or team; null where it has none. */
  group: string | null;
  /** An unknown start counts by its bound. */
  startedMs: number;
  endedMs: number | null;
  /** Null while it is open. */
  outcome: Outcome | null;
  /** Whether its start is known, and with it its duration. */
  isStartKnown: boolean;
  /** Start of the rollout that reverted it. */
  revertedMs: number | null;
  stuck: boolean;
  reviewed: boolean;
  hasCause: boolean;
  /** Its template had been the target of the workload before: a rollback, or the undoing of one. */
  isReturn: boolean;
}

interface Failure<Rollout extends ReportedRollout = ReportedRollout> {
  rollout: Rollout;
  /** Null while no rollout has completed since. */
  restoreMs: number | null;
}

/** A calendar day as far as it lies within the period. */
export interface DayFigures {
  fromMs: number;
  isPartial: boolean;
  /** Rollouts of the day that lies one period earlier. */
  before: number;
  completed: number;
  rolledBack: number;
  failed: number;
  other: number;
}

export interface Period {
  fromMs: number;
  toMs: number;
  /** How soon a completed rollout must be reverted to count as a failed change. */
  revertedWithinMs: number;
  /** In which days begin (IANA name). */
  timeZone: string;
}

export interface PeriodReport<Rollout extends ReportedRollout = ReportedRollout> {
  total: Figures;
  groups: RolloutReport['groups'];
  days: DayFigures[];
  /** Latest first, up to a bound. */
  failures: Failure<Rollout>[];
  /** Of the periods of the same length before, latest first. */
  before: Figures[];
}

const DAY_MS = 86_400_000;
/** A rollout that is superseded within a minute is one edit in several writes. */
const SUPERSEDED_EDIT_MS = 60_000;
/** A year of days, of which the first and the last are partial, is the longest row of bars that is readable. */
const DAYS_MAX = 367;
/** More than is readable in a list or chart; the totals count all. */
const FAILURES_MAX = 500;

/**
 * The figures of a period and of as many of the same length before it, for a stream of rollouts, latest start first; a rollout after the period counts only as what
 * restored a workload. Memory: a number for each workload and each duration, and only the failed rollouts.
 */
export function createPeriodReport<Rollout extends ReportedRollout>(period: Period, before: number) {
  const lengthMs = period.toMs - period.fromMs;
  const totals = Array.from({ length: before + 1 }, emptyTally);
  const groups = new Map<string | null, [now: Tally, previous: Tally]>();
  const days = emptyDays(period);
  const failures: Failure<Rollout>[] = [];
  /** Of each workload the earliest end among the completed rollouts so far. */
  const restoredAt = new Map<string, number>();

  function add(rollout: Rollout): void {
    const periodIndex =
      rollout.startedMs >= period.toMs
        ? -1
        : Math.max(0, Math.ceil((period.fromMs - rollout.startedMs) / lengthMs));
    const total = totals[periodIndex];
    if (total !== undefined) {
      const failure = isFailedChange(rollout, period.revertedWithinMs)
        ? { rollout, restoreMs: restoreMsOf(rollout, restoredAt.get(rollout.workload)) }
        : null;
      count(total, rollout, failure);
      if (periodIndex <= 1)
        count(groupOf(groups, rollout.group)[periodIndex === 0 ? 0 : 1], rollout, failure);
      if (periodIndex === 1) {
        const day = dayAt(days, rollout.startedMs + lengthMs);
        if (day !== undefined) day.before += 1;
      }
      if (periodIndex === 0) {
        const day = dayAt(days, rollout.startedMs);
        if (day !== undefined) day[dayFigureOf(rollout.outcome)] += 1;
        if (failure !== null && failures.length < FAILURES_MAX) failures.push(failure);
      }
    }
    if (rollout.outcome === 'completed' && rollout.endedMs !== null) {
      const known = restoredAt.get(rollout.workload) ?? Infinity;
      restoredAt.set(rollout.workload, Math.min(known, rollout.endedMs));
    }
  }

  function report(): PeriodReport<Rollout> {
    const [total = emptyTally(), ...earlier] = totals;
    return {
      total: figuresOf(total),
      groups: [...groups]
        .filter(([, [now]]) => now.rollouts > 0)
        .map(([name, [now, previous]]) => ({ name, figures: figuresOf(now), previous: figuresOf(previous) }))
        .sort((a, b) => b.figures.rollouts - a.figures.rollouts || compareNames(a.name, b.name)),
      days,
      failures,
      before: earlier.map(figuresOf),
    };
  }

  return { add, report };
}

/** What each figure means, for the reader of the report. */
export function reportDefinitions(revertedWithinMs: number): Record<string, string> {
  return {
    rollouts:
      'Rollouts that started in the period. Where the start was not observed, the latest possible start counts.',
    changeFailureRate: `Failed changes as a share of all changes with a known outcome. A failed change was rolled back before completion, failed, or was reverted within ${formatAge(revertedWithinMs)} of completion. Rollbacks, rollouts that the owner of the workload reverted, rollouts without pods, and rollouts superseded within a minute are not changes.`,
    timeToRestore:
      'Median time from the start of a failed change to the end of the next completed rollout of the same workload.',
    duration: 'Median time from start to end of completed rollouts with a known start and end.',
    reviewed: 'Rollouts that have a verdict.',
    withCause: 'Rollouts with a change cause: an annotation, or a reason given in Shiplog.',
  };
}

/** The counts of a group of rollouts. */
interface Tally extends Omit<Figures, 'changeFailureRate' | 'timeToRestoreMs' | 'durationMs'> {
  durations: number[];
  restores: number[];
}

function emptyTally(): Tally {
  return {
    rollouts: 0,
    completed: 0,
    rolledBack: 0,
    undone: 0,
    superseded: 0,
    noPods: 0,
    failed: 0,
    unknown: 0,
    open: 0,
    stuck: 0,
    reverted: 0,
    failedChanges: 0,
    restored: 0,
    unrestored: 0,
    reviewed: 0,
    withCause: 0,
    measured: 0,
    durations: [],
    restores: [],
  };
}

function groupOf(groups: Map<string | null, [now: Tally, previous: Tally]>, name: string | null) {
  const known = groups.get(name);
  if (known !== undefined) return known;
  const group: [Tally, Tally] = [emptyTally(), emptyTally()];
  groups.set(name, group);
  return group;
}

function count(tally: Tally, rollout: ReportedRollout, failure: Failure | null): void {
  const { outcome, isStartKnown, startedMs, endedMs } = rollout;
  tally.rollouts += 1;
  tally[outcome ?? 'open'] += 1;
  tally.stuck += Number(rollout.stuck);
  tally.reviewed += Number(rollout.reviewed);
  tally.withCause += Number(rollout.hasCause);
  tally.measured += Number(outcome !== null && outcome !== 'unknown' && isChange(rollout));
  if (outcome === 'completed' && isStartKnown && endedMs !== null) {
    tally.durations.push(Math.max(0, endedMs - startedMs));
  }
  if (failure === null) return;
  tally.failedChanges += 1;
  tally.reverted += Number(outcome === 'completed');
  if (failure.restoreMs === null) tally.unrestored += 1;
  else {
    tally.restored += 1;
    tally.restores.push(failure.restoreMs);
  }
}

function figuresOf({ durations, restores, ...counts }: Tally): Figures {
  const { measured, failedChanges } = counts;
  return {
    ...counts,
    changeFailureRate: measured === 0 ? null : failedChanges / measured,
    timeToRestoreMs: median(restores),
    durationMs: median(durations),
  };
}

/**
 * A return to an earlier template is the remedy of a change, not a change itself, and an edit replaced at
 * once never ran, like one without pods.
 */
function isChange({ isReturn, outcome, startedMs, endedMs }: ReportedRollout): boolean {
  if (isReturn || outcome === 'undone' || outcome === 'noPods') return false;
  return outcome !== 'superseded' || endedMs === null || endedMs - startedMs >= SUPERSEDED_EDIT_MS;
}

function isFailedChange(rollout: ReportedRollout, revertedWithinMs: number): boolean {
  const { outcome, endedMs, revertedMs } = rollout;
  if (!isChange(rollout)) return false;
  if (outcome === 'rolledBack' || outcome === 'failed') return true;
  if (outcome !== 'completed' || endedMs === null || revertedMs === null) return false;
  return revertedMs - endedMs <= revertedWithinMs;
}

function restoreMsOf({ startedMs }: ReportedRollout, restoredAtMs: number | undefined): number | null {
  return restoredAtMs === undefined ? null : Math.max(0, restoredAtMs - startedMs);
}

/** The mean of the middle two for an even count; null for an empty list. */
export function median(values: readonly number[]): number | null {
  // Sorts as numbers, and in a fifth of the time.
  const sorted = Float64Array.from(values).sort();
  const upper = sorted[Math.floor(sorted.length / 2)];
  if (upper === undefined) return null;
  if (sorted.length % 2 === 1) return upper;
  return ((sorted[sorted.length / 2 - 1] ?? upper) + upper) / 2;
}

function emptyDays({ fromMs, toMs, timeZone }: Period): DayFigures[] {
  const days: DayFigures[] = [];
  let startMs = fromMs;
  while (startMs < toMs && days.length < DAYS_MAX) {
    const nextMs = nextMidnight(startMs, timeZone);
    const isPartial = nextMs > toMs || nextMidnight(startMs - 1, timeZone) !== startMs;
    days.push({ fromMs: startMs, isPartial, before: 0, completed: 0, rolledBack: 0, failed: 0, other: 0 });
    startMs = nextMs;
  }
  return days;
}

/** Days are shorter or longer than 24 hours where the clocks change, so the place that 24 hours give is only near. */
function dayAt(days: readonly DayFigures[], ms: number): DayFigures | undefined {
  const [first] = days;
  if (first === undefined) return undefined;
  let index = Math.min(days.length - 1, Math.floor((ms - first.fromMs) / DAY_MS) + 1);
  while (index > 0 && (days[index]?.fromMs ?? 0) > ms) index -= 1;
  return days[index];
}

function dayFigureOf(outcome: Outcome | null): 'completed' | 'rolledBack' | 'failed' | 'other' {
  return outcome === 'completed' || outcome === 'rolledBack' || outcome === 'failed' ? outcome : 'other';
}

function compareNames(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a < b ? -1 : a > b ? 1 : 0;
}
