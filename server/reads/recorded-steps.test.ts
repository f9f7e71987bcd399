import { expect, test } from 'vitest';
import type { RolloutRecord } from '@/lib/api/record';
import type { StepState } from '@/lib/api/rollout-values';
import type { ReadContext } from '@/server/views/context';
import type { RolloutView } from '@/server/views/rollout-view';
import { withRecordedSteps } from '@/server/reads/recorded-steps';

const view = (state: string, states: readonly StepState[] = ['planned', 'planned', 'planned']) =>
  ({
    rollout: {
      uid: 'uid-1',
      state,
      step: { index: 0 },
      run: { id: '4' },
      revisions: { updated: { id: 'b' } },
      actions: [] as { name: string }[],
      unassignedPods: ['a', 'b', 'end'].map((name) => ({ name, uid: name })),
      steps: states.map((step, offset) => ({
        ...{ index: offset + 1, state: step, startedAt: null, pods: [] },
        replicas: { planned: 1, requested: '1', updated: 1, ready: 1 },
      })),
    },
  }) as unknown as RolloutView;

/** Reads with an archive that has one record, and counts its queries. */
function context(rollout: object, states: readonly string[] = ['completed', 'running', 'planned']) {
  const asked = { times: 0 };
  const steps = states.map((state, offset) => ({
    ...{ index: offset + 1, state, startedAt: `2026-03-08T09:0${offset}:00Z` },
    pods: state === 'completed' ? [{ uid: 'ab'.charAt(offset) }, { uid: `${offset} is gone` }] : [],
  }));
  const archive = {
    rollouts: {
      byId: () => {
        asked.times += 1;
        const record = { progressiveRollout: rollout, steps, to: { id: 'b' } };
        return Promise.resolve({ record: record as unknown as RolloutRecord });
      },
    },
  };
  return { asked, context: { archive, now: () => 0 } as unknown as ReadContext };
}

const same = { uid: 'uid-1', id: '4' };
const statesOf = ({ rollout }: RolloutView) => rollout.steps.map(({ state }) => state);

test('takes the step at which a rollout stopped from its record, where the system has lost it', async () => {
  const read = async (rollout: object, states?: readonly string[]) =>
    statesOf(await withRecordedSteps(context(rollout, states).context, view('failed'), { id: 'r' }));
  expect(await read(same)).toEqual(['done', 'abandoned', 'planned']);
  expect(await read(same, ['completed', 'completed', 'abandoned'])).toEqual(['done', 'done', 'abandoned']);
  expect(await read({ ...same, id: '3' })).toEqual(['planned', 'planned', 'planned']);
  expect(await read({ ...same, uid: 'uid-0' })).toEqual(['planned', 'planned', 'planned']);
  expect(await read(same, ['planned', 'planned', 'planned'])).toEqual(['planned', 'planned', 'planned']);
});

test('completed steps keep the times and pods of their record, and what never ran is skipped', async () => {
  const { context: reading } = context(same, ['completed', 'skipped', 'completed']);
  const { rollout } = await withRecordedSteps(reading, view('completed', ['done', 'done', 'done']), {
    id: 'r',
  });
  expect(rollout.steps).toMatchObject([
    { state: 'done', startedAt: '2026-03-08T09:00:00Z', pods: [{ uid: 'a' }] },
    { state: 'skipped', startedAt: null, pods: [], replicas: { planned: 1, updated: null } },
    { state: 'done', startedAt: '2026-03-08T09:02:00Z', pods: [] },
  ]);
  expect(rollout.unassignedPods.map(({ uid }) => uid)).toEqual(['b', 'end']);
  const other = view('completed', ['done', 'done', 'done']);
  Object.assign(other.rollout.revisions, { updated: { id: 'c' } });
  expect(await withRecordedSteps(reading, other, { id: 'r' })).toBe(other);
});

test('keeps the states that the cluster reports, and works without a record or an archive', async () => {
  const told = view('failed', ['done', 'abandoned', 'planned']);
  expect(statesOf(await withRecordedSteps(context(same).context, told, { id: 'r' }))).toEqual(statesOf(told));
  const { asked, context: reading } = context(same);
  await withRecordedSteps(reading, view('failed'), null);
  expect(asked.times).toBe(0);
  const without = { now: () => 0 } as unknown as ReadContext;
  expect(statesOf(await withRecordedSteps(without, view('failed'), { id: 'r' }))).toContain('planned');
});

test('without a record a step counts as done only where none may have been skipped, or it has pods', async () => {
  const without = { now: () => 0 } as unknown as ReadContext;
  const read = async (state: string, actions: readonly string[], record: { id: string } | null = null) => {
    const told = view(state, ['done', 'done', 'waiting']);
    const [first] = told.rollout.steps;
    Object.assign(first ?? {}, { pods: [{ uid: 'a', name: 'a' }] });
    Object.assign(told.rollout, { actions: actions.map((name) => ({ name })) });
    return statesOf(await withRecordedSteps(without, told, record));
  };
  expect(await read('waiting', ['approve', 'jump'])).toEqual(['done', 'unknown', 'waiting']);
  expect(await read('waiting', ['approve', 'jump'], { id: 'r' })).toEqual(['done', 'unknown', 'waiting']);
  // Only a completed rollout can have been promoted past its steps.
  expect(await read('waiting', ['approve', 'promoteFull'])).toEqual(['done', 'done', 'waiting']);
  expect(await read('completed', ['approve', 'promoteFull'])).toEqual(['done', 'unknown', 'waiting']);
  expect(await read('completed', ['approve'])).toEqual(['done', 'done', 'waiting']);
});

test('what an abort has skipped is planned again after a retry, and stays skipped once it is over', async () => {
  const { context: reading } = context(same, ['completed', 'running', 'skipped']);
  const read = async (state: string, current: number) => {
    const told = view(state, ['done', 'waiting', 'planned']);
    Object.assign(told.rollout.step, { index: current });
    return statesOf(await withRecordedSteps(reading, told, { id: 'r' }));
  };
  expect(await read('waiting', 2)).toEqual(['done', 'waiting', 'planned']);
  expect(await read('rolledBack', 2)).toEqual(['done', 'waiting', 'skipped']);
});

test('a reverted rollout keeps its record, though its status names the restored revision', async () => {
  const { context: reading } = context(same, ['completed', 'abandoned', 'skipped']);
  const told = view('rolledBack', ['done', 'abandoned', 'planned']);
  Object.assign(told.rollout.revisions, { updated: { id: 'a' } });
  expect(statesOf(await withRecordedSteps(reading, told, { id: 'r' }))).toEqual([
    'done',
    'abandoned',
    'skipped',
  ]);
});
