import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyMemory, type Observation } from '@/lib/records/observation';
import { observe, observeDeletion } from '@/lib/records/observe';
import type { RolloutRecord } from '@/lib/api/record';
import { FakeArchive, statesIn, statesOf } from '@/lib/records/testing/fake-archive';
import {
  type ProgressiveAction,
  type ProgressiveOptions,
  SimulatedProgressiveRollout,
} from '@/lib/records/testing/simulated-progressive-rollout';
import {
  AS_WRITTEN,
  type SimulatedAction,
  incarnation,
  type SimulationOptions,
  tools,
  SimulatedWorkload,
} from '@/lib/records/testing/simulated-workload';
import { masked } from '@/test/masked';

const rules: SimulationOptions = { keepsNumbers: true, historyLimit: 10, pods: 3 };
const action = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('deploy' as const),
      template: fc.constantFrom('a', 'b', 'c', 'd'),
    }),
  },
  { weight: 8, arbitrary: fc.constant<SimulatedAction>({ kind: 'step' }) },
  { weight: 1, arbitrary: fc.constantFrom<SimulatedAction>({ kind: 'pause' }, { kind: 'resume' }) },
);
const actionList = fc.array(action, { maxLength: 60 });

function observeAll(actions: readonly SimulatedAction[], with_: SimulationOptions = rules): FakeArchive {
  const archive = new FakeArchive();
  for (const look of statesOf(actions, with_)) archive.observe(look(incarnation.createdAt, null));
  return archive;
}

/** Observes the states for which `isSeen` holds, and the last; missed states are a gap. */
function observeSome(
  actions: readonly SimulatedAction[],
  isSeen: readonly boolean[],
  with_: SimulationOptions = rules,
): FakeArchive {
  const archive = new FakeArchive();
  const states = statesOf(actions, with_);
  let since: string | null = null;
  let lost: string | null = null;
  states.forEach((look, index) => {
    const { at } = look('', null);
    if (index < states.length - 1 && isSeen[index % Math.max(1, isSeen.length)] === false) {
      if (since !== null) lost = states[index - 1]?.('', null).at ?? null;
      since = null;
      return;
    }
    since ??= index === 0 ? incarnation.createdAt : at;
    archive.observe(look(since, lost));
  });
  return archive;
}

/** The meaning of a template is requested only for current targets. */
function targetsOf({ activations }: FakeArchive): string[] {
  return [...activations.values()].map(({ revision: { number, id, hash } }) => `${number} ${id} ${hash}`);
}

function recordedCourse(record: RolloutRecord): Partial<RolloutRecord> {
  const { from, to, samples: _samples, ...course } = record;
  return { ...course, from: from && { ...from, meaning: '' }, to: { ...to, meaning: '' } };
}

/** The template that is finally desired is not recorded yet, so the status does not describe the one before. */
function isPending(actions: readonly SimulatedAction[]): boolean {
  return statesOf(actions, rules).at(-1)?.('', null).target === null;
}

const observedFlags = fc.array(fc.boolean(), { minLength: 1, maxLength: 61 });

describe('in every scenario', () => {
  test('missed states change nothing except what is marked as not observed', () => {
    fc.assert(
      fc.property(actionList, observedFlags, (actions, isSeen) => {
        const all = observeAll(actions);
        const some = observeSome(actions, isSeen);
        expect(some.recordList.map(({ to }) => [to.number, to.hash])).toEqual(
          [...some.activations.values()]
            .filter(({ index }) => some.recordList.some(({ activation }) => activation === index))
            .map(({ revision }) => [revision.number, revision.hash]),
        );
        expect(targetsOf(some)).toEqual(targetsOf(all));
        for (const record of some.recordList) {
          const truth = all.records.get(record.id);
          if (record.unwatched.length > 0) {
            const open = isPending(actions) ? [null] : [];
            if (truth !== undefined) expect([truth.outcome, 'unknown', ...open]).toContain(record.outcome);
            continue;
          }
          expect(recordedCourse(record)).toEqual(truth && recordedCourse(truth));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('nothing is invented where former numbers are lost and revisions pruned', () => {
    const poor: SimulationOptions = { keepsNumbers: false, historyLimit: 1, pods: 2 };
    fc.assert(
      fc.property(actionList, observedFlags, (actions, isSeen) => {
        const all = targetsOf(observeAll(actions, poor));
        const places = targetsOf(observeSome(actions, isSeen, poor)).map((target) => all.indexOf(target));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(places).not.toContain(-1);
        expect(new Set(places).size).toBe(places.length);
      }),
      { numRuns: 300 },
    );
  });

  test('a process that dies and restarts loses nothing except what is marked', () => {
    fc.assert(
      fc.property(actionList, observedFlags, (actions, lives) => {
        const all = observeAll(actions);
        const killed = new FakeArchive();
        let since = incarnation.createdAt;
        statesOf(actions, rules).forEach((look, index) => {
          if (lives[index % lives.length] === false) {
            killed.restart();
            since = look('', null).at;
          }
          killed.observe(look(since, null));
        });
        expect(targetsOf(killed)).toEqual(targetsOf(all));
        for (const record of killed.recordList) {
          const truth = all.records.get(record.id);
          if (record.unwatched.length > 0) {
            const open = isPending(actions) ? [null] : [];
            if (truth !== undefined) expect([truth.outcome, 'unknown', ...open]).toContain(record.outcome);
            continue;
          }
          expect(recordedCourse(record)).toEqual(truth && recordedCourse(truth));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('at most one rollout is open, and it is the last', () => {
    fc.assert(
      fc.property(actionList, observedFlags, (actions, isSeen) => {
        const { recordList: list, activations } = observeSome(actions, isSeen);
        const open = list.filter(({ outcome }) => outcome === null);
        expect(open.length).toBeLessThanOrEqual(1);
        if (open[0] !== undefined) expect(open[0].activation).toBe(activations.size);
      }),
      { numRuns: 200 },
    );
  });

  test('times are in order', () => {
    fc.assert(
      fc.property(actionList, observedFlags, (actions, isSeen) => {
        const { recordList: list } = observeSome(actions, isSeen);
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
      fc.property(actionList, (actions) => {
        const archive = observeAll(actions);
        const [last] = statesOf(actions, rules).slice(-1);
        const again = last && observe(archive.memory, last(incarnation.createdAt, null), tools);
        expect(again?.changes).toEqual({ incarnation: null, revisions: [], activations: [], records: [] });
      }),
      { numRuns: 100 },
    );
  });

  test('an ended record never changes again', () => {
    fc.assert(
      fc.property(actionList, (actions) => {
        const archive = new FakeArchive();
        const ended = new Map<string, RolloutRecord>();
        for (const look of statesOf(actions, rules)) {
          const observed = observe(archive.memory, look(incarnation.createdAt, null), tools);
          for (const record of observed.changes.records) {
            expect(ended.get(record.id)).toBeUndefined();
            if (record.outcome !== null) ended.set(record.id, record);
          }
          archive.save(observed);
        }
      }),
      { numRuns: 100 },
    );
  });
});

const scalingActions = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: action },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('scale' as const), to: fc.constantFrom(0, 0, 1, 3) }),
    },
  ),
  { maxLength: 60 },
);

describe('however a workload is scaled', () => {
  test('a rollout has the outcome noPods where none of its pods ran, and no other end', () => {
    fc.assert(
      fc.property(scalingActions, (actions) => {
        const ran = new Set<string>();
        const archive = new FakeArchive();
        for (const lookAt of statesOf(actions, rules)) {
          const look = lookAt(incarnation.createdAt, null);
          archive.observe(look);
          const { record } = archive.memory;
          const isTarget = record !== null && record.to.hash === look.target?.hash;
          if (isTarget && look.targetPods.length > 0) ran.add(record.id);
        }
        for (const { id, outcome } of archive.recordList) {
          if (outcome === 'noPods') expect(ran).not.toContain(id);
          if (outcome === 'completed') expect(ran).toContain(id);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('a rollout without pods is in progress as soon as one is desired, and completes with all of them', () => {
    fc.assert(
      fc.property(scalingActions, (actions) => {
        const archive = new FakeArchive();
        for (const lookAt of statesOf(actions, rules)) {
          const look = lookAt(incarnation.createdAt, null);
          const before = archive.memory.record?.outcome;
          archive.observe(look);
          const { record } = archive.memory;
          if (record === null || record.to.hash !== look.target?.hash) continue;
          if (look.desiredPods > 0) expect(record.outcome).not.toBe('noPods');
          if (record.outcome !== 'completed' || before === 'completed') continue;
          expect(look.targetPods.filter(({ readyAt }) => readyAt !== null)).toHaveLength(look.desiredPods);
        }
      }),
      { numRuns: 300 },
    );
  });
});

const steps = (count: number): SimulatedAction[] => Array.from({ length: count }, () => ({ kind: 'step' }));
const deploy = (template: string): SimulatedAction => ({ kind: 'deploy', template });
const outcomesOf = ({ recordList: list }: FakeArchive) =>
  list.map(({ to, outcome }) => `${to.hash} ${outcome}`);

describe('a rollout', () => {
  test('is completed when every desired pod runs the target and is ready', () => {
    expect(outcomesOf(observeAll([...steps(6), deploy('b'), ...steps(5)]))).toEqual([
      'a completed',
      'b null',
    ]);
    const [, second] = observeAll([...steps(6), deploy('b'), ...steps(6)]).recordList;
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

  test('without pods has the outcome noPods, and a failure of its first pods is its own', () => {
    const scale = (to: number): SimulatedAction => ({ kind: 'scale', to });
    const idle = [...steps(6), scale(0), deploy('b'), deploy('c')];
    expect(outcomesOf(observeAll(idle))).toEqual(['a completed', 'b noPods', 'c noPods']);
    const started = [...idle, scale(2), ...steps(1)];
    expect(outcomesOf(observeAll(started)).at(-1)).toBe('c null');
    expect(outcomesOf(observeAll([...started, ...steps(3)])).at(-1)).toBe('c completed');
    expect(outcomesOf(observeAll([...started, deploy('a'), ...steps(4)])).slice(2)).toEqual([
      'c rolledBack',
      'a completed',
    ]);
  });

  test('without pods is not known to have had none where it was not watched throughout', () => {
    const actions: SimulatedAction[] = [...steps(6), { kind: 'scale', to: 0 }, deploy('b'), ...steps(1)];
    const isSeen = actions.map((_, index) => index < 7);
    expect(outcomesOf(observeSome(actions, [...isSeen, true])).at(-1)).toBe('b unknown');
  });

  test('is neither opened nor ended by scaling, nor stalled by it', () => {
    const scaled = (look: Observation): Observation => ({ ...look, state: 'scaling', completion: null });
    for (const actions of [steps(6), [...steps(6), deploy('b'), ...steps(3)]]) {
      const archive = new FakeArchive();
      const looks = statesOf(actions, rules).map((look) => look(incarnation.createdAt, null));
      for (const look of looks) archive.observe(look);
      const before = archive.recordList;
      for (const look of looks.slice(-1)) archive.observe(scaled(look));
      expect(archive.recordList).toEqual(before);
    }
  });

  test('shows which pods were replaced by its own', () => {
    const [first, second] = observeAll([...steps(6), deploy('b'), ...steps(6)]).recordList;
    const old = first?.steps.flatMap(({ pods }) => pods.map(({ uid }) => uid));
    expect(first?.steps.flatMap(({ removed }) => removed)).toEqual([]);
    expect(second?.steps.map(({ removed }) => removed)).toEqual(
      second?.steps.map(({ startedAt }, index) => [
        { name: old?.[index], uid: old?.[index], hash: 'a', goneAt: startedAt },
      ]),
    );
    expect(second?.steps).toHaveLength(3);
  });

  test('that ends earlier is superseded by a new template, and rolled back by an earlier one', () => {
    const archive = observeAll([
      ...steps(6),
      deploy('b'),
      ...steps(2),
      deploy('c'),
      ...steps(3),
      deploy('a'),
      ...steps(6),
    ]);
    expect(outcomesOf(archive)).toEqual(['a completed', 'b superseded', 'c rolledBack', 'a completed']);
    expect(archive.recordList[3]).toMatchObject({ to: { number: 4 }, from: { number: 3 }, cause: null });
    expect([...archive.activations.values()].map(({ from, to }) => [from, to])).toEqual([
      ['2026-03-01T12:00:10Z', '2026-03-01T12:01:20Z'],
      ['2026-03-01T12:01:20Z', '2026-03-01T12:01:50Z'],
      ['2026-03-01T12:01:50Z', '2026-03-01T12:02:30Z'],
      ['2026-03-01T12:02:30Z', null],
    ]);
  });

  test('that is paused midway is held, stays open, and continues', () => {
    const archive = observeAll([...steps(6), deploy('b'), ...steps(2), { kind: 'pause' }, ...steps(3)]);
    expect(archive.recordList[1]).toMatchObject({ outcome: null, spans: [{ kind: 'held', to: null }] });
    const resumed = observeAll([
      ...steps(6),
      deploy('b'),
      ...steps(2),
      { kind: 'pause' },
      ...steps(3),
      { kind: 'resume' },
      ...steps(4),
    ]);
    expect(resumed.recordList[1]).toMatchObject({
      outcome: 'completed',
      spans: [{ kind: 'held', from: '2026-03-01T12:01:50Z', to: '2026-03-01T12:02:30Z' }],
    });
  });

  test('of a template set while paused begins when the workload is resumed', () => {
    const chosen: SimulatedAction[] = [...steps(6), deploy('b'), ...steps(6), { kind: 'pause' }, deploy('a')];
    expect(observeAll(chosen).activations.size).toBe(3);
    expect(observeAll(chosen).recordList).toHaveLength(2);
    const resumed = observeAll([...chosen, ...steps(3), { kind: 'resume' }]);
    expect(resumed.recordList[2]).toMatchObject({ startedAt: '2026-03-01T12:03:20Z', outcome: null });
    expect(resumed.activations.get(3)?.from).toBe('2026-03-01T12:02:40Z');
  });

  test('that a partition holds stays open, and each move of the partition is a step', () => {
    const archive = observeAll([
      ...steps(6),
      { kind: 'partition', to: 2 },
      deploy('b'),
      ...steps(4),
      { kind: 'partition', to: 0 },
      ...steps(4),
    ]);
    expect(archive.recordList[1]).toMatchObject({
      outcome: 'completed',
      spans: [{ kind: 'held' }],
      steps: [
        { name: 'Partition 2', kind: 'partition', planned: '1 of 3 pods', state: 'completed', pods: [{}] },
        { name: 'Partition 0', planned: '3 of 3 pods', state: 'completed', pods: [{}, {}] },
      ],
    });
  });

  test('whose next pods are observed before the move of its partition assigns them to that move', () => {
    const actions: SimulatedAction[] = [...steps(6), { kind: 'partition', to: 2 }, deploy('b'), ...steps(4)];
    const moved: SimulatedAction[] = [...actions, { kind: 'partition', to: 0 }, ...steps(4)];
    const seen = statesOf(moved, rules).map((state) => state(incarnation.createdAt, null));
    const archive = new FakeArchive();
    for (const [index, state] of seen.entries()) {
      // One observation between the two watches: the workload is still the old one, its pods are new.
      if (index === actions.length)
        archive.observe({ ...state, targetPods: seen[index + 2]?.targetPods ?? [] });
      archive.observe(state);
    }
    expect(archive.recordList[1]?.steps.map(({ name, pods }) => [name, pods.length])).toEqual([
      ['Partition 2', 1],
      ['Partition 0', 2],
    ]);
  });

  test('of a workload that is deleted has failed', () => {
    const archive = observeAll([...steps(6), deploy('b'), ...steps(2)]);
    const at = '2026-03-01T13:00:00Z';
    const watch = { since: incarnation.createdAt, lostAt: null };
    const deleted = observeDeletion(archive.memory, at, watch, false);
    expect(deleted?.changes).toMatchObject({
      incarnation: { deletedAt: at },
      records: [{ outcome: 'failed', endedAt: at, steps: [{ state: 'completed' }] }],
      activations: [{ index: 2, to: at }],
      revisions: [{ prunedAt: at }, { prunedAt: at }],
    });
    expect(observeDeletion(deleted?.memory ?? emptyMemory, at, watch, false)).toBeNull();
  });
});

test('a progressive rollout whose deletion removes its pods is rolled back, and only once they are gone', () => {
  const archive = new FakeArchive();
  const world = new SimulatedProgressiveRollout({
    isCanary: false,
    keepsNumbers: true,
    steps: [1, 3],
    isLabelled: true,
  });
  const look = (): Observation => world.observe(incarnation.createdAt, null);
  archive.observe(look());
  for (const action of [{ kind: 'deploy', template: 'b' }, ...steps(6)] as ProgressiveAction[]) {
    world.apply(action);
    archive.observe(look());
  }
  const { progressiveRollout: seen, ...rest } = look();
  const isReady = { state: 'complete' as const, completion: { provenAt: rest.at } };
  if (seen !== null)
    archive.observe({ ...rest, ...isReady, progressiveRollout: { ...seen, state: 'rollingBack' } });
  expect(archive.recordList.at(-1)?.outcome).toBeNull();
  world.apply({ kind: 'step' });
  const { at } = look();
  const nothing = { progressiveRollout: null, desiredPods: 0, targetPods: [], activePods: [] };
  archive.observe({ ...look(), ...isReady, ...nothing });
  expect(archive.recordList.at(-1)).toMatchObject({
    outcome: 'rolledBack',
    endedAt: at,
    steps: [{ planned: '1 of 3 pods', state: 'abandoned', pods: [{}] }, { state: 'skipped' }],
    progressiveRollout: { result: 'deleted' },
  });
});

/** A workload whose controller gets its revision only at the end of a progressive rollout. */
const canaries: ProgressiveOptions = { isCanary: true, keepsNumbers: true, steps: [1, 3], isLabelled: true };
const progressiveAction = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('deploy' as const), template: fc.constantFrom(...'abc') }),
  },
  { weight: 4, arbitrary: fc.constant<ProgressiveAction>({ kind: 'step' }) },
  { weight: 2, arbitrary: fc.constant<ProgressiveAction>({ kind: 'approve' }) },
);

test('a template that its revision has in another form is one rollout, and ends as it would in the same form', () => {
  const watched = (rules: ProgressiveOptions, actions: readonly ProgressiveAction[]) => {
    const archive = new FakeArchive();
    for (const look of statesIn(new SimulatedProgressiveRollout(rules), actions))
      archive.observe(look(incarnation.createdAt, null));
    const text = JSON.stringify(archive.recordList, (key, value: unknown) =>
      key === 'meaning' ? undefined : value,
    );
    return JSON.parse(text.replaceAll(AS_WRITTEN, '')) as RolloutRecord[];
  };
  fc.assert(
    fc.property(fc.array(progressiveAction, { maxLength: 60 }), (actions) => {
      expect(watched({ ...canaries, keepsWritten: true }, actions)).toEqual(watched(canaries, actions));
    }),
    { numRuns: 200 },
  );
});

describe('in an unwatched interval', () => {
  const gap = (actions: SimulatedAction[], before: number): FakeArchive => {
    const flags = statesOf(actions, rules).map((_, index) => index < before || index === actions.length);
    return observeSome(actions, flags);
  };

  test('what the cluster proves is completed, and the gap is marked', () => {
    const archive = gap([...steps(6), deploy('b'), ...steps(8)], 9);
    expect(archive.recordList[1]).toMatchObject({
      outcome: 'completed',
      endedAt: '2026-03-01T12:02:20Z',
      unwatched: [{ from: '2026-03-01T12:01:30Z', to: '2026-03-01T12:02:40Z' }],
    });
  });

  test('the outcome of a rollout that another one followed is unknown', () => {
    const archive = gap([...steps(6), deploy('b'), ...steps(2), deploy('c'), ...steps(2)], 9);
    expect(outcomesOf(archive)).toEqual(['a completed', 'b unknown', 'c null']);
    expect(archive.recordList[1]).toMatchObject({
      endedAt: '2026-03-01T12:01:50Z',
      unwatched: [{ from: '2026-03-01T12:01:30Z', to: '2026-03-01T12:01:50Z' }],
    });
    expect(archive.recordList[2]?.unwatched).toEqual([
      { from: '2026-03-01T12:01:50Z', to: '2026-03-01T12:02:10Z' },
    ]);
  });

  test('an adopted cluster yields its activations, and the outcome of the current one alone', () => {
    const actions = [...steps(6), deploy('b'), ...steps(6), deploy('a'), ...steps(6)];
    const archive = gap(actions, 0);
    expect(outcomesOf(archive)).toEqual(['a unknown', 'b unknown', 'a completed']);
    expect(
      archive.recordList.map(({ from, startedAt, endedAt }) => [from?.number, startedAt, endedAt]),
    ).toEqual([
      [undefined, '2026-03-01T12:00:10Z', '2026-03-01T12:01:20Z'],
      [1, '2026-03-01T12:01:20Z', null],
      [2, null, '2026-03-01T12:03:30Z'],
    ]);
    expect(archive.recordList[2]).toMatchObject({ steps: [], cause: null });
  });
});

test('a change of configuration belongs to the rollouts after it, not to those that were over', () => {
  const world = new SimulatedWorkload(rules);
  const archive = new FakeArchive();
  const look = (at: string) => {
    const message = masked(`ConfigMap a, which the template names, was changed at ${at}`);
    const event = { at, reason: masked('ConfigChanged'), message, object: 'ConfigMap a', count: 1 };
    archive.observe({ ...world.observe(start), configChanges: [event] });
  };
  const start = world.now;
  const roll = (template: string, changedAt: string) => {
    world.apply({ kind: 'deploy', template });
    for (let step = 0; step < 20; step += 1) {
      world.apply({ kind: 'step' });
      look(changedAt);
    }
  };
  roll('a', start);
  const between = world.now;
  look(between);
  roll('b', between);
  const messages = archive.recordList.map(({ events }) => events.map(({ at }) => at));
  expect(messages).toEqual([[start], [between]]);
});

test('a rollback does not take the cause of the rollout before it, which the controller has copied', () => {
  const archive = new FakeArchive();
  const actions = [...steps(6), deploy('b'), ...steps(6), deploy('a'), ...steps(6)];
  for (const look of statesOf(actions, rules)) {
    const seen = look(incarnation.createdAt, null);
    const isBack = seen.target?.number === 3;
    const revisions = seen.revisions.map((revision) =>
      isBack && revision.number === 3
        ? { ...revision, changeCause: masked('because of b'), cause: masked('because of b') }
        : revision,
    );
    archive.observe({ ...seen, revisions });
  }
  expect(archive.recordList.map(({ cause }) => cause)).toEqual(['because of a', 'because of b', null]);
});

test('an old cause on the workload is not that of a later rollout, even once its own revision is pruned', () => {
  const world = new SimulatedWorkload({ ...rules, historyLimit: 0 });
  const archive = new FakeArchive();
  const start = world.now;
  const look = () => {
    const seen = world.observe(start);
    const revisions = seen.revisions.map((each) => ({
      ...each,
      changeCause: masked('first'),
      cause: masked('first'),
    }));
    archive.observe({ ...seen, revisions });
  };
  for (const template of ['a', 'b', 'c']) {
    world.apply({ kind: 'deploy', template });
    for (let step = 0; step < 20; step += 1) {
      world.apply({ kind: 'step' });
      look();
    }
  }
  expect(archive.recordList.map(({ cause }) => cause)).toEqual(['first', null, null]);
});

test('a cause on the workload alone counts only where it can’t be that of an earlier revision', () => {
  const see = (lookFrom: string) => {
    const world = new SimulatedWorkload(rules);
    const archive = new FakeArchive();
    for (const template of ['a', 'b', 'c']) {
      world.apply({ kind: 'deploy', template });
      for (let step = 0; step < 20; step += 1) {
        world.apply({ kind: 'step' });
        if (template < lookFrom) continue;
        const seen = world.observe(world.now);
        const cause = masked(template === 'a' ? 'first' : 'second');
        const revisions = seen.revisions.map((each) =>
          each.id === seen.target?.id
            ? { ...each, changeCause: cause, cause, isCauseLent: true as const }
            : { ...each, changeCause: null, cause: null },
        );
        archive.observe({ ...seen, revisions: revisions.filter(({ id }) => id === seen.target?.id) });
      }
    }
    return archive.recordList.map(({ cause }) => cause);
  };
  expect(see('a')).toEqual(['first', 'second', null]);
  expect(see('b')).not.toContain('first');
  expect(see('c').at(-1)).toBeNull();
});

/** Every time that the cluster reports of a rollout, a few minutes later. */
function withClockAhead(seen: Observation, aheadMs: number): Observation {
  const later = <Time extends string | null>(time: Time): Time =>
    (time === null ? null : new Date(Date.parse(time) + aheadMs).toISOString()) as Time;
  return {
    ...seen,
    activations: seen.activations.map((each) => ({
      ...each,
      from: later(each.from),
      fromNotBefore: later(each.fromNotBefore),
      fromNotAfter: later(each.fromNotAfter),
    })),
    completion: seen.completion && { provenAt: later(seen.completion.provenAt) },
    stateSince: later(seen.stateSince),
    targetPods: seen.targetPods.map((pod) => ({
      ...pod,
      createdAt: later(pod.createdAt),
      readyAt: later(pod.readyAt),
    })),
  };
}

test('with a cluster whose clock is ahead, nothing in a record is later than its observation, and the record says so', () => {
  const aheadMs = 300_000;
  fc.assert(
    fc.property(actionList, (actions) => {
      const [truth, ahead] = [new FakeArchive(), new FakeArchive()];
      let at = '';
      for (const look of statesOf(actions, rules)) {
        const seen = look(incarnation.createdAt, null);
        truth.observe(seen);
        ahead.observe(withClockAhead(seen, aheadMs));
        ({ at } = seen);
      }
      for (const {
        startedAt,
        startedNotAfter,
        endedAt,
        outcome,
        spans,
        steps,
        clockAheadMs,
      } of ahead.recordList) {
        const times = [startedAt, startedNotAfter, endedAt, ...spans.flatMap(({ from, to }) => [from, to])];
        const ofSteps = steps.flatMap((step) => [
          ...[step.startedAt, step.endedAt],
          ...(outcome === null ? [] : step.pods.map(({ readyAt }) => readyAt)),
        ]);
        const latest = Math.max(...[...times, ...ofSteps].map((time) => Date.parse(time ?? at)));
        expect(latest).toBeLessThanOrEqual(Date.parse(at));
        expect(clockAheadMs ?? 0).toBeLessThanOrEqual(aheadMs);
      }
      expect(ahead.recordList[0]?.clockAheadMs).toBe(aheadMs);
      const durations = ({ recordList }: FakeArchive) =>
        recordList.map((each) => [
          each.outcome,
          Date.parse(each.endedAt ?? '') - Date.parse(each.startedAt ?? ''),
        ]);
      expect(durations(ahead)).toEqual(durations(truth));
    }),
  );
});

test('a partition holds no pod of a first revision, and is no step of its record', () => {
  const steps = Array.from({ length: 8 }, (): SimulatedAction => ({ kind: 'step' }));
  const archive = new FakeArchive();
  for (const look of statesOf(steps, rules))
    archive.observe({ ...look(incarnation.createdAt, null), partition: 2 });
  expect(archive.recordList).toMatchObject([{ steps: [{ name: 'Wave 1', state: 'completed' }] }]);
  expect(archive.recordList[0]?.steps[0]?.pods).toHaveLength(3);
  const later = new FakeArchive();
  const deploy: SimulatedAction[] = [...steps, { kind: 'deploy', template: 'b' }, ...steps];
  for (const look of statesOf(deploy, rules))
    later.observe({ ...look(incarnation.createdAt, null), partition: 2 });
  expect(later.recordList.at(-1)?.steps.map(({ name }) => name)).toEqual(['Partition 2']);
});
