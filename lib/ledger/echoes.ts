import { type Change } from '@/lib/diff/change';
import { compareQuantities, parseQuantity, type Quantity } from '@/lib/kube/quantity';
import { type Actor } from '@/lib/ledger/record';
import { type Trace, traceOf } from '@/lib/ledger/trace';

/** An earlier rollout, as an echo names it. */
export interface EchoRollout {
  /** Id of its record. */
  id: string;
  /** The number that its revision had then; null where the source carried none. */
  number: number | null;
  cause: string | null;
  actor: Actor | null;
  /** When it began, or the bound of that; null where nothing is known. */
  at: string | null;
}

/** What a rollout did to one place. `raised` and `lowered`: of numbers and quantities. */
export type Deed = 'added' | 'removed' | 'raised' | 'lowered' | 'changed' | 'moved';

/**
 * What one change has to do with an earlier rollout, `rollout`, that did `deed` to the same place:
 *
 * - `takesBack`: it is the exact opposite. `repeats` is the latest rollout before that one which made the very change
 *   that is made now.
 * - `counters`: that rollout set the present value, and the change goes the other way, if not to where it was. `before`
 *   and `after` are the amounts that it changed, where they are amounts.
 * - `repeats`: that rollout set what is set again; `takenBackBy` had taken it back.
 * - `returns`: what was there until that rollout came is restored; there were other values meanwhile.
 */
export type Echo<Rollout = EchoRollout> = { rollout: Rollout; deed: Deed } & (
  | { kind: 'takesBack'; repeats: Rollout | null }
  | { kind: 'counters'; before: string | null; after: string | null }
  | { kind: 'repeats'; takenBackBy: Rollout }
  | { kind: 'returns' }
);

/** A rollout of the same workload with what it changed. */
export interface PastRollout<Rollout = EchoRollout> {
  rollout: Rollout;
  traces: readonly Trace[];
}

/**
 * For each change at most one echo of the rollouts before, which come oldest first; null for none. In this order:
 *
 * 1. The latest rollout that led away from the value which comes now is found. Where it led to the present value, it is
 *    taken back.
 * 2. Where the latest rollout at the place led to the present value, and an amount now goes the other way, or what it
 *    removed comes again in another form, it is countered.
 * 3. Where the rollout of 1 had itself taken back another one, that one is repeated.
 * 4. Else the value of before the rollout of 1 returns.
 *
 * Values are compared by what they mean. A place that several changes share (entries of the same name) knows only the
 * first rule. What `kubectl rollout restart` writes has no echo.
 */
export function findEchoes<Rollout>(
  changes: readonly Change[],
  earlier: readonly PastRollout<Rollout>[],
): (Echo<Rollout> | null)[] {
  const traces = changes.map(traceOf);
  const own = new Set(traces.filter((trace) => trace !== null));
  const wanted = new Map<string, Past<Rollout>[]>();
  const shared = new Set<string>();
  for (const trace of own) {
    if (wanted.has(trace.place)) shared.add(trace.place);
    else wanted.set(trace.place, []);
  }
  for (const { rollout, traces: past } of earlier) {
    const seen = new Set<string>();
    for (const trace of past) {
      wanted.get(trace.place)?.push({ rollout, trace });
      if (seen.has(trace.place)) shared.add(trace.place);
      seen.add(trace.place);
    }
  }
  const echoes = new Map(
    [...own].map((trace) => [trace, findEcho(trace, wanted.get(trace.place) ?? [], shared.has(trace.place))]),
  );
  return traces.map((trace) => (trace === null ? null : (echoes.get(trace) ?? null)));
}

/** The rollouts that an echo names. */
export function rolloutsIn<Rollout>(echo: Echo<Rollout>): Rollout[] {
  switch (echo.kind) {
    case 'takesBack':
      return echo.repeats === null ? [echo.rollout] : [echo.rollout, echo.repeats];
    case 'repeats':
      return [echo.rollout, echo.takenBackBy];
    case 'counters':
    case 'returns':
      return [echo.rollout];
    default:
      return echo satisfies never;
  }
}

/** The same echo of rollouts that are told in another way. */
export function retell<From, To>(echo: Echo<From>, tell: (rollout: From) => To): Echo<To> {
  const rollout = tell(echo.rollout);
  switch (echo.kind) {
    case 'takesBack':
      return { ...echo, rollout, repeats: echo.repeats === null ? null : tell(echo.repeats) };
    case 'repeats':
      return { ...echo, rollout, takenBackBy: tell(echo.takenBackBy) };
    case 'counters':
    case 'returns':
      return { ...echo, rollout };
    default:
      return echo satisfies never;
  }
}

interface Past<Rollout> {
  rollout: Rollout;
  trace: Trace;
}

function findEcho<Rollout>(
  now: Trace,
  past: readonly Past<Rollout>[],
  isShared: boolean,
): Echo<Rollout> | null {
  const leads = (trace: Trace): boolean => trace.before === now.after;
  const undoes = (trace: Trace): boolean => leads(trace) && trace.after === now.before;
  const latest = past.at(-1);
  const origin = past.findLastIndex(({ trace }) => (isShared ? undoes(trace) : leads(trace)));
  const away = past[origin];
  if (away !== undefined && undoes(away.trace)) {
    const same = past
      .slice(0, origin)
      .findLast(({ trace }) => trace.before === now.before && trace.after === now.after);
    return { kind: 'takesBack', ...doerOf(away), repeats: same?.rollout ?? null };
  }
  if (isShared || latest === undefined || now.kind === 'moved') return null;
  if (latest.trace.after === now.before && goesAgainst(now, latest.trace)) {
    const { before, after } = latest.trace;
    return { kind: 'counters', ...doerOf(latest), before: amountText(before), after: amountText(after) };
  }
  if (away === undefined) return null;
  const repeated = past
    .slice(0, origin)
    .findLast(({ trace }) => trace.after === away.trace.before && trace.before === away.trace.after);
  if (repeated !== undefined) return { kind: 'repeats', ...doerOf(repeated), takenBackBy: away.rollout };
  return { kind: 'returns', ...doerOf(away) };
}

function doerOf<Rollout>({ rollout, trace }: Past<Rollout>): { rollout: Rollout; deed: Deed } {
  return { rollout, deed: deedOf(trace) };
}

function deedOf(trace: Trace): Deed {
  if (trace.kind !== 'changed') return trace.kind;
  const direction = directionOf(trace);
  return direction === 0 ? 'changed' : direction > 0 ? 'raised' : 'lowered';
}

function goesAgainst(now: Trace, then: Trace): boolean {
  if (now.kind === 'added') return then.kind === 'removed';
  return directionOf(now) * directionOf(then) < 0;
}

/** 1 where the amount becomes more, -1 where it becomes less, 0 where it is no amount. */
function directionOf({ isAmount, before, after }: Trace): number {
  if (!isAmount || before === null || after === null) return 0;
  const [from, to] = [amountOf(before), amountOf(after)];
  return from === undefined || to === undefined ? 0 : Math.sign(compareQuantities(to, from));
}

function amountOf(text: string): Quantity | undefined {
  return parseQuantity(bare(text));
}

/** As it is written; null of what is no amount. */
function amountText(text: string | null): string | null {
  return text === null || amountOf(text) === undefined ? null : bare(text);
}

function bare(json: string): string {
  return json.startsWith('"') ? json.slice(1, -1) : json;
}
