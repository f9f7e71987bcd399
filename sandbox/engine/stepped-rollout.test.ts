import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  advance,
  jumpTo,
  type Position,
  type Progress,
  type Seen,
  type Stage,
  type Step,
} from '@/sandbox/engine/stepped-rollout';

const ALL: readonly Stage[] = ['size', 'traffic', 'analysis', 'pause'];
const REACHED: Seen = {
  now: 0,
  pausedAt: undefined,
  isSized: true,
  isRouted: true,
  analysis: 'passed',
  isResumed: true,
};

const plans = fc.array(
  fc.record<Step>({
    stages: fc.subarray([...ALL]),
    pauseMs: fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined }),
  }),
  { maxLength: 5 },
);
const situations = fc.record<Seen>({
  now: fc.integer({ min: 0, max: 3000 }),
  pausedAt: fc.option(fc.integer({ min: 0, max: 2000 }), { nil: undefined }),
  isSized: fc.boolean(),
  isRouted: fc.boolean(),
  analysis: fc.constantFrom('running', 'passed', 'failed', 'inconclusive'),
  isResumed: fc.boolean(),
});

const start = (steps: readonly Step[]) => jumpTo(steps, 0);
const rank = ({ step, stage }: Position) => step * 10 + (stage === 'done' ? 0 : ALL.indexOf(stage));

/** Every answer on the way, and the position at the end of it. */
function play(steps: readonly Step[], from: Position, seen: readonly Seen[]): [Progress[], Position] {
  let at = from;
  const answers = seen.map((each) => {
    const progress = advance(steps, at, each);
    if (progress.kind === 'moves') at = progress.to;
    return progress;
  });
  return [answers, at];
}

test('a rollout takes every stage of its steps in order, and ends when all has been reached', () => {
  fc.assert(
    fc.property(plans, (steps) => {
      const stages = steps.flatMap((step) => step.stages).length;
      const [answers, at] = play(steps, start(steps), Array<Seen>(stages + 1).fill(REACHED));
      expect(answers.map(({ kind }) => kind)).toEqual([...Array<string>(stages).fill('moves'), 'ends']);
      expect(at).toEqual({ step: steps.length, stage: 'done' });
    }),
  );
});

test('never goes back by itself, whatever happens, and goes to a stage that its step has', () => {
  fc.assert(
    fc.property(plans, fc.array(situations), fc.nat(6), (steps, seen, from) => {
      let before = jumpTo(steps, from);
      for (const progress of play(steps, before, seen)[0]) {
        if (progress.kind !== 'moves') continue;
        const { to } = progress;
        expect(rank(to)).toBeGreaterThan(rank(before));
        if (to.stage !== 'done') expect(steps[to.step]?.stages).toContain(to.stage);
        before = to;
      }
    }),
  );
});

test('a pause is recorded first; without a duration it holds until it is resumed, else for that long', () => {
  fc.assert(
    fc.property(plans, situations, (steps, seen) => {
      const step = steps.findIndex(({ stages }) => stages.includes('pause'));
      fc.pre(step !== -1);
      const progress = advance(steps, { step, stage: 'pause' }, seen);
      const { pausedAt, now, isResumed } = seen;
      const pauseMs = steps[step]?.pauseMs ?? Infinity;
      if (isResumed) expect(progress.kind).toBe('moves');
      else if (pausedAt === undefined) expect(progress).toEqual({ kind: 'pauses' });
      else expect(progress.kind).toBe(now < pausedAt + pauseMs ? 'waits' : 'moves');
      if (progress.kind === 'waits' && progress.forMs !== undefined)
        expect(advance(steps, { step, stage: 'pause' }, { ...seen, now: now + progress.forMs }).kind).toBe(
          'moves',
        );
    }),
  );
});

test('a failed analysis aborts the rollout, and nothing moves after it', () => {
  fc.assert(
    fc.property(plans, fc.array(situations), (steps, seen) => {
      const step = steps.findIndex(({ stages }) => stages.includes('analysis'));
      fc.pre(step !== -1);
      const failed = seen.map((each) => ({ ...each, analysis: 'failed' as const }));
      const [answers] = play(steps, { step, stage: 'analysis' }, failed);
      expect(answers.every(({ kind }) => kind === 'aborts')).toBe(true);
    }),
  );
});
