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

/** Values of `status.batchRollingState`; outside `rollingInBatches` it says nothing. */
export const batchStates = [
  'batchInitializing',
  'batchInRolling',
  'batchVerifying',
  'batchVerifyFailed',
  'batchFinalizing',
  'batchReady',
] as const;
export type BatchState = (typeof batchStates)[number];

/** What happened to a rollout, by upstream's names; `RollingFinalizedEvent` and `AllBatchFinishedEvent` are told apart here. */
export const rolloutEvents = [
  'AppLocatedEvent',
  'RollingSpecVerifiedEvent',
  'RollingInitializedEvent',
  'InitializedOneBatchEvent',
  'RolloutOneBatchEvent',
  'OneBatchAvailableEvent',
  'BatchRolloutFailedEvent',
  'FinishedOneBatchEvent',
  'BatchRolloutApprovedEvent',
  'AllBatchFinishedEvent',
  'RollingFinalizedEvent',
  'RollingFailedEvent',
  'RollingModifiedEvent',
  'RollingDeletedEvent',
] as const;
export type RolloutEvent = (typeof rolloutEvents)[number];

/** Where a rollout stands. */
export interface Position {
  readonly rolling: RollingState;
  readonly batch: BatchState;
}

/** From a terminal state nothing leads on but another target, another size, or a deletion that takes the rollout back. */
export function isTerminal(state: RollingState): boolean {
  return state === 'rolloutSucceed' || state === 'rolloutFailed';
}

/** What other versions wrote for a state; undefined for no state at all, from which a rollout begins. */
export function rollingStateOf(text: string | undefined): RollingState | undefined {
  if (text === 'verifying') return 'verifyingSpec';
  if (text === 'rolloutAbandoned') return 'rolloutAbandoning';
  return rollingStates.find((state) => state === text);
}

export function batchStateOf(text: string | undefined): BatchState {
  return batchStates.find((state) => state === text) ?? 'batchInitializing';
}
