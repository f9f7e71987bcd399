/** Values of `status.rollingState`. https://github.com/kubevela/kubevela/blob/v1.8.2/apis/standard.oam.dev/v1alpha1/rollout_plan_types.go */
export const rollingStates = [
  'locatingTargetApp',
  'verifyingSpec',
  'initializing',
  'rollingInBatches',
  'finalising',
  'rolloutFailing',
  'rolloutAbandoning',
  'RolloutDeletingState',
  'rolloutSucceed',
  'rolloutFailed',
] as const;
export type RollingState = (typeof rollingStates)[number];

/** Values of `status.batchRollingState`; without meaning outside `rollingInBatches`. */
export const batchStates = [
  'batchInitializing',
  'batchInRolling',
  'batchVerifying',
  'batchVerifyFailed',
  'batchFinalizing',
  'batchReady',
] as const;
export type BatchState = (typeof batchStates)[number];

/**
 * The events of a rollout, by upstream's names; `RollingFinalizedEvent` and `AllBatchFinishedEvent` are
 * separate here.
 */
export type OamEvent =
  | 'AppLocatedEvent'
  | 'RollingSpecVerifiedEvent'
  | 'RollingInitializedEvent'
  | 'InitializedOneBatchEvent'
  | 'RolloutOneBatchEvent'
  | 'OneBatchAvailableEvent'
  | 'BatchRolloutFailedEvent'
  | 'FinishedOneBatchEvent'
  | 'BatchRolloutApprovedEvent'
  | 'AllBatchFinishedEvent'
  | 'RollingFinalizedEvent'
  | 'RollingFailedEvent'
  | 'RollingModifiedEvent'
  | 'RollingDeletedEvent';

/** The state of a rollout. */
export interface Position {
  readonly rolling: RollingState;
  readonly batch: BatchState;
}

/** Only another target, another size, or a deletion that reverts the rollout leads out of a terminal state. */
export function isTerminal(state: RollingState): boolean {
  return state === 'rolloutSucceed' || state === 'rolloutFailed';
}

/** The equivalent of a state of other versions; undefined for no state at all, from which a rollout starts. */
export function rollingStateOf(text: string | undefined): RollingState | undefined {
  if (text === 'verifying') return 'verifyingSpec';
  if (text === 'rolloutAbandoned') return 'rolloutAbandoning';
  return rollingStates.find((state) => state === text);
}

export function batchStateOf(text: string | undefined): BatchState {
  return batchStates.find((state) => state === text) ?? 'batchInitializing';
}
