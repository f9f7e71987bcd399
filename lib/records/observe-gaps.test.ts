import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Observation } from '@/lib/records/observation';
import type { RolloutRecord, RecordedStep } from '@/lib/api/record';
import { FakeArchive, type ObservationAt, statesIn, statesOf } from '@/lib/records/testing/fake-archive';
import {
  type ProgressiveAction,
  type ProgressiveOptions,
  SimulatedProgressiveRollout,
} from '@/lib/records/testing/simulated-progressive-rollout';
import {
  type SimulatedAction,
  incarnation,
  type SimulationOptions,
} from '@/lib/records/testing/simulated-workload';

/** What happens to a state: it is observed, missed, or observed by another process first. */
type WatchOutcome = 'seen' | 'missed' | 'restart';

/** ReplicaSets keep former numbers; ControllerRevisions are renumbered and do not show them. */
const kinds: readonly (readonly [string, SimulationOptions])[] = [
  ['Deployment', { keepsNumbers: true, historyLimit: 10, pods: 3 }],
  ['Deployment with a short history', { keepsNumbers: true, historyLimit: 1, pods: 2 }],
  ['StatefulSet', { keepsNumbers: false, historyLimit: 10, pods: 3 }],
  ['DaemonSet with a short history', { keepsNumbers: false, historyLimit: 0, pods: 2 }],
];

const actionsFor = (rules: SimulationOptions) =>
  fc.array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('deploy' as const),
          template: fc.constantFrom('a', 'b', 'c', 'd'),
        }),
      },
      { weight: 8, arbitrary: fc.constant<SimulatedAction>({ kind: 'step' }) },
      {
        weight: 1,
        arbitrary: rules.keepsNumbers
          ? fc.constantFrom<SimulatedAction>({ kind: 'pause' }, { kind: 'resume' })
          : fc.record({ kind: fc.constant('partition' as const), to: fc.integer({ min: 0, max: 3 }) }),
      },
    ),
    { maxLength: 60 },
  );
const watchOutcomes = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<WatchOutcome>('seen') },
    { weight: 3, arbitrary: fc.constant<WatchOutcome>('missed') },
    { weight: 1, arbitrary: fc.constant<WatchOutcome>('restart') },
  ),
  { minLength: 1, maxLength: 40 },
);

interface UnwatchedPeriod {
  from: number;
  to: number;
}

/** Runs a scenario. `skewMs` is how far the observer's clock is ahead of the cluster's. */
function observeWithGaps(states: readonly ObservationAt[], outcomes: readonly WatchOutcome[], skewMs = 0) {
  const archive = new FakeArchive();
  const missed: UnwatchedPeriod[] = [];
  const own = (time: string) => new Date(Date.parse(time) + skewMs).toISOString().replace('.000', '');
  let since: string | null = null;
  let last: string | null = null;
  let lost: string | null = null;
  states.forEach((look, index) => {
    const seen: Observation = look('', null);
    const at = own(seen.at);
    const what = index === states.length - 1 ? 'seen' : (outcomes[index % outcomes.length] ?? 'seen');
    if (what === 'missed') {
      lost = since === null ? lost : last;
      since = null;
      return;
    }
    if (what === 'restart') {
      archive.restart();
      since = null;
      lost = null;
    }
    if (since === null) {
      since = index === 0 ? own(incarnation.createdAt) : at;
      if (index > 0) missed.push({ from: last === null ? -Infinity : Date.parse(last), to: Date.parse(at) });
    }
    archive.observe({ ...look(since, lost), at });
    last = at;
  });
  return { kept: archive, missed };
}

const keyOf = ({ to }: RolloutRecord) => `${to.number} ${to.id}`;

function comparable({ samples: _samples, activation: _activation, id: _id, ...rest }: RolloutRecord) {
  return rest;
}

/** Whether it may have been in progress in that time. */
function mayOverlap({ startedAt, endedAt }: RolloutRecord, { from, to }: UnwatchedPeriod): boolean {
  const start = startedAt === null ? -Infinity : Date.parse(startedAt);
  return start <= to && (endedAt === null || Date.parse(endedAt) >= from);
}

describe.each(kinds)('of a %s', (_, rules) => {
  test('any states, missed or observed by any process, end in the same records except for what is marked as a gap', () => {
    fc.assert(
      fc.property(actionsFor(rules), watchOutcomes, (actions, outcomes) => {
        const states = statesOf(actions, rules);
        const all = observeWithGaps(states, ['seen']).kept;
        const { kept: archive, missed } = observeWithGaps(states, outcomes);
        const expectedSteps = new Map(all.recordList.map((record) => [keyOf(record), record]));
        const isPending = states.at(-1)?.('', null).target === null;
        const found = archive.recordList.map((record) => {
          const truth = expectedSteps.get(keyOf(record));
          // One that was paused as long as it was the target, which only a watch can show.
          if (truth === undefined) {
            expect(
              [...all.activations.values()].map(({ revision }) => `${revision.number} ${revision.id}`),
            ).toContain(keyOf(record));
            expect([record.outcome, 'unknown']).toContain('unknown');
            return null;
          }
          if (record.unwatched.length === 0) expect(comparable(record)).toEqual(comparable(truth));
          else {
            expect([truth.outcome, 'unknown', ...(isPending ? [null] : [])]).toContain(record.outcome);
            expect(missed.some((stretch) => mayOverlap(record, stretch))).toBe(true);
            if (record.startedAt !== null) expect(record.startedAt).toBe(truth.startedAt);
          }
          return keyOf(record);
        });
        expect(new Set(archive.recordList.map(keyOf)).size).toBe(found.length);
        // Only what began and ended unobserved may be missing, and only where the cluster lost it.
        for (const truth of all.recordList) {
          if (found.includes(keyOf(truth))) continue;
          expect(missed.some((stretch) => mayOverlap(truth, stretch))).toBe(true);
        }
      }),
      { numRuns: 250 },
    );
  });

  test('a clock that differs from that of the cluster shifts times by no more than the difference, and changes nothing else', () => {
    const skew = fc.integer({ min: -300, max: 300 });
    fc.assert(
      fc.property(actionsFor(rules), watchOutcomes, skew, (actions, outcomes, seconds) => {
        const states = statesOf(actions, rules);
        const even = observeWithGaps(states, outcomes).kept.recordList;
        const skewed = observeWithGaps(states, outcomes, seconds * 1_000).kept.recordList;
        // Of pods that are as old as the difference it is unknown whether they came before.
        const core = ({ to, from, outcome }: RolloutRecord) => [to.number, to.id, from?.id, outcome];
        expect(skewed.map(core)).toEqual(even.map(core));
        for (const { startedAt, endedAt, spans } of skewed) {
          if (startedAt !== null && endedAt !== null)
            expect(Date.parse(startedAt)).toBeLessThanOrEqual(Date.parse(endedAt));
          for (const { from, to } of spans)
            if (to !== null) expect(Date.parse(from)).toBeLessThanOrEqual(Date.parse(to));
        }
      }),
      { numRuns: 150 },
    );
  });
});

const progressiveKinds: readonly (readonly [string, ProgressiveOptions])[] = [
  ['canary', { isCanary: true, keepsNumbers: true, isLabelled: true, steps: [1, 2, 3] }],
  ['partition', { isCanary: false, keepsNumbers: false, isLabelled: true, steps: [1, 2, 4] }],
  ['rollout without labels', { isCanary: false, keepsNumbers: true, isLabelled: false, steps: [1, 3] }],
];

const progressiveActionsFor = ({ steps }: ProgressiveOptions) =>
  fc.array(
    fc.oneof(
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('deploy' as const),
          template: fc.constantFrom('a', 'b', 'c'),
        }),
      },
      { weight: 12, arbitrary: fc.constant<ProgressiveAction>({ kind: 'step' }) },
      { weight: 4, arbitrary: fc.constant<ProgressiveAction>({ kind: 'approve' }) },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('jump' as const),
          to: fc.integer({ min: 1, max: steps.length }),
        }),
      },
    ),
    { maxLength: 60 },
  );

/** What an observer sees who missed that what follows existed before. */
function onward(record: RolloutRecord): RolloutRecord {
  if (record.outcome !== 'rolledBack') return record;
  const { progressiveRollout: known } = record;
  const result = known?.result === 'rolledBack' ? 'superseded' : (known?.result ?? null);
  return { ...record, outcome: 'superseded', progressiveRollout: known && { ...known, result } };
}

/**
 * Whether a step that was only partly observed claims nothing that is untrue of a step of the same
 * progressive rollouts.
 */
function isTrueOf(step: RecordedStep, expectedSteps: readonly RecordedStep[], isStraight: boolean): boolean {
  const there = new Set(expectedSteps.flatMap(({ pods }) => pods.map(({ uid }) => uid)));
  const isTime = (time: 'startedAt' | 'endedAt') =>
    step[time] === null || !isStraight || expectedSteps.some((truth) => truth[time] === step[time]);
  const isState = expectedSteps.some(({ state }) => state === step.state);
  return (
    step.pods.every(({ uid }) => there.has(uid)) &&
    isTime('startedAt') &&
    isTime('endedAt') &&
    (isState || step.state === 'unknown' || step.endedAt === null)
  );
}

test.each(progressiveKinds)(
  'for a %s, unobserved time is marked as a gap, and no step has a pod of another',
  (_, rules) => {
    fc.assert(
      fc.property(progressiveActionsFor(rules), watchOutcomes, (actions, outcomes) => {
        const states = statesIn(new SimulatedProgressiveRollout(rules), actions);
        const all = observeWithGaps(states, ['seen']).kept.recordList;
        const { kept: archive, missed } = observeWithGaps(states, outcomes);
        for (const record of archive.recordList) {
          const expectedSteps = all.filter(({ to }) => to.hash === record.to.hash);
          if (record.unwatched.length === 0) {
            const wanted =
              record.outcome === 'superseded'
                ? expectedSteps.flatMap((truth) => [truth, onward(truth)])
                : expectedSteps;
            expect(wanted.map(comparable)).toContainEqual(comparable(record));
            continue;
          }
          expect(missed.some((stretch) => mayOverlap(record, stretch))).toBe(true);
          const outcomes = expectedSteps.map(({ outcome }) => outcome);
          // A return to a template that came and went unobserved is unknown.
          if (record.outcome !== 'superseded' || !outcomes.includes('rolledBack'))
            expect([...outcomes, 'unknown', null]).toContain(record.outcome);
          // Waves follow from times alone, which the other properties prove.
          if (record.progressiveRollout === null) continue;
          // A progressive rollout reverted and repeated within one gap counts as one.
          const isStraight =
            expectedSteps.every(({ progressiveRollout }) => (progressiveRollout?.jumps ?? []).length === 0) &&
            !missed.some((stretch) => expectedSteps.filter((truth) => mayOverlap(truth, stretch)).length > 1);
          for (const [index, step] of record.steps.entries()) {
            const same = expectedSteps.flatMap(({ steps }) => steps[index] ?? []);
            expect(isTrueOf(step, same, isStraight), JSON.stringify([step, same])).toBe(true);
          }
        }
      }),
      { numRuns: 250 },
    );
  },
);

test('a step that a progressive rollout jumped back from, and reached again, was still jumped back from', () => {
  const jump = (to: number): ProgressiveAction => ({ kind: 'jump', to });
  const actions: ProgressiveAction[] = [
    { kind: 'deploy', template: 'b' },
    { kind: 'step' },
    ...[jump(2), jump(1), jump(2)],
    { kind: 'step' },
  ];
  const rules = { isCanary: false, keepsNumbers: true, isLabelled: false, steps: [1, 3] };
  const { kept: archive } = observeWithGaps(statesIn(new SimulatedProgressiveRollout(rules), actions), [
    'seen',
  ]);
  expect(archive.recordList.at(-1)?.progressiveRollout?.jumps).toMatchObject([{ from: 2, to: 1 }]);
});
