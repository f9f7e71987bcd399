import { type RolloutActionName, type RolloutStyle } from '@/lib/rollout/rollout';
import { stepNoun } from '@/lib/rollout/style-word';

interface Acted {
  actions: readonly { name: RolloutActionName }[];
  style: RolloutStyle;
  step: { index: number };
  revisions: { stable: { number: number | null; hash: string | null; name: string | null } | null };
}

/** How going on from a step is called where the rollout comes from: who can promote fully promotes. */
export function approveVerb({ actions }: Pick<Acted, 'actions'>): string {
  return actions.some(({ name }) => name === 'promoteFull') ? 'Promote' : 'Approve';
}

/** What an action is called as long as its rollout is not known. */
export const actionWords: Readonly<Record<RolloutActionName, string>> = {
  approve: 'Approve',
  jump: 'Jump to a step',
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

/**
 * The one name of an action: its button, its dialog, its confirmation and the activity log say the same. `target`: the step
 * of a jump, as soon as it is chosen.
 */
export function actionLabel(rollout: Acted, action: RolloutActionName, target: number | null = null): string {
  switch (action) {
    case 'jump':
      return target === null ? actionWords.jump : `Jump to ${stepNoun(rollout)} ${target}`;
    case 'approve':
      return `${approveVerb(rollout)} ${stepNoun(rollout)} ${rollout.step.index}`;
    case 'rollback': {
      const stable = revisionName(rollout.revisions.stable);
      return stable === null ? actionWords.rollback : `${actionWords.rollback} to ${stable}`;
    }
    default:
      return actionWords[action];
  }
}

/** "rev 3", or the system's own word for it; null where nothing tells it. */
export function revisionName(revision: Acted['revisions']['stable']): string | null {
  if (revision === null) return null;
  return revision.number === null ? (revision.hash ?? revision.name) : `rev ${revision.number}`;
}
