import { later, ms } from '@/lib/ledger/moments';
import { type Observation } from '@/lib/ledger/observation';
import { type RolloutSpan } from '@/lib/ledger/record';

/** A workload that goes to and fro for days says nothing new with each turn. */
const SPANS_MAX = 100;
/** What a rollout may take by default without getting on. */
const DEADLINE_MS = 600_000;

/** How a rollout gets on at a moment. */
export interface Pace extends Pick<Observation, 'state' | 'message' | 'stateSince' | 'at'> {
  /** A step of its release waits for a person. */
  awaitsApproval?: true;
}

/** The periods in which the rollout did not get on, with what is seen now. `start`: none begins before the rollout. */
export function addSpan(
  spans: readonly RolloutSpan[],
  observation: Pace,
  start: string | null,
): readonly RolloutSpan[] {
  const { at, message } = observation;
  // The controller has not judged the last edit yet: neither on the way nor stuck.
  if (observation.state === 'unknown') return spans;
  const kind = isOfEarlierRollout(observation, start) ? null : kindOf(observation.state);
  const waits = kind === 'held' ? waitsOf(observation) : {};
  const last = spans.at(-1);
  if (last?.to === null && last.kind === kind) {
    const { waitsFor, ...known } = last;
    return last.reason === message && waitsFor === waits.waitsFor
      ? spans
      : [...spans.slice(0, -1), { ...known, ...waits, reason: message, reasonAt: at }];
  }
  const closed = endSpans(spans, at);
  if (kind === null) return closed;
  if (closed.length >= SPANS_MAX && last !== undefined) {
    const { from } = last;
    return [...closed.slice(0, -1), { kind, ...waits, from, to: null, reason: message, reasonAt: at }];
  }
  const since = observation.stateSince ?? at;
  const floor = [start, last?.to ?? null].reduce<string>(later, since);
  const from = ms(floor) > ms(at) ? at : floor;
  return [...closed, { kind, ...waits, from, to: null, reason: message, reasonAt: at }];
}

function waitsOf({ state, awaitsApproval }: Pace): Pick<RolloutSpan, 'waitsFor'> {
  if (awaitsApproval === true) return { waitsFor: 'approval' };
  if (state === 'waiting') return { waitsFor: 'deletion' };
  return state === 'paused' ? { waitsFor: 'resume' } : {};
}

/**
 * A rollout that ends one past its deadline by going back finds the verdict on that one, which the controller keeps
 * until something moves. https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/sync.go
 */
function isOfEarlierRollout(
  { state, stateSince, at }: Pick<Observation, 'state' | 'stateSince' | 'at'>,
  start: string | null,
): boolean {
  if (state !== 'deadlineExceeded' || stateSince === null || start === null) return false;
  // The API server's times are whole seconds, and so are deadlines.
  return ms(stateSince) <= Math.floor(ms(start) / 1_000) * 1_000 && ms(at) - ms(start) < DEADLINE_MS;
}

/** Without a span that goes on: what was not seen later held at least until then. */
export function endSpans(spans: readonly RolloutSpan[], at: string): readonly RolloutSpan[] {
  const last = spans.at(-1);
  if (last?.to !== null || last === undefined) return spans;
  return [...spans.slice(0, -1), { ...last, to: later(last.from, at) }];
}

function kindOf(state: Observation['state']): RolloutSpan['kind'] | null {
  switch (state) {
    case 'stuck':
    case 'deadlineExceeded':
    case 'failed':
      return 'stuck';
    case 'held':
    case 'waiting':
    case 'paused':
      return 'held';
    case 'complete':
    case 'rolling':
    case 'degraded':
    case 'unknown':
      return null;
    default:
      return state satisfies never;
  }
}
