import type { RolloutCondition } from '@/lib/oam/rollout';
import type { BatchState, Position, RollingState } from '@/lib/oam/states';

/**
 * Type of the condition that reports on a stage.
 * https://github.com/kubevela/kubevela/blob/v1.8.2/apis/standard.oam.dev/v1alpha1/rollout_state.go
 */
export function conditionTypeOf({ rolling, batch }: Position): string {
  return rolling === 'rollingInBatches' ? BATCH_TYPES[batch] : TYPES[rolling];
}

const TYPES: Readonly<Record<Exclude<RollingState, 'rollingInBatches'>, string>> = {
  locatingTargetApp: 'RolloutFailed',
  verifyingSpec: 'RolloutSpecVerifying',
  initializing: 'RolloutInitializing',
  finalising: 'RolloutFinalizing',
  rolloutFailing: 'RolloutFailing',
  rolloutAbandoning: 'RolloutAbandoning',
  RolloutDeletingState: 'RolloutDeleting',
  rolloutSucceed: 'RolloutSucceed',
  rolloutFailed: 'RolloutFailed',
};

const BATCH_TYPES: Readonly<Record<BatchState, string>> = {
  batchInitializing: 'BatchInitializing',
  batchInRolling: 'RolloutInProgress',
  batchVerifying: 'BatchVerifying',
  batchVerifyFailed: 'BatchRolloutFailed',
  batchFinalizing: 'BatchFinalizing',
  batchReady: 'BatchReady',
};

/** The list with this condition added; its time is that of the last change of its status. */
export function withCondition(
  conditions: readonly RolloutCondition[],
  { type, status, message }: Omit<RolloutCondition, 'lastTransitionTime'>,
  now: string,
): readonly RolloutCondition[] {
  const known = conditions.find((condition) => condition.type === type);
  const lastTransitionTime = known?.status === status ? known.lastTransitionTime : now;
  const condition = { type, status, message, lastTransitionTime };
  if (known === undefined) return [...conditions, condition];
  return conditions.map((other) => (other.type === type ? condition : other));
}
