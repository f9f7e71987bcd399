/**
 * `idle`: no rollout so far. `waiting`: a person has to act. `progressing`: it continues by itself, possibly
 * only after some time. `missing`: the workload does not exist. `stalled`: its pods are blocked, or no
 * controller works on it.
 */
export const rolloutStates = [
  'idle',
  'starting',
  'progressing',
  'waiting',
  'paused',
  'stalled',
  'completing',
  'completed',
  'rollingBack',
  'rolledBack',
  'failed',
  'disabling',
  'disabled',
  'terminating',
  'missing',
  'unknown',
] as const;
export type RolloutState = (typeof rolloutStates)[number];

/** States of a rollout that progresses, or would without an obstacle. */
export const openRolloutStates = [
  'starting',
  'progressing',
  'waiting',
  'paused',
  'stalled',
  'completing',
  'rollingBack',
  'failed',
  'disabling',
  'terminating',
  'missing',
  'unknown',
] as const satisfies readonly RolloutState[];

/** Whether it is in one of {@link openRolloutStates}; in the others nothing changes by itself. */
export function isOpenRollout(state: RolloutState): boolean {
  return (openRolloutStates as readonly RolloutState[]).includes(state);
}

export const rolloutStyles = ['canary', 'partition', 'blueGreen', 'batch', 'unknown'] as const;
export type RolloutStyle = (typeof rolloutStyles)[number];

/** `planned`: not started yet. `approved`: its wait is over. `abandoned`: the rollout ended in it. */
export const stepStates = [
  'planned',
  'starting',
  'upgrading',
  'routing',
  'analysing',
  'waiting',
  'pausing',
  'approved',
  'done',
  'skipped',
  'abandoned',
  'failed',
  'unknown',
] as const;
export type StepState = (typeof stepStates)[number];

export const controllerRecordStates = ['completed', 'running', 'neverCompleted', 'unknown'] as const;
export type ControllerRecordState = (typeof controllerRecordStates)[number];

/** What may be unusual about a record that a system keeps. */
export const controllerRecordFindings = [
  'ghost',
  'pendingDead',
  'duplicate',
  'reusedId',
  'rollback',
  'withoutPods',
  'withoutRoute',
  'unknownPhase',
  'rolloutGone',
  'idMismatch',
  'planChanged',
  'unlabelled',
  'shiplog',
] as const;
