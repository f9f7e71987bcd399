import { laterOf, ms } from '@/lib/records/times';
import type { Observation } from '@/lib/records/observation';
import type { RolloutSpan } from '@/lib/api/record';

/** A workload that alternates for days adds nothing new with each turn. */
const SPANS_MAX = 100;
/** How long a rollout may make no progress by default. */
const DEADLINE_MS = 600_000;

/** The progress of a rollout at one moment. */
export interface Pace extends Pick<Observation, 'state' | 'message' | 'stateSince' | 'at'> {
  /** A step of its progressive rollout waits for approval. */
  awaitsApproval?: true;
}

/** The periods without progress, updated from an observation. `start`: none begins before the rollout. */
export function addSpan(
  spans: readonly RolloutSpan[],
  observation: Pace,
  start: string | null,
): readonly RolloutSpan[] {
  const { at, message } = observation;
  // The controller has not processed the last edit yet: neither in progress nor stalled.
  if (observation.state === 'unknown') return spans;
  const kind = isOfEarlierRollout(observation, start) ? null : spanKindOf(observation.state);
  const cause = causeOf(observation, kind);
  const last = spans.at(-1);
  const isOngoing = last?.to === null && last.kind === kind;
  if (isOngoing && (kind === 'stuck' || last.waitsFor === cause.waitsFor)) {
    const { hasFailed, ...known } = last;
    return last.reason === message && hasFailed === cause.hasFailed
      ? spans
      : [...spans.slice(0, -1), { ...known, ...cause, reason: message, reasonAt: at }];
  }
  const closed = endSpans(spans, at);
  if (kind === null) return closed;
  if (closed.length >= SPANS_MAX && last !== undefined) {
    const { from } = last;
    return [...closed.slice(0, -1), { kind, ...cause, from, to: null, reason: message, reasonAt: at }];
  }
  // It began to wait for something else when that was observed.
  const since = isOngoing ? at : (observation.stateSince ?? at);
  const floor = [start, last?.to ?? null].reduce<string>(laterOf, since);
  const from = ms(floor) > ms(at) ? at : floor;
  return [...closed, { kind, ...cause, from, to: null, reason: message, reasonAt: at }];
}

function causeOf(
  { state, awaitsApproval }: Pace,
  kind: RolloutSpan['kind'] | null,
): Pick<RolloutSpan, 'waitsFor' | 'hasFailed'> {
  if (kind !== 'held') return state === 'failed' ? { hasFailed: true } : {};
  if (awaitsApproval === true) return { waitsFor: 'approval' };
  if (state === 'waiting') return { waitsFor: 'deletion' };
  return state === 'paused' ? { waitsFor: 'resume' } : {};
}

/**
 * A rollout that ends a stalled one by a rollback still has the condition of that one, which the controller
 * keeps until there is progress.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/sync.go
 */
function isOfEarlierRollout(
  { state, stateSince, at }: Pick<Observation, 'state' | 'stateSince' | 'at'>,
  start: string | null,
): boolean {
  if (state !== 'deadlineExceeded' || stateSince === null || start === null) return false;
  // The API server's times are whole seconds, and so are deadlines.
  return ms(stateSince) <= Math.floor(ms(start) / 1_000) * 1_000 && ms(at) - ms(start) < DEADLINE_MS;
}

/** Without an open span: a state whose end was not observed held at least until then. */
export function endSpans(spans: readonly RolloutSpan[], at: string): readonly RolloutSpan[] {
  const last = spans.at(-1);
  if (last?.to !== null || last === undefined) return spans;
  return [...spans.slice(0, -1), { ...last, to: laterOf(last.from, at) }];
}

function spanKindOf(state: Observation['state']): RolloutSpan['kind'] | null {
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
    case 'scaling':
    case 'degraded':
    case 'unknown':
      return null;
    default:
      return state satisfies never;
  }
}
