import { describe, expect, test } from 'vitest';
import { batchStates, type Position, rollingStates } from '@/lib/oam/states';
import { Play } from '@/lib/oam/testing/play';
import { transit, type Transition, transitions } from '@/lib/oam/transitions';

const target = (name: string, kind = 'Deployment') => ({ apiVersion: 'apps/v1', kind, name });

/** A rollout that is about to be where the arrow begins, with nothing done yet that the arrow is about. */
function playTo({ from, fromBatch, event }: Transition): Play {
  const play = new Play();
  play.deploy('a', 4);
  play.deploy('b', 0, { paused: true });
  play.deploy('c', 0, { paused: true });
  const isLast = event === 'AllBatchFinishedEvent' || from === 'finalising' || from === 'rolloutSucceed';
  const failsMetric = fromBatch === 'batchVerifyFailed' || event === 'BatchRolloutFailedEvent';
  play.roll({
    targetRef: target('b'),
    sourceRef: [target('a')],
    rolloutPlan: {
      rolloutBatches: [...(isLast ? [] : [{ replicas: 1 }]), { replicas: '100%' }],
      canaryMetric: failsMetric ? [{ name: 'errors' }] : [],
      revertOnDelete: true,
      ...(event === 'BatchRolloutApprovedEvent' && { batchPartition: 0 }),
    },
  });
  if (failsMetric) play.answers.set('errors', { is: 'measured', value: 1, threshold: 1 });
  if (failsMetric) play.editPlan({ canaryMetric: [{ name: 'errors', metricsRange: { max: 0 } }] });
  const isThere = () => {
    const { position } = play.status ?? {};
    return position?.rolling === from && (fromBatch === undefined || position.batch === fromBatch);
  };
  const roundabout: Partial<Record<Transition['from'], () => void>> = {
    rolloutFailing: () => play.objects.delete('b'),
    rolloutAbandoning: () => play.editSpec({ targetRef: target('c') }),
    RolloutDeletingState: () => play.delete(),
    rolloutFailed: () => play.objects.delete('b'),
  };
  const detour = roundabout[from];
  if (detour !== undefined) {
    play.until(() => play.status?.position?.batch === 'batchVerifying');
    detour();
  }
  play.until(isThere);
  return play;
}

/** What happens where it does not come about by itself. */
function bringAbout(play: Play, { event, from }: Transition): void {
  if (event === 'RollingDeletedEvent') play.delete();
  if (event === 'RollingModifiedEvent') play.editSpec({ targetRef: target('c') });
  if (event === 'BatchRolloutApprovedEvent') play.editPlan({ batchPartition: 1 });
  if (event !== 'RollingFailedEvent') return;
  if (from === 'locatingTargetApp') play.editSpec({ targetRef: target('b', 'Job') });
  else if (from === 'verifyingSpec') play.editPlan({ rolloutBatches: [{ replicas: 9 }, { replicas: 1 }] });
  else play.objects.delete('b');
}

function nextPosition(play: Play, before: Position): Position | undefined {
  const batch = play.status?.currentBatch;
  play.until(() => {
    const { position, currentBatch } = play.status ?? {};
    return position?.rolling !== before.rolling || position.batch !== before.batch || currentBatch !== batch;
  });
  return play.status?.position;
}

describe('each transition comes about', () => {
  test.for(transitions.map((transition) => [nameOf(transition), transition] as const))(
    '%s',
    ([, transition]) => {
      const play = playTo(transition);
      bringAbout(play, transition);
      const before = play.status?.position as Position;
      const batch = play.status?.currentBatch ?? 0;
      // A rollout that is gone was let go from where the arrow leads.
      const last = () => play.moves.at(-1)?.status;
      const after = nextPosition(play, before) ?? last()?.position;
      expect(after).toEqual({ rolling: transition.to, batch: transition.toBatch });
      const batches = { 'next batch': batch + 1, reset: 0 };
      if (transition.effect !== undefined) expect(last()?.currentBatch).toBe(batches[transition.effect]);
    },
  );
});

test('an event leads to one place only, and every place can be reached and left', () => {
  const keys = transitions.map(({ from, fromBatch, event }) => `${from}/${fromBatch ?? ''}/${event}`);
  expect(new Set(keys).size).toBe(keys.length);
  for (const rolling of rollingStates) {
    expect(transitions.some(({ from }) => from === rolling)).toBe(true);
    expect(transitions.some(({ to }) => to === rolling)).toBe(true);
  }
  for (const batch of batchStates)
    expect(
      transitions.some(({ from, fromBatch }) => from === 'rollingInBatches' && fromBatch === batch),
    ).toBe(true);
});

test('what is no transition leads nowhere', () => {
  expect(transit({ rolling: 'rolloutSucceed', batch: 'batchReady' }, 'RollingDeletedEvent')).toBeUndefined();
  expect(
    transit({ rolling: 'RolloutDeletingState', batch: 'batchInitializing' }, 'RollingModifiedEvent'),
  ).toBeUndefined();
});

function nameOf({ from, fromBatch, event, to, toBatch }: Transition): string {
  return `${[from, fromBatch].filter(Boolean).join('/')} with ${event} to ${to}/${toBatch}`;
}
