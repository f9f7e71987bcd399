import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyMemory, type Observation } from '@/lib/ledger/observation';
import { observe, observeDeletion } from '@/lib/ledger/observe';
import { type RolloutRecord } from '@/lib/ledger/record';
import { Kept, statesIn, statesOf } from '@/lib/ledger/testing/kept';
import { type ReleaseDeed, type ReleaseRules, ReleaseWorld } from '@/lib/ledger/testing/release-world';
import { AS_WRITTEN, type Deed, life, type Rules, tools, World } from '@/lib/ledger/testing/world';

const rules: Rules = { keepsNumbers: true, historyLimit: 10, pods: 3 };
const deed = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('deploy' as const),
      template: fc.constantFrom('a', 'b', 'c', 'd'),
    }),
  },
  { weight: 8, arbitrary: fc.constant<Deed>({ kind: 'step' }) },
  { weight: 1, arbitrary: fc.constantFrom<Deed>({ kind: 'pause' }, { kind: 'resume' }) },
);
const story = fc.array(deed, { maxLength: 60 });

function watchAll(deeds: readonly Deed[], with_: Rules = rules): Kept {
  const kept = new Kept();
  for (const look of statesOf(deeds, with_)) kept.see(look(life.createdAt, null));
  return kept;
}

/** Watches the states for which `isSeen` says so and the last; whatever is missed is a gap. */
function watchSome(deeds: readonly Deed[], isSeen: readonly boolean[], with_: Rules = rules): Kept {
  const kept = new Kept();
  const states = statesOf(deeds, with_);
  let since: string | null = null;
  let lost: string | null = null;
  states.forEach((look, index) => {
    const { at } = look('', null);
    if (index < states.length - 1 && isSeen[index % Math.max(1, isSeen.length)] === false) {
      if (since !== null) lost = states[index - 1]?.('', null).at ?? null;
      since = null;
      return;
    }
    since ??= index === 0 ? life.createdAt : at;
    kept.see(look(since, lost));
  });
  return kept;
}

/** What a template means is asked of those alone that are the target now. */
function targetsOf({ activations }: Kept): string[] {
  return [...activations.values()].map(({ revision: { number, id, hash } }) => `${number} ${id} ${hash}`);
}

function courseOf(record: RolloutRecord): Partial<RolloutRecord> {
  const { from, to, samples: _samples, ...course } = record;
  return { ...course, from: from && { ...from, meaning: '' }, to: { ...to, meaning: '' } };
}

/** The template that is asked for at the end is not recorded yet, so that the status says nothing of the one before. */
function isPending(deeds: readonly Deed[]): boolean {
  return statesOf(deeds, rules).at(-1)?.('', null).target === null;
}

const seenFlags = fc.array(fc.boolean(), { minLength: 1, maxLength: 61 });

describe('whatever happens', () => {
  test('states that were missed change nothing but what is marked as not watched', () => {
    fc.assert(
      fc.property(story, seenFlags, (deeds, isSeen) => {
        const all = watchAll(deeds);
        const some = watchSome(deeds, isSeen);
        expect(some.list.map(({ to }) => [to.number, to.hash])).toEqual(
          [...some.activations.values()]
            .filter(({ index }) => some.list.some(({ activation }) => activation === index))
            .map(({ revision }) => [revision.number, revision.hash]),
        );
        expect(targetsOf(some)).toEqual(targetsOf(all));
        for (const record of some.list) {
          const truth = all.records.get(record.id);
          if (record.unwatched.length > 0) {
            const open = isPending(deeds) ? [null] : [];
            if (truth !== undefined) expect([truth.outcome, 'unknown', ...open]).toContain(record.outcome);
            continue;
          }
          expect(courseOf(record)).toEqual(truth && courseOf(truth));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('nothing is invented where former numbers are lost and revisions pruned', () => {
    const poor: Rules = { keepsNumbers: false, historyLimit: 1, pods: 2 };
    fc.assert(
      fc.property(story, seenFlags, (deeds, isSeen) => {
        const all = targetsOf(watchAll(deeds, poor));
        const places = targetsOf(watchSome(deeds, isSeen, poor)).map((target) => all.indexOf(target));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(places).not.toContain(-1);
        expect(new Set(places).size).toBe(places.length);
      }),
      { numRuns: 300 },
    );
  });

  test('a process that dies and starts again loses nothing but what is marked', () => {
    fc.assert(
      fc.property(story, seenFlags, (deeds, lives) => {
        const all = watchAll(deeds);
        const killed = new Kept();
        let since = life.createdAt;
        statesOf(deeds, rules).forEach((look, index) => {
          if (lives[index % lives.length] === false) {
            killed.restart();
            since = look('', null).at;
          }
          killed.see(look(since, null));
        });
        expect(targetsOf(killed)).toEqual(targetsOf(all));
        for (const record of killed.list) {
          const truth = all.records.get(record.id);
          if (record.unwatched.length > 0) {
            const open = isPending(deeds) ? [null] : [];
            if (truth !== undefined) expect([truth.outcome, 'unknown', ...open]).toContain(record.outcome);
            continue;
          }
          expect(courseOf(record)).toEqual(truth && courseOf(truth));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('one rollout is open at most, and it is the last', () => {
    fc.assert(
      fc.property(story, seenFlags, (deeds, isSeen) => {
        const { list, activations } = watchSome(deeds, isSeen);
        const open = list.filter(({ outcome }) => outcome === null);
        expect(open.length).toBeLessThanOrEqual(1);
        if (open[0] !== undefined) expect(open[0].activation).toBe(activations.size);
      }),
      { numRuns: 200 },
    );
  });

  test('times are in order', () => {
    fc.assert(
      fc.property(story, seenFlags, (deeds, isSeen) => {
        const { list } = watchSome(deeds, isSeen);
        for (const { startedAt, endedAt, unwatched, spans, steps } of list) {
          if (startedAt !== null && endedAt !== null) expect(startedAt <= endedAt).toBe(true);
          for (const { from, to } of [...unwatched, ...spans]) if (to !== null) expect(from <= to).toBe(true);
          for (const step of steps)
            if (step.startedAt !== null && step.endedAt !== null)
              expect(step.startedAt <= step.endedAt).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('the same state twice changes nothing', () => {
    fc.assert(
      fc.property(story, (deeds) => {
        const kept = watchAll(deeds);
        const [last] = statesOf(deeds, rules).slice(-1);
        const again = last && observe(kept.memory, last(life.createdAt, null), tools);
        expect(again?.changes).toEqual({ life: null, revisions: [], activations: [], records: [] });
      }),
      { numRuns: 100 },
    );
  });

  test('an ended record is never touched again', () => {
    fc.assert(
      fc.property(story, (deeds) => {
        const kept = new Kept();
        const ended = new Map<string, RolloutRecord>();
        for (const look of statesOf(deeds, rules)) {
          const observed = observe(kept.memory, look(life.createdAt, null), tools);
          for (const record of observed.changes.records) {
            expect(ended.get(record.id)).toBeUndefined();
            if (record.outcome !== null) ended.set(record.id, record);
          }
          kept.take(observed);
        }
      }),
      { numRuns: 100 },
    );
  });
});

const steps = (count: number): Deed[] => Array.from({ length: count }, () => ({ kind: 'step' }));
const deploy = (template: string): Deed => ({ kind: 'deploy', template });
const outcomesOf = ({ list }: Kept) => list.map(({ to, outcome }) => `${to.hash} ${outcome}`);

describe('a rollout', () => {
  test('is completed when every desired pod runs the target and is ready', () => {
    expect(outcomesOf(watchAll([...steps(6), deploy('b'), ...steps(5)]))).toEqual(['a completed', 'b null']);
    const [, second] = watchAll([...steps(6), deploy('b'), ...steps(6)]).list;
    expect(second).toMatchObject({
      from: { number: 1, hash: 'a' },
      startedAt: '2026-03-01T12:01:20Z',
      endedAt: '2026-03-01T12:02:20Z',
      outcome: 'completed',
      cause: 'because of b',
      unwatched: [],
    });
    expect(second?.steps.map(({ name, pods, state }) => [name, pods.length, state])).toEqual([
      ['Wave 1', 1, 'completed'],
      ['Wave 2', 1, 'completed'],
      ['Wave 3', 1, 'completed'],
    ]);
  });

  test('tells which pods went for those that it brought', () => {
    const [first, second] = watchAll([...steps(6), deploy('b'), ...steps(6)]).list;
    const old = first?.steps.flatMap(({ pods }) => pods.map(({ uid }) => uid));
    expect(first?.steps.flatMap(({ removed }) => removed)).toEqual([]);
    expect(second?.steps.map(({ removed }) => removed)).toEqual(
      second?.steps.map(({ startedAt }, index) => [
        { name: old?.[index], uid: old?.[index], hash: 'a', goneAt: startedAt },
      ]),
    );
    expect(second?.steps).toHaveLength(3);
  });

  test('that ends before that is superseded by a new template, and rolled back by an earlier one', () => {
    const kept = watchAll([
      ...steps(6),
      deploy('b'),
      ...steps(2),
      deploy('c'),
      ...steps(3),
      deploy('a'),
      ...steps(6),
    ]);
    expect(outcomesOf(kept)).toEqual(['a completed', 'b superseded', 'c rolledBack', 'a completed']);
    expect(kept.list[3]).toMatchObject({ to: { number: 4 }, from: { number: 3 }, cause: null });
    expect([...kept.activations.values()].map(({ from, to }) => [from, to])).toEqual([
      ['2026-03-01T12:00:10Z', '2026-03-01T12:01:20Z'],
      ['2026-03-01T12:01:20Z', '2026-03-01T12:01:50Z'],
      ['2026-03-01T12:01:50Z', '2026-03-01T12:02:30Z'],
      ['2026-03-01T12:02:30Z', null],
    ]);
  });

  test('that is paused midway is held, stays open, and goes on', () => {
    const kept = watchAll([...steps(6), deploy('b'), ...steps(2), { kind: 'pause' }, ...steps(3)]);
    expect(kept.list[1]).toMatchObject({ outcome: null, spans: [{ kind: 'held', to: null }] });
    const resumed = watchAll([
      ...steps(6),
      deploy('b'),
      ...steps(2),
      { kind: 'pause' },
      ...steps(3),
      { kind: 'resume' },
      ...steps(4),
    ]);
    expect(resumed.list[1]).toMatchObject({
      outcome: 'completed',
      spans: [{ kind: 'held', from: '2026-03-01T12:01:50Z', to: '2026-03-01T12:02:30Z' }],
    });
  });

  test('of a template that was chosen while paused begins when it is resumed', () => {
    const chosen: Deed[] = [...steps(6), deploy('b'), ...steps(6), { kind: 'pause' }, deploy('a')];
    expect(watchAll(chosen).activations.size).toBe(3);
    expect(watchAll(chosen).list).toHaveLength(2);
    const resumed = watchAll([...chosen, ...steps(3), { kind: 'resume' }]);
    expect(resumed.list[2]).toMatchObject({ startedAt: '2026-03-01T12:03:20Z', outcome: null });
    expect(resumed.activations.get(3)?.from).toBe('2026-03-01T12:02:40Z');
  });

  test('that a partition holds stays open, and each move of the partition is a step', () => {
    const kept = watchAll([
      ...steps(6),
      { kind: 'partition', to: 2 },
      deploy('b'),
      ...steps(4),
      { kind: 'partition', to: 0 },
      ...steps(4),
    ]);
    expect(kept.list[1]).toMatchObject({
      outcome: 'completed',
      spans: [{ kind: 'held' }],
      steps: [
        { name: 'Partition 2', kind: 'partition', planned: '1 of 3 pods', state: 'completed', pods: [{}] },
        { name: 'Partition 0', planned: '3 of 3 pods', state: 'completed', pods: [{}, {}] },
      ],
    });
  });

  test('whose next pods are seen before the move of its partition gives them to that move', () => {
    const deeds: Deed[] = [...steps(6), { kind: 'partition', to: 2 }, deploy('b'), ...steps(4)];
    const moved: Deed[] = [...deeds, { kind: 'partition', to: 0 }, ...steps(4)];
    const seen = statesOf(moved, rules).map((state) => state(life.createdAt, null));
    const kept = new Kept();
    for (const [index, state] of seen.entries()) {
      // One look between the two watches: the workload is still the one of before, its pods are not.
      if (index === deeds.length) kept.see({ ...state, targetPods: seen[index + 2]?.targetPods ?? [] });
      kept.see(state);
    }
    expect(kept.list[1]?.steps.map(({ name, pods }) => [name, pods.length])).toEqual([
      ['Partition 2', 1],
      ['Partition 0', 2],
    ]);
  });

  test('of a workload that is deleted has failed', () => {
    const kept = watchAll([...steps(6), deploy('b'), ...steps(2)]);
    const at = '2026-03-01T13:00:00Z';
    const deleted = observeDeletion(kept.memory, at, { since: life.createdAt, lost: null });
    expect(deleted?.changes).toMatchObject({
      life: { deletedAt: at },
      records: [{ outcome: 'failed', endedAt: at, steps: [{ state: 'completed' }] }],
      activations: [{ index: 2, to: at }],
      revisions: [{ prunedAt: at }, { prunedAt: at }],
    });
    expect(observeDeletion(deleted?.memory ?? emptyMemory, at, { since: at, lost: null })).toBeNull();
  });
});

test('a release that takes its pods back as it is deleted is rolled back, and not before they are gone', () => {
  const kept = new Kept();
  const world = new ReleaseWorld({ isCanary: false, keepsNumbers: true, steps: [1, 3], isLabelled: true });
  const look = (): Observation => world.look(life.createdAt, null);
  kept.see(look());
  for (const deed of [{ kind: 'deploy', template: 'b' }, ...steps(6)] as ReleaseDeed[]) {
    world.do(deed);
    kept.see(look());
  }
  const { release, ...rest } = look();
  const isReady = { state: 'complete' as const, completion: { provenAt: rest.at } };
  if (release !== null) kept.see({ ...rest, ...isReady, release: { ...release, state: 'rollingBack' } });
  expect(kept.list.at(-1)?.outcome).toBeNull();
  world.do({ kind: 'step' });
  const { at } = look();
  kept.see({ ...look(), ...isReady, release: null, desiredPods: 0, targetPods: [], activePods: [] });
  expect(kept.list.at(-1)).toMatchObject({
    outcome: 'rolledBack',
    endedAt: at,
    steps: [{ planned: '1 of 3 pods', state: 'abandoned', pods: [{}] }, { state: 'skipped' }],
    release: { result: 'deleted' },
  });
});

/** A workload whose controller is asked for its revision at the end of a release alone. */
const canaries: ReleaseRules = { isCanary: true, keepsNumbers: true, steps: [1, 3], isLabelled: true };
const releaseDeed = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('deploy' as const), template: fc.constantFrom(...'abc') }),
  },
  { weight: 4, arbitrary: fc.constant<ReleaseDeed>({ kind: 'step' }) },
  { weight: 2, arbitrary: fc.constant<ReleaseDeed>({ kind: 'approve' }) },
);

test('a template that its revision has in another form is one rollout, and ends as it would in the same form', () => {
  const watched = (rules: ReleaseRules, deeds: readonly ReleaseDeed[]) => {
    const kept = new Kept();
    for (const look of statesIn(new ReleaseWorld(rules), deeds)) kept.see(look(life.createdAt, null));
    const text = JSON.stringify(kept.list, (key, value: unknown) => (key === 'meaning' ? undefined : value));
    return JSON.parse(text.replaceAll(AS_WRITTEN, '')) as RolloutRecord[];
  };
  fc.assert(
    fc.property(fc.array(releaseDeed, { maxLength: 60 }), (deeds) => {
      expect(watched({ ...canaries, keepsWritten: true }, deeds)).toEqual(watched(canaries, deeds));
    }),
    { numRuns: 200 },
  );
});

describe('where nobody was watching', () => {
  const gap = (deeds: Deed[], before: number): Kept => {
    const flags = statesOf(deeds, rules).map((_, index) => index < before || index === deeds.length);
    return watchSome(deeds, flags);
  };

  test('what the cluster proves is completed, and the stretch is marked', () => {
    const kept = gap([...steps(6), deploy('b'), ...steps(8)], 9);
    expect(kept.list[1]).toMatchObject({
      outcome: 'completed',
      endedAt: '2026-03-01T12:02:20Z',
      unwatched: [{ from: '2026-03-01T12:01:30Z', to: '2026-03-01T12:02:40Z' }],
    });
  });

  test('it is not known how a rollout ended that another one followed', () => {
    const kept = gap([...steps(6), deploy('b'), ...steps(2), deploy('c'), ...steps(2)], 9);
    expect(outcomesOf(kept)).toEqual(['a completed', 'b unknown', 'c null']);
    expect(kept.list[1]).toMatchObject({
      endedAt: '2026-03-01T12:01:50Z',
      unwatched: [{ from: '2026-03-01T12:01:30Z', to: '2026-03-01T12:01:50Z' }],
    });
    expect(kept.list[2]?.unwatched).toEqual([{ from: '2026-03-01T12:01:50Z', to: '2026-03-01T12:02:10Z' }]);
  });

  test('a cluster that is adopted gives its activations, and the outcome of the present one alone', () => {
    const deeds = [...steps(6), deploy('b'), ...steps(6), deploy('a'), ...steps(6)];
    const kept = gap(deeds, 0);
    expect(outcomesOf(kept)).toEqual(['a unknown', 'b unknown', 'a completed']);
    expect(kept.list.map(({ from, startedAt, endedAt }) => [from?.number, startedAt, endedAt])).toEqual([
      [undefined, '2026-03-01T12:00:10Z', '2026-03-01T12:01:20Z'],
      [1, '2026-03-01T12:01:20Z', null],
      [2, null, '2026-03-01T12:03:30Z'],
    ]);
    expect(kept.list[2]).toMatchObject({ steps: [], cause: null });
  });
});

test('a change of configuration belongs to the rollouts after it, not to those that were over', () => {
  const world = new World(rules);
  const kept = new Kept();
  const look = (at: string) => {
    const message = `ConfigMap a, which the template names, was changed at ${at}`;
    const event = { at, reason: 'ConfigChanged', message, object: 'ConfigMap a', count: 1 };
    kept.see({ ...world.look(start), related: [event] });
  };
  const start = world.now;
  const roll = (template: string, changedAt: string) => {
    world.do({ kind: 'deploy', template });
    for (let step = 0; step < 20; step += 1) {
      world.do({ kind: 'step' });
      look(changedAt);
    }
  };
  roll('a', start);
  const between = world.now;
  look(between);
  roll('b', between);
  const messages = kept.list.map(({ events }) => events.map(({ at }) => at));
  expect(messages).toEqual([[start], [between]]);
});

test('a return does not take the cause of the rollout before it, which the controller has copied', () => {
  const kept = new Kept();
  const deeds = [...steps(6), deploy('b'), ...steps(6), deploy('a'), ...steps(6)];
  for (const look of statesOf(deeds, rules)) {
    const seen = look(life.createdAt, null);
    const isBack = seen.target?.number === 3;
    const revisions = seen.revisions.map((revision) =>
      isBack && revision.number === 3
        ? { ...revision, changeCause: 'because of b', cause: 'because of b' }
        : revision,
    );
    kept.see({ ...seen, revisions });
  }
  expect(kept.list.map(({ cause }) => cause)).toEqual(['because of a', 'because of b', null]);
});

test('a cause that merely stands on the workload is not that of a later rollout, also once its own revision is pruned', () => {
  const world = new World({ ...rules, historyLimit: 0 });
  const kept = new Kept();
  const start = world.now;
  const look = () => {
    const seen = world.look(start);
    const revisions = seen.revisions.map((each) => ({ ...each, changeCause: 'first', cause: 'first' }));
    kept.see({ ...seen, revisions });
  };
  for (const template of ['a', 'b', 'c']) {
    world.do({ kind: 'deploy', template });
    for (let step = 0; step < 20; step += 1) {
      world.do({ kind: 'step' });
      look();
    }
  }
  expect(kept.list.map(({ cause }) => cause)).toEqual(['first', null, null]);
});

test('a cause that the workload alone bears counts only where it can’t be that of an earlier revision', () => {
  const see = (lookFrom: string) => {
    const world = new World(rules);
    const kept = new Kept();
    for (const template of ['a', 'b', 'c']) {
      world.do({ kind: 'deploy', template });
      for (let step = 0; step < 20; step += 1) {
        world.do({ kind: 'step' });
        if (template < lookFrom) continue;
        const seen = world.look(world.now);
        const cause = template === 'a' ? 'first' : 'second';
        const revisions = seen.revisions.map((each) =>
          each.id === seen.target?.id
            ? { ...each, changeCause: cause, cause, isCauseLent: true as const }
            : { ...each, changeCause: null, cause: null },
        );
        kept.see({ ...seen, revisions: revisions.filter(({ id }) => id === seen.target?.id) });
      }
    }
    return kept.list.map(({ cause }) => cause);
  };
  expect(see('a')).toEqual(['first', 'second', null]);
  expect(see('b')).not.toContain('first');
  expect(see('c').at(-1)).toBeNull();
});
