import type { RolloutActionName } from '@/lib/api/action-values';

/** The name of an action while its rollout is not loaded. */
export const actionLabels: Readonly<Record<RolloutActionName, string>> = {
  approve: 'Approve',
  jump: 'Jump to step',
  pause: 'Pause',
  resume: 'Resume',
  disable: 'Disable Rollout',
  enable: 'Enable Rollout',
  promoteFull: 'Promote full',
  abort: 'Abort',
  retry: 'Retry',
  restart: 'Restart pods',
  rollback: 'Roll back',
  delete: 'Delete Rollout',
};
