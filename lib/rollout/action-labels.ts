import type { RolloutActionName } from '@/lib/api/action-values';
import type { RolloutStyle } from '@/lib/api/rollout-values';
import { stepNoun } from '@/lib/rollout/style-text';

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

interface ActionSubject {
  actions: readonly { name: RolloutActionName }[];
  style: RolloutStyle;
  step: { index: number };
  revisions: { stable: { number: number | null; hash: string | null; name: string | null } | null };
}

/**
 * The name of the action that continues with the next step, by system: where all steps can be skipped, it is
 * promote.
 */
export function approveVerb({ actions }: Pick<ActionSubject, 'actions'>): string {
  return actions.some(({ name }) => name === 'promoteFull') ? 'Promote' : 'Approve';
}

/**
 * The one name of an action, for its button, its dialog, its confirmation and the activity log. `target`: the
 * step of a jump, as soon as it is chosen.
 */
export function actionLabel(
  rollout: ActionSubject,
  action: RolloutActionName,
  target: number | null = null,
): string {
  switch (action) {
    case 'jump':
      return target === null ? actionLabels.jump : `Jump to ${stepNoun(rollout)} ${target}`;
    case 'approve':
      return `${approveVerb(rollout)} ${stepNoun(rollout)} ${rollout.step.index}`;
    case 'rollback': {
      const stable = revisionName(rollout.revisions.stable);
      return stable === null ? actionLabels.rollback : `${actionLabels.rollback} to ${stable}`;
    }
    default:
      return actionLabels[action];
  }
}

/** "rev 3", or the system's own word for it; null where it is unknown. */
export function revisionName(revision: ActionSubject['revisions']['stable']): string | null {
  if (revision === null) return null;
  return revision.number === null ? (revision.hash ?? revision.name) : `rev ${revision.number}`;
}
