import {
  batchStates,
  type BatchState,
  isTerminal,
  type Position,
  rollingStates,
  type RollingState,
  type RolloutEvent,
} from '@/lib/oam/states';

/** What else changes with a transition. */
type Effect = 'next batch' | 'reset';

/** One arrow of the machine. */
export interface Transition {
  readonly from: RollingState;
  /** Only from `rollingInBatches`. */
  readonly fromBatch?: BatchState;
  readonly event: RolloutEvent;
  readonly to: RollingState;
  readonly toBatch: BatchState;
  readonly effect?: Effect;
  /** Its condition, for a reader. */
  readonly when: string;
}

const MODIFIED = 'the target or its size was changed midway';
const DELETED = 'the rollout is being deleted midway';
const BROKEN = 'the plan does not hold any more, or a workload is gone';

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
export const transitions: readonly Transition[] = [
  arrow('locatingTargetApp', 'AppLocatedEvent', 'verifyingSpec', 'the target is there'),
  arrow('verifyingSpec', 'RollingSpecVerifiedEvent', 'initializing', 'sizes, batches and workloads fit'),
  arrow('initializing', 'RollingInitializedEvent', 'rollingInBatches', 'workloads claimed, webhooks agreed'),
  inBatch('batchInitializing', 'InitializedOneBatchEvent', 'batchInRolling', 'webhooks agreed to the batch'),
  inBatch(
    'batchInRolling',
    'RolloutOneBatchEvent',
    'batchVerifying',
    'everything of the batch was asked for',
  ),
  inBatch('batchVerifying', 'OneBatchAvailableEvent', 'batchFinalizing', 'pods ready, metrics within range'),
  inBatch('batchVerifying', 'BatchRolloutFailedEvent', 'batchVerifyFailed', 'a metric failed too often'),
  inBatch('batchFinalizing', 'FinishedOneBatchEvent', 'batchReady', 'webhooks agreed after the batch'),
  {
    ...inBatch('batchReady', 'BatchRolloutApprovedEvent', 'batchInitializing', 'the next batch is approved'),
    effect: 'next batch',
  },
  {
    ...inBatch('batchFinalizing', 'AllBatchFinishedEvent', 'batchReady', 'that was the last batch'),
    to: 'finalising',
  },
  arrow('finalising', 'RollingFinalizedEvent', 'rolloutSucceed', 'workloads let go, webhooks agreed'),

  arrow('locatingTargetApp', 'RollingFailedEvent', 'rolloutFailed', 'the target is of no kind that rolls'),
  arrow('verifyingSpec', 'RollingFailedEvent', 'rolloutFailed', 'sizes, batches or workloads do not fit'),
  arrow('initializing', 'RollingFailedEvent', 'rolloutFailing', BROKEN),
  ...batchStates.map((state) =>
    arrow(
      'rollingInBatches',
      'RollingFailedEvent',
      'rolloutFailing',
      state === 'batchVerifyFailed' ? 'the batch was not approved' : BROKEN,
      state,
    ),
  ),
  arrow('rolloutFailing', 'RollingFinalizedEvent', 'rolloutFailed', 'workloads let go as they are'),

  ...positions((state) => !isTerminal(state) && !UNMODIFIED.includes(state)).map(([from, fromBatch]) =>
    arrow(from, 'RollingModifiedEvent', 'rolloutAbandoning', MODIFIED, fromBatch),
  ),
  {
    ...arrow(
      'rolloutAbandoning',
      'RollingFinalizedEvent',
      'locatingTargetApp',
      'what was half done is settled',
    ),
    effect: 'reset',
  },
  ...rollingStates.filter(isTerminal).map((from): Transition => {
    return {
      ...arrow(from, 'RollingModifiedEvent', 'locatingTargetApp', 'there is another target or size'),
      effect: 'reset',
    };
  }),

  ...positions((state) => !isTerminal(state) && state !== 'RolloutDeletingState').map(([from, fromBatch]) =>
    arrow(from, 'RollingDeletedEvent', 'RolloutDeletingState', DELETED, fromBatch),
  ),
  arrow(
    'rolloutFailed',
    'RollingDeletedEvent',
    'RolloutDeletingState',
    'it is deleted, and revertOnDelete is set',
  ),
  arrow(
    'RolloutDeletingState',
    'RollingFinalizedEvent',
    'rolloutFailed',
    'reverted if asked for, and let go',
  ),
];

/** The result of an event; undefined where there is none. */
export function findTransition(position: Position, event: RolloutEvent): Transition | undefined {
  return transitions.find(
    (transition) =>
      transition.event === event &&
      transition.from === position.rolling &&
      (transition.fromBatch === undefined || transition.fromBatch === position.batch),
  );
}

function arrow(
  from: RollingState,
  event: RolloutEvent,
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

function inBatch(fromBatch: BatchState, event: RolloutEvent, toBatch: BatchState, when: string): Transition {
  return { from: 'rollingInBatches', fromBatch, event, to: 'rollingInBatches', toBatch, when };
}

function positions(isWanted: (state: RollingState) => boolean): [RollingState, BatchState | undefined][] {
  return rollingStates
    .filter(isWanted)
    .flatMap((state): [RollingState, BatchState | undefined][] =>
      state === 'rollingInBatches' ? batchStates.map((batch) => [state, batch]) : [[state, undefined]],
    );
}
