export const actionKinds = ['rollback', 'pause', 'resume', 'restart', 'partition', 'deletePod'] as const;
export type ActionKind = (typeof actionKinds)[number];

/** Those of a workload that its kind plans, and the one that is the same for every kind. */
export const workloadActionNames = [...actionKinds, 'releaseFields'] as const;

export const rolloutActionNames = [
  'approve',
  'jump',
  'pause',
  'resume',
  'disable',
  'enable',
  'promoteFull',
  'abort',
  'retry',
  'restart',
  'rollback',
  'delete',
] as const;
export type RolloutActionName = (typeof rolloutActionNames)[number];

/** Of workloads and of rollouts; some have the same name. */
export const actionNames = [
  ...workloadActionNames,
  ...rolloutActionNames.filter(
    (name) => name !== 'rollback' && name !== 'pause' && name !== 'resume' && name !== 'restart',
  ),
] as const;
export type ActionName = (typeof actionNames)[number];

/**
 * The source of the template of a rollback. `archive`: a revision of this incarnation that the cluster no
 * longer has; `earlierIncarnation`: one of another object that had the same name.
 */
export const targetOrigins = ['cluster', 'archive', 'earlierIncarnation'] as const;

export const severities = ['refusal', 'warning', 'info', 'passed'] as const;

/** Of an action that was attempted. */
export const actionStates = ['accepted', 'following', 'done', 'failed'] as const;

/** What people do besides actions. */
export const activityEventKinds = ['review', 'signIn', 'cluster'] as const;
