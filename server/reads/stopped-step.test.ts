import { expect, test } from 'vitest';
import { type RolloutRecord } from '@/lib/ledger/record';
import { type StepState } from '@/lib/rollout/rollout';
import { type ReadContext } from '@/server/reads/context';
import { type RolloutView } from '@/server/reads/rollout-view';
import { withStoppedStep } from '@/server/reads/stopped-step';

const view = (state: string, states: readonly StepState[] = ['planned', 'planned', 'planned']) =>
  ({
    rollout: {
      uid: 'uid-1',
      state,
      step: { index: 0 },
      release: { id: '4' },
      steps: states.map((step, offset) => ({ index: offset + 1, state: step })),
    },
  }) as unknown as RolloutView;

/** Reads with an archive that has one record, and tells how often it was asked. */
function context(release: object, states: readonly string[] = ['completed', 'running', 'planned']) {
  const asked = { times: 0 };
  const steps = states.map((state, offset) => ({ index: offset + 1, state }));
  const archive = {
    recordById: () => {
      asked.times += 1;
      return Promise.resolve({ record: { release, steps } as unknown as RolloutRecord });
    },
  };
  return { asked, context: { archive, now: () => 0 } as unknown as ReadContext };
}

const same = { uid: 'uid-1', id: '4' };
const statesOf = ({ rollout }: RolloutView) => rollout.steps.map(({ state }) => state);

test('the step that a release stopped in is told by its record, where the system has forgotten it', async () => {
  const read = async (release: object, states?: readonly string[]) =>
    statesOf(await withStoppedStep(context(release, states).context, view('failed'), { id: 'r' }));
  expect(await read(same)).toEqual(['done', 'abandoned', 'planned']);
  expect(await read(same, ['completed', 'completed', 'abandoned'])).toEqual(['done', 'done', 'abandoned']);
  expect(await read({ ...same, id: '3' })).toEqual(['planned', 'planned', 'planned']);
  expect(await read({ ...same, uid: 'uid-0' })).toEqual(['planned', 'planned', 'planned']);
  expect(await read(same, ['planned', 'planned', 'planned'])).toEqual(['planned', 'planned', 'planned']);
});

test('the archive is not asked for what the cluster tells, and whoever has none gets the rest', async () => {
  const { asked, context: reading } = context(same);
  await withStoppedStep(reading, view('waiting'), { id: 'r' });
  await withStoppedStep(reading, view('failed', ['done', 'abandoned', 'planned']), { id: 'r' });
  await withStoppedStep(reading, view('failed'), null);
  expect(asked.times).toBe(0);
  const without = { now: () => 0 } as unknown as ReadContext;
  expect(statesOf(await withStoppedStep(without, view('failed'), { id: 'r' }))).toContain('planned');
});
