import type { Action } from '@/lib/api/action';
import { isEndUnknown } from '@/components/queries/action';

type TitledAction = Pick<
  Action,
  'action' | 'state' | 'to' | 'name' | 'step' | 'label' | 'group' | 'unanswered' | 'undoneBy' | 'endedAt'
>;

/** The progress or result of an action, in a few words with a full stop; accepted is visibly not done. */
export function actionTitle(action: TitledAction): string {
  const [request, progress, result] = phrasesOf(action);
  if (isEndUnknown(action)) return `${request}: outcome unknown.`;
  const { undoneBy } = action;
  switch (action.state) {
    case 'accepted':
      return isUnconfirmed(action) ? `${request} got no response.` : `${progress}.`;
    case 'following':
      return `${progress}.`;
    case 'done':
      return `${result}.`;
    case 'failed':
      return undoneBy === undefined
        ? `${request} did not complete.`
        : `${request} was reverted by ${undoneBy}.`;
    case 'refused':
      return `${request} was rejected.`;
    default:
      return action.state satisfies never;
  }
}

/** Whether neither the API server nor the cluster has confirmed the write so far. */
export function isUnconfirmed({ state, unanswered }: Pick<Action, 'state' | 'unanswered'>): boolean {
  return state === 'accepted' && unanswered === true;
}

type TitlePhrases = [asked: string, going: string, done: string];

function phrasesOf({ action, to, name, step, label, group }: TitledAction): TitlePhrases {
  switch (action) {
    case 'rollback':
      return phrases(
        'Rollback',
        'Rolling back',
        'Rolled back',
        ` to ${to === null ? 'an earlier revision' : `rev ${to}`}`,
      );
    case 'restart':
      return phrases('Restart of', 'Restarting', 'Restarted', ` ${name}`);
    case 'pause':
      return phrases('Pause of', 'Pausing', 'Paused', ` ${name}`);
    case 'resume':
      return phrases('Resume of', 'Resuming', 'Resumed', ` ${name}`);
    case 'partition':
      return phrases('Change of', 'Changing', 'Changed', ' the partition');
    case 'deletePod':
      return group === undefined
        ? phrases('Deletion of', 'Deleting', 'Deleted', ' the pod')
        : phrases('Restart of', 'Restarting', 'Restarted', ` group ${group}`);
    case 'releaseFields':
      return phrases('Release of', 'Releasing', 'Released', ` the fields of ${name}`);
    case 'approve': {
      // "Promote step 2" becomes "Promoted step 2", so that the result matches its button.
      const [verb, ...what] = (label ?? `Approve step ${step?.from ?? '?'}`).split(' ');
      return verb === 'Promote'
        ? phrases('Promotion of', 'Promoting', 'Promoted', ` ${what.join(' ')}`)
        : phrases('Approval of', 'Approving', 'Approved', ` ${what.join(' ')}`);
    }
    case 'jump':
      return phrases('Jump', 'Jumping', 'Jumped', ` to step ${step?.to ?? '?'}`);
    case 'disable':
      return phrases('Disabling', 'Disabling', 'Disabled', ` ${name}`);
    case 'enable':
      return phrases('Enabling', 'Enabling', 'Enabled', ` ${name}`);
    case 'promoteFull':
      return [`Promote full of ${name}`, `Promoting ${name} in full`, `Promoted ${name} in full`];
    case 'abort':
      return phrases('Abort of', 'Aborting', 'Aborted', ` ${name}`);
    case 'retry':
      return phrases('Retry of', 'Retrying', 'Retried', ` ${name}`);
    case 'delete':
      return phrases('Deletion of', 'Deleting', 'Deleted', ` ${name}`);
    default:
      return action satisfies never;
  }
}

function phrases(asked: string, going: string, done: string, what: string): TitlePhrases {
  return [asked + what, going + what, done + what];
}
