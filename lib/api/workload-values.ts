/** `scaling`: no rollout is in progress, and pods that were added by raising their number are not available yet. */
export const workloadStates = [
  'complete',
  'rolling',
  'scaling',
  'held',
  'paused',
  'waiting',
  'stuck',
  'deadlineExceeded',
  'degraded',
  'failed',
  'unknown',
] as const;

export type WorkloadState = (typeof workloadStates)[number];

/** States in which something is wrong. */
export const troubledStates: readonly WorkloadState[] = ['stuck', 'deadlineExceeded', 'degraded', 'failed'];

export const groupStates = ['ready', 'starting', 'rebuilding', 'disagrees'] as const;

/**
 * `rebuilding`: its leader, or the StatefulSet of its workers, is missing; `disagrees`: its pods run
 * different revisions and nothing is about to change that.
 */
export type GroupState = (typeof groupStates)[number];
