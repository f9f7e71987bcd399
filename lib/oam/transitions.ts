import {
  batchStates,
  type BatchState,
  isTerminal,
  type Position,
  rollingStates,
  type RollingState,
  type OamEvent,
} from '@/lib/oam/states';

/** What else changes with a transition. */
type Effect = 'next batch' | 'reset';

/** One arrow of the machine. */
export interface Transition {
  readonly from: RollingState;
  /** Only from `rollingInBatches`. */
  readonly fromBatch?: BatchState;
  readonly event: OamEvent;
  readonly to: RollingState;
  readonly toBatch: BatchState;
  readonly effect?: Effect;
  /** Its condition, for a reader. */
  readonly when: string;
}

const MODIFIED = 'the target or its size changed';
const DELETED = 'the rollout is being deleted';
const BROKEN = 'the plan is no longer valid, or a workload was deleted';

/** Without another possible target, with an abandoned one, or with the deletion already decided. */
const UNMODIFIED: readonly RollingState[] = [
  'locatingTargetApp',
  'rolloutAbandoning',
  'RolloutDeletingState',
];

/**
 * The complete state machine: there are no other transitions. Drawn in docs/oam-rollout.md.
 * https://github.com/kubevela/kubevela/blob/v1.8.2/apis/standard.oam.dev/v1alpha1/rollout_state.go
 */
// prettier-ignore
export const transitions: readonly Transition[] = [
  arrow('locatingTargetApp', 'AppLocatedEvent', 'verifyingSpec', 'the target exists'),
  arrow('verifyingSpec', 'RollingSpecVerifiedEvent', 'initializing', 'sizes, batches and workloads are valid'),
  arrow('initializing', 'RollingInitializedEvent', 'rollingInBatches', 'workloads claimed, webhooks passed'),
  inBatch('batchInitializing', 'InitializedOneBatchEvent', 'batchInRolling', 'webhooks before the batch passed'),
  inBatch('batchInRolling', 'RolloutOneBatchEvent', 'batchVerifying', 'all pods of the batch are requested'),
  inBatch('batchVerifying', 'OneBatchAvailableEvent', 'batchFinalizing', 'pods ready, metrics within range'),
  inBatch('batchVerifying', 'BatchRolloutFailedEvent', 'batchVerifyFailed', 'a metric failed too often'),
  inBatch('batchFinalizing', 'FinishedOneBatchEvent', 'batchReady', 'webhooks after the batch passed'),
  { ...inBatch('batchReady', 'BatchRolloutApprovedEvent', 'batchInitializing', 'the next batch is approved'), effect: 'next batch' },
  { ...inBatch('batchFinalizing', 'AllBatchFinishedEvent', 'batchReady', 'it was the last batch'), to: 'finalising' },
  arrow('finalising', 'RollingFinalizedEvent', 'rolloutSucceed', 'workloads released, webhooks passed'),

  arrow('locatingTargetApp', 'RollingFailedEvent', 'rolloutFailed', 'the kind of the target is not supported'),
  arrow('verifyingSpec', 'RollingFailedEvent', 'rolloutFailed', 'sizes, batches or workloads are not valid'),
  arrow('initializing', 'RollingFailedEvent', 'rolloutFailing', BROKEN),
  ...batchStates.map((state) =>
    arrow(
      'rollingInBatches',
      'RollingFailedEvent',
      'rolloutFailing',
      state === 'batchVerifyFailed' ? 'the batch failed' : BROKEN,
      state,
    ),
  ),
  arrow('rolloutFailing', 'RollingFinalizedEvent', 'rolloutFailed', 'workloads released'),

  ...positions((state) => !isTerminal(state) && !UNMODIFIED.includes(state)).map(([from, fromBatch]) =>
    arrow(from, 'RollingModifiedEvent', 'rolloutAbandoning', MODIFIED, fromBatch),
  ),
  { ...arrow('rolloutAbandoning', 'RollingFinalizedEvent', 'locatingTargetApp', 'the current batch is completed or reverted'), effect: 'reset' },
  ...rollingStates.filter(isTerminal).map((from): Transition => {
    return {
      ...arrow(from, 'RollingModifiedEvent', 'locatingTargetApp', 'another target or size is requested'),
      effect: 'reset',
    };
  }),

  ...positions((state) => !isTerminal(state) && state !== 'RolloutDeletingState').map(([from, fromBatch]) =>
    arrow(from, 'RollingDeletedEvent', 'RolloutDeletingState', DELETED, fromBatch),
  ),
  arrow('rolloutFailed', 'RollingDeletedEvent', 'RolloutDeletingState', 'it is deleted, and revertOnDelete is set'),
  arrow('RolloutDeletingState', 'RollingFinalizedEvent', 'rolloutFailed', 'reverted if requested, workloads released'),
];

/** The result of an event; undefined where there is none. */
export function findTransition(position: Position, event: OamEvent): Transition | undefined {
  return transitions.find(
    (transition) =>
      transition.event === event &&
      transition.from === position.rolling &&
      (transition.fromBatch === undefined || transition.fromBatch === position.batch),
  );
}

function arrow(
  from: RollingState,
  event: OamEvent,
  to: RollingState,
  when: string,
  fromBatch?: BatchState,
): Transition {
  return {
    from,
    ...(fromBatch !== undefined && { fromBatch }),
    event,
    to,
    toBatch: 'batchInitializing',
    when,
  };
}

function inBatch(fromBatch: BatchState, event: OamEvent, toBatch: BatchState, when: string): Transition {
  return { from: 'rollingInBatches', fromBatch, event, to: 'rollingInBatches', toBatch, when };
}

function positions(isWanted: (state: RollingState) => boolean): [RollingState, BatchState | undefined][] {
  return rollingStates
    .filter(isWanted)
    .flatMap((state): [RollingState, BatchState | undefined][] =>
      state === 'rollingInBatches' ? batchStates.map((batch) => [state, batch]) : [[state, undefined]],
    );
}
