import { type RolloutActionName } from '@/lib/rollout/rollout';

interface Acted {
  actions: readonly { name: RolloutActionName }[];
}

/** How going on from a step is called where the rollout comes from: who can promote fully promotes. */
export function approveVerb({ actions }: Acted): string {
  return actions.some(({ name }) => name === 'promoteFull') ? 'Promote' : 'Approve';
}

/**
 * A return to the stable revision ends the release; where an abort is something else, or the way back goes in steps as well, it
 * is called a rollback alone.
 */
export function rollbackVerb({ actions }: Acted): string {
  return actions.some(({ name }) => name === 'abort' || name === 'delete') ? 'Roll back' : 'Abort, back';
}
