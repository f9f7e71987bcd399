import { describe, expect, test } from 'vitest';
import type { Observation, ObservedPod, ObservedProgressiveRollout } from '@/lib/records/observation';
import type { RolloutRecord } from '@/lib/api/record';
import { updateProgressiveSteps } from '@/lib/records/progressive-steps';
import type { RolloutPod } from '@/lib/api/rollouts';

const START = '2026-03-08T09:00:00Z';
const BEFORE = '2026-03-08T08:00:00Z';
const LATER = '2026-03-08T09:01:00Z';

const record = {
  startedAt: START,
  startedNotAfter: null,
  steps: [],
  progressiveRollout: null,
} as unknown as RolloutRecord;

function pod(name: string, createdAt: string): RolloutPod & ObservedPod {
  const facts = { phase: 'Running', ready: true, revision: 2, revisionId: 'b' };
  return {
    name,
    uid: name,
    ip: null,
    node: null,
    readyAt: createdAt,
    restarts: 0,
    blocked: null,
    createdAt,
    ...facts,
  };
}

/** At a step of four that request 1, 1, 3 and 3 pods. */
function atStep(
  at: Partial<ObservedProgressiveRollout> & { index: number },
  pods: RolloutPod[] = [],
): ObservedProgressiveRollout {
  const { index, ...given } = at;
  return {
    ...{ system: 'argo', resource: 'rollouts', name: 'guest', uid: 'guest', style: 'canary', routes: [] },
    ...{ state: 'progressing', run: { id: '2', startedAt: null }, replicas: { desired: 5 } },
    step: { index, total: 4, state: 'upgrading', next: null },
    steps: [1, 1, 3, 3].map((planned, offset) => ({
      ...{ index: offset + 1, state: 'planned', traffic: { planned: null }, pause: null, pods: [] },
      replicas: { planned, requested: null },
    })),
    unassignedPods: pods,
    marksNoPods: true,
    ...given,
  } as unknown as ObservedProgressiveRollout;
}

const observation = (targetPods: ObservedPod[] = []) =>
  ({ at: LATER, desiredPods: 5, targetPods }) as unknown as Observation;

const describeSteps = ({
  steps,
  progressiveRollout: seen,
}: Pick<RolloutRecord, 'steps' | 'progressiveRollout'>) => [
  ...steps.map(({ state, pods }) => [state, ...pods.map(({ name }) => name)].join(' ')),
  (seen?.unassigned ?? []).map(({ name }) => name).join(' '),
];

describe('the steps of a progressive rollout whose system labels no pod', () => {
  test('have the pods created during them, a pause those of the step before it', () => {
    const pods = [pod('a', LATER)];
    const first = updateProgressiveSteps(record, atStep({ index: 1 }, pods), observation(), [], false);
    const second = updateProgressiveSteps(
      { ...record, ...first },
      atStep({ index: 4 }, [...pods, pod('b', LATER), pod('c', LATER)]),
      observation(),
      [],
      false,
    );
    expect(describeSteps(second)).toEqual(['completed a', 'unknown', 'unknown b c', 'running', '']);
  });

  test('have none of the pods created once all are done', () => {
    const first = updateProgressiveSteps(record, atStep({ index: 1 }), observation(), [], false);
    const done = atStep({ index: 4, state: 'completed' }, [pod('a', LATER)]);
    expect(
      describeSteps(updateProgressiveSteps({ ...record, ...first }, done, observation(), [], false)).at(-1),
    ).toBe('a');
  });
});

describe('a step that never ran', () => {
  test('is skipped where the rollout returned to the template that ran throughout', () => {
    const old = pod('stable', BEFORE);
    const done = atStep({ index: 4, state: 'completed' }, [old]);
    expect(describeSteps(updateProgressiveSteps(record, done, observation([old]), [], false))).toEqual([
      ...['skipped', 'skipped', 'skipped', 'skipped'],
      '',
    ]);
  });

  test('is skipped where its system reports so, also after the current step', () => {
    const seen = atStep({ index: 2 });
    const promoted = {
      ...seen,
      steps: seen.steps.map((step) => (step.index > 2 ? { ...step, state: 'skipped' as const } : step)),
    };
    const { steps } = updateProgressiveSteps(record, promoted, observation(), [], false);
    expect(steps.map(({ state }) => state)).toEqual(['completed', 'running', 'skipped', 'skipped']);
  });

  test('is unknown in an unwatched interval', () => {
    const old = pod('stable', BEFORE);
    const done = atStep({ index: 4, state: 'completed' }, [old]);
    const { steps } = updateProgressiveSteps(record, done, observation([old]), [], true);
    expect(steps.map(({ state }) => state)).toEqual(['completed', 'unknown', 'unknown', 'completed']);
  });
});

test('a pod with the label of a step that was jumped over belongs to the step after the jump, also if seen at its end', () => {
  const at = (index: number, next: number | null, pods: RolloutPod[] = []) => {
    const state = pods.length === 0 ? 'progressing' : 'completed';
    const { marksNoPods: _, step, ...seen } = atStep({ index, state });
    const steps = seen.steps.map((known) => ({ ...known, pods: known.index === 2 ? pods : [] }));
    return { ...seen, step: { ...step, next }, steps };
  };
  const observed = [at(1, null), at(1, 4), at(4, null), at(4, null, [pod('late', LATER)])];
  const done = observed.reduce(
    (known, seen) => ({ ...known, ...updateProgressiveSteps(known, seen, observation(), [], false) }),
    record,
  );
  expect(describeSteps(done).slice(0, 4)).toEqual(['completed', 'skipped', 'skipped', 'completed late']);
});

test('a pod that ran the target before the rollout began belongs to no step, whatever its labels', () => {
  const old = pod('old', BEFORE);
  const seen = atStep({ index: 1 });
  const labelled = { ...seen, steps: seen.steps.map((step) => ({ ...step, pods: [old] })) };
  expect(describeSteps(updateProgressiveSteps(record, labelled, observation([old]), [], false))[0]).toBe(
    'running',
  );
});
