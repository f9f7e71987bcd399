import { describe, expect, test } from 'vitest';
import { batchStates, type Position, rollingStates } from '@/lib/oam/states';
import { RolloutSimulation } from '@/lib/oam/testing/rollout-simulation';
import { findTransition, type Transition, transitions } from '@/lib/oam/transitions';

const target = (name: string, kind = 'Deployment') => ({ apiVersion: 'apps/v1', kind, name });

/** A rollout in the state where the arrow starts, before the work of the arrow. */
function simulateTo({ from, fromBatch, event }: Transition): RolloutSimulation {
  const simulation = new RolloutSimulation();
  simulation.deploy('a', 4);
  simulation.deploy('b', 0, { paused: true });
  simulation.deploy('c', 0, { paused: true });
  const isLast = event === 'AllBatchFinishedEvent' || from === 'finalising' || from === 'rolloutSucceed';
  const failsMetric = fromBatch === 'batchVerifyFailed' || event === 'BatchRolloutFailedEvent';
  simulation.roll({
    targetRef: target('b'),
    sourceRef: [target('a')],
    rolloutPlan: {
      rolloutBatches: [...(isLast ? [] : [{ replicas: 1 }]), { replicas: '100%' }],
      canaryMetric: failsMetric ? [{ name: 'errors' }] : [],
      revertOnDelete: true,
      ...(event === 'BatchRolloutApprovedEvent' && { batchPartition: 0 }),
    },
  });
  if (failsMetric) simulation.answers.set('errors', { is: 'measured', value: 1, threshold: 1 });
  if (failsMetric) simulation.editPlan({ canaryMetric: [{ name: 'errors', metricsRange: { max: 0 } }] });
  const isThere = () => {
    const { position } = simulation.status ?? {};
    return position?.rolling === from && (fromBatch === undefined || position.batch === fromBatch);
  };
  const roundabout: Partial<Record<Transition['from'], () => void>> = {
    rolloutFailing: () => simulation.objects.delete('b'),
    rolloutAbandoning: () => simulation.editSpec({ targetRef: target('c') }),
    RolloutDeletingState: () => simulation.delete(),
    rolloutFailed: () => simulation.objects.delete('b'),
  };
  const detour = roundabout[from];
  if (detour !== undefined) {
    simulation.runUntil(() => simulation.status?.position?.batch === 'batchVerifying');
    detour();
  }
  simulation.runUntil(isThere);
  return simulation;
}

/** The event that triggers it, where nothing else does. */
function cause(simulation: RolloutSimulation, { event, from }: Transition): void {
  if (event === 'RollingDeletedEvent') simulation.delete();
  if (event === 'RollingModifiedEvent') simulation.editSpec({ targetRef: target('c') });
  if (event === 'BatchRolloutApprovedEvent') simulation.editPlan({ batchPartition: 1 });
  if (event !== 'RollingFailedEvent') return;
  if (from === 'locatingTargetApp') simulation.editSpec({ targetRef: target('b', 'Job') });
  else if (from === 'verifyingSpec')
    simulation.editPlan({ rolloutBatches: [{ replicas: 9 }, { replicas: 1 }] });
  else simulation.objects.delete('b');
}

function nextPosition(simulation: RolloutSimulation, before: Position): Position | undefined {
  const batch = simulation.status?.currentBatch;
  simulation.runUntil(() => {
    const { position, currentBatch } = simulation.status ?? {};
    return position?.rolling !== before.rolling || position.batch !== before.batch || currentBatch !== batch;
  });
  return simulation.status?.position;
}

describe('each transition happens', () => {
  test.for(transitions.map((transition) => [nameOf(transition), transition] as const))(
    '%s',
    ([, transition]) => {
      const simulation = simulateTo(transition);
      cause(simulation, transition);
      const before = simulation.status?.position as Position;
      const batch = simulation.status?.currentBatch ?? 0;
      // A deleted rollout was released in the state where the arrow leads.
      const last = () => simulation.results.at(-1)?.status;
      const after = nextPosition(simulation, before) ?? last()?.position;
      expect(after).toEqual({ rolling: transition.to, batch: transition.toBatch });
      const batches = { 'next batch': batch + 1, reset: 0 };
      if (transition.effect !== undefined) expect(last()?.currentBatch).toBe(batches[transition.effect]);
    },
  );
});

test('an event leads to one state only, and every state can be reached and left', () => {
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

test('an undefined transition leads nowhere', () => {
  expect(
    findTransition({ rolling: 'rolloutSucceed', batch: 'batchReady' }, 'RollingDeletedEvent'),
  ).toBeUndefined();
  expect(
    findTransition({ rolling: 'RolloutDeletingState', batch: 'batchInitializing' }, 'RollingModifiedEvent'),
  ).toBeUndefined();
});

function nameOf({ from, fromBatch, event, to, toBatch }: Transition): string {
  return `${[from, fromBatch].filter(Boolean).join('/')} with ${event} to ${to}/${toBatch}`;
}
