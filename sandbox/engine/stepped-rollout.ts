/** What a step may wait for, in this order. */
const STAGES = ['size', 'traffic', 'analysis', 'pause'] as const;

export type Stage = (typeof STAGES)[number];

export interface Step {
  /** In any order; a step without one is passed over. */
  readonly stages: readonly Stage[];
  /** Of its pause; undefined: until a user resumes it. */
  readonly pauseMs?: number | undefined;
}

/** Of a rollout that is done: the number of its steps. */
export interface Position {
  readonly step: number;
  readonly stage: Stage | 'done';
}

/** The present state, as far as the stage of the position depends on it. */
export interface Seen {
  readonly now: number;
  /** When the pause began, in milliseconds since the epoch; undefined before that. */
  readonly pausedAt: number | undefined;
  /** All pods of the step exist and are available. */
  readonly isSized: boolean;
  readonly isRouted: boolean;
  readonly analysis: 'running' | 'passed' | 'failed' | 'inconclusive';
  /** A user has ended the pause. */
  readonly isResumed: boolean;
}

export type Progress =
  /** Nothing changes until the state does, or until that time has passed. */
  | { readonly kind: 'waits'; readonly forMs?: number }
  /** A pause begins, which is to be recorded: `pausedAt` is read from the record. */
  | { readonly kind: 'pauses' }
  | { readonly kind: 'moves'; readonly to: Position }
  | { readonly kind: 'aborts' }
  | { readonly kind: 'ends' };

/**
 * How a rollout in steps goes on, one stage a call, so that each is visible in a status. Nothing leads back:
 * an abort and a retry are jumps that the caller makes.
 */
export function advance(steps: readonly Step[], at: Position, seen: Seen): Progress {
  const step = steps[at.step];
  if (at.stage === 'done' || step === undefined) return { kind: 'ends' };
  return waitOf(step, at.stage, seen) ?? { kind: 'moves', to: after(steps, at) };
}

/** Undefined where the stage is over. */
function waitOf({ pauseMs }: Step, stage: Stage, seen: Seen): Progress | undefined {
  const { isSized, isRouted, analysis, isResumed, pausedAt } = seen;
  if (stage === 'size') return isSized ? undefined : { kind: 'waits' };
  if (stage === 'traffic') return isRouted ? undefined : { kind: 'waits' };
  if (stage === 'analysis') {
    if (analysis === 'passed') return undefined;
    if (analysis === 'failed') return { kind: 'aborts' };
    return analysis === 'inconclusive' ? untilResumed(seen) : { kind: 'waits' };
  }
  if (isResumed || pausedAt === undefined || pauseMs === undefined) return untilResumed(seen);
  const forMs = pausedAt + pauseMs - seen.now;
  return forMs > 0 ? { kind: 'waits', forMs } : undefined;
}

function untilResumed({ isResumed, pausedAt }: Seen): Progress | undefined {
  if (isResumed) return undefined;
  return pausedAt === undefined ? { kind: 'pauses' } : { kind: 'waits' };
}

function after(steps: readonly Step[], { step, stage }: Position): Position {
  const present = STAGES.findIndex((candidate) => candidate === stage);
  const next = STAGES.slice(present + 1).find((candidate) => steps[step]?.stages.includes(candidate));
  return next === undefined ? jumpTo(steps, step + 1) : { step, stage: next };
}

/** The first stage of that step; done where there is none. Retries, skips, aborts and promotions begin here. */
export function jumpTo(steps: readonly Step[], step: number): Position {
  const index = steps.findIndex(({ stages }, candidate) => candidate >= step && stages.length > 0);
  const stage = STAGES.find((candidate) => steps[index]?.stages.includes(candidate));
  return stage === undefined ? { step: steps.length, stage: 'done' } : { step: index, stage };
}
