import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Observation } from '@/lib/ledger/observation';
import { type RolloutRecord, type RolloutStep } from '@/lib/ledger/record';
import { Kept, type State, statesIn, statesOf } from '@/lib/ledger/testing/kept';
import { type ReleaseDeed, type ReleaseRules, ReleaseWorld } from '@/lib/ledger/testing/release-world';
import { type Deed, life, type Rules } from '@/lib/ledger/testing/world';

/** What becomes of a state: it is seen, nobody looks, or another process sees it first. */
type Fate = 'seen' | 'missed' | 'restart';

/** ReplicaSets keep former numbers; ControllerRevisions are numbered anew and tell nothing of it. */
const kinds: readonly (readonly [string, Rules])[] = [
  ['Deployment', { keepsNumbers: true, historyLimit: 10, pods: 3 }],
  ['Deployment with a short history', { keepsNumbers: true, historyLimit: 1, pods: 2 }],
  ['StatefulSet', { keepsNumbers: false, historyLimit: 10, pods: 3 }],
  ['DaemonSet with a short history', { keepsNumbers: false, historyLimit: 0, pods: 2 }],
];

const deeds = (rules: Rules) =>
  fc.array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('deploy' as const),
          template: fc.constantFrom('a', 'b', 'c', 'd'),
        }),
      },
      { weight: 8, arbitrary: fc.constant<Deed>({ kind: 'step' }) },
      {
        weight: 1,
        arbitrary: rules.keepsNumbers
          ? fc.constantFrom<Deed>({ kind: 'pause' }, { kind: 'resume' })
          : fc.record({ kind: fc.constant('partition' as const), to: fc.integer({ min: 0, max: 3 }) }),
      },
    ),
    { maxLength: 60 },
  );
const fates = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<Fate>('seen') },
    { weight: 3, arbitrary: fc.constant<Fate>('missed') },
    { weight: 1, arbitrary: fc.constant<Fate>('restart') },
  ),
  { minLength: 1, maxLength: 40 },
);

interface Stretch {
  from: number;
  to: number;
}

/** Goes through a story. `skewMs` is how far the clock of whoever looks is ahead of the cluster's. */
function goThrough(states: readonly State[], fate: readonly Fate[], skewMs = 0) {
  const kept = new Kept();
  const missed: Stretch[] = [];
  const own = (time: string) => new Date(Date.parse(time) + skewMs).toISOString().replace('.000', '');
  let since: string | null = null;
  let last: string | null = null;
  let lost: string | null = null;
  states.forEach((look, index) => {
    const seen: Observation = look('', null);
    const at = own(seen.at);
    const what = index === states.length - 1 ? 'seen' : (fate[index % fate.length] ?? 'seen');
    if (what === 'missed') {
      lost = since === null ? lost : last;
      since = null;
      return;
    }
    if (what === 'restart') {
      kept.restart();
      since = null;
      lost = null;
    }
    if (since === null) {
      since = index === 0 ? own(life.createdAt) : at;
      if (index > 0) missed.push({ from: last === null ? -Infinity : Date.parse(last), to: Date.parse(at) });
    }
    kept.see({ ...look(since, lost), at });
    last = at;
  });
  return { kept, missed };
}

const keyOf = ({ to }: RolloutRecord) => `${to.number} ${to.id}`;

function told({ samples: _samples, activation: _activation, id: _id, ...rest }: RolloutRecord) {
  return rest;
}

/** Whether it may have been under way in that time. */
function touches({ startedAt, endedAt }: RolloutRecord, { from, to }: Stretch): boolean {
  const start = startedAt === null ? -Infinity : Date.parse(startedAt);
  return start <= to && (endedAt === null || Date.parse(endedAt) >= from);
}

describe.each(kinds)('of a %s', (_, rules) => {
  test('any states, missed or seen by any process, end in the same records but for what is marked', () => {
    fc.assert(
      fc.property(deeds(rules), fates, (story, fate) => {
        const states = statesOf(story, rules);
        const all = goThrough(states, ['seen']).kept;
        const { kept, missed } = goThrough(states, fate);
        const truths = new Map(all.list.map((record) => [keyOf(record), record]));
        const isPending = states.at(-1)?.('', null).target === null;
        const found = kept.list.map((record) => {
          const truth = truths.get(keyOf(record));
          // One that was held all the while that it was the target, which only who watched can know.
          if (truth === undefined) {
            expect(
              [...all.activations.values()].map(({ revision }) => `${revision.number} ${revision.id}`),
            ).toContain(keyOf(record));
            expect([record.outcome, 'unknown']).toContain('unknown');
            return null;
          }
          if (record.unwatched.length === 0) expect(told(record)).toEqual(told(truth));
          else {
            expect([truth.outcome, 'unknown', ...(isPending ? [null] : [])]).toContain(record.outcome);
            expect(missed.some((stretch) => touches(record, stretch))).toBe(true);
            if (record.startedAt !== null) expect(record.startedAt).toBe(truth.startedAt);
          }
          return keyOf(record);
        });
        expect(new Set(kept.list.map(keyOf)).size).toBe(found.length);
        // Only what began and ended while nobody looked may be lost, and only where the cluster lost it.
        for (const truth of all.list) {
          if (found.includes(keyOf(truth))) continue;
          expect(missed.some((stretch) => touches(truth, stretch))).toBe(true);
        }
      }),
      { numRuns: 250 },
    );
  });

  test('a clock that differs from that of the cluster changes times by no more, and nothing else', () => {
    const skew = fc.integer({ min: -300, max: 300 });
    fc.assert(
      fc.property(deeds(rules), fates, skew, (story, fate, seconds) => {
        const states = statesOf(story, rules);
        const even = goThrough(states, fate).kept.list;
        const skewed = goThrough(states, fate, seconds * 1_000).kept.list;
        // Of pods that are as old as the difference it is not known whether they came before.
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

const ways: readonly (readonly [string, ReleaseRules])[] = [
  ['canary', { isCanary: true, keepsNumbers: true, isLabelled: true, steps: [1, 2, 3] }],
  ['partition', { isCanary: false, keepsNumbers: false, isLabelled: true, steps: [1, 2, 4] }],
  ['release without labels', { isCanary: false, keepsNumbers: true, isLabelled: false, steps: [1, 3] }],
];

const releaseDeeds = ({ steps }: ReleaseRules) =>
  fc.array(
    fc.oneof(
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('deploy' as const),
          template: fc.constantFrom('a', 'b', 'c'),
        }),
      },
      { weight: 12, arbitrary: fc.constant<ReleaseDeed>({ kind: 'step' }) },
      { weight: 4, arbitrary: fc.constant<ReleaseDeed>({ kind: 'approve' }) },
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

/** As it looks to who has not seen that what follows was there before. */
function onward(record: RolloutRecord): RolloutRecord {
  if (record.outcome !== 'rolledBack') return record;
  const { release } = record;
  const result = release?.result === 'rolledBack' ? 'superseded' : (release?.result ?? null);
  return { ...record, outcome: 'superseded', release: release === null ? null : { ...release, result } };
}

/** Whether a step that was not seen throughout says nothing that is not so of one of the same releases. */
function isTrueOf(step: RolloutStep, truths: readonly RolloutStep[], isStraight: boolean): boolean {
  const there = new Set(truths.flatMap(({ pods }) => pods.map(({ uid }) => uid)));
  const isTime = (time: 'startedAt' | 'endedAt') =>
    step[time] === null || !isStraight || truths.some((truth) => truth[time] === step[time]);
  const isState = truths.some(({ state }) => state === step.state);
  return (
    step.pods.every(({ uid }) => there.has(uid)) &&
    isTime('startedAt') &&
    isTime('endedAt') &&
    (isState || step.state === 'unknown' || step.endedAt === null)
  );
}

test.each(ways)('of a %s, what was not watched is marked, and no step has a pod of another', (_, rules) => {
  fc.assert(
    fc.property(releaseDeeds(rules), fates, (story, fate) => {
      const states = statesIn(new ReleaseWorld(rules), story);
      const all = goThrough(states, ['seen']).kept.list;
      const { kept, missed } = goThrough(states, fate);
      for (const record of kept.list) {
        const truths = all.filter(({ to }) => to.hash === record.to.hash);
        if (record.unwatched.length === 0) {
          const wanted =
            record.outcome === 'superseded' ? truths.flatMap((truth) => [truth, onward(truth)]) : truths;
          expect(wanted.map(told)).toContainEqual(told(record));
          continue;
        }
        expect(missed.some((stretch) => touches(record, stretch))).toBe(true);
        const outcomes = truths.map(({ outcome }) => outcome);
        // That it was gone back to is not known of a template that came and went while nobody looked.
        if (record.outcome !== 'superseded' || !outcomes.includes('rolledBack'))
          expect([...outcomes, 'unknown', null]).toContain(record.outcome);
        // Waves follow from times alone, which the other properties prove.
        if (record.release === null) continue;
        // What was taken back and released again in one gap is taken for one release.
        const isStraight =
          truths.every(({ release }) => (release?.jumps ?? []).length === 0) &&
          !missed.some((stretch) => truths.filter((truth) => touches(truth, stretch)).length > 1);
        for (const [index, step] of record.steps.entries()) {
          const same = truths.flatMap(({ steps }) => steps[index] ?? []);
          expect(isTrueOf(step, same, isStraight), JSON.stringify([step, same])).toBe(true);
        }
      }
    }),
    { numRuns: 250 },
  );
});

test('a step that a release jumped back from, and came to again, was jumped back from all the same', () => {
  const jump = (to: number): ReleaseDeed => ({ kind: 'jump', to });
  const story: ReleaseDeed[] = [
    { kind: 'deploy', template: 'b' },
    { kind: 'step' },
    ...[jump(2), jump(1), jump(2)],
    { kind: 'step' },
  ];
  const rules = { isCanary: false, keepsNumbers: true, isLabelled: false, steps: [1, 3] };
  const { kept } = goThrough(statesIn(new ReleaseWorld(rules), story), ['seen']);
  expect(kept.list.at(-1)?.release?.jumps).toMatchObject([{ from: 2, to: 1 }]);
});
