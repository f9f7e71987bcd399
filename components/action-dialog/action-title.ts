import { type Action } from '@/lib/api/action';
import { isEndUnknown } from '@/components/queries/action';

type TitledAction = Pick<
  Action,
  'action' | 'state' | 'to' | 'name' | 'step' | 'label' | 'group' | 'unanswered' | 'endedAt'
>;

/** The progress or result of an action, in a few words with a full stop; accepted is visibly not done. */
export function actionTitle(action: TitledAction): string {
  const [request, progress, result] = phrasesOf(action);
  if (isEndUnknown(action)) return `${request}: end unknown.`;
  switch (action.state) {
    case 'accepted':
      return isUnconfirmed(action) ? `${request} got no answer.` : `${progress}.`;
    case 'following':
      return `${progress}.`;
    case 'done':
      return `${result}.`;
    case 'failed':
      return `${request} has not got there.`;
    case 'refused':
      return `${request} was refused.`;
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
      return phrases('The rollback', 'Rolling back', 'Rolled back', ` to ${to ?? 'an earlier revision'}`);
    case 'restart':
      return phrases('The restart of', 'Restarting', 'Restarted', ` ${name}`);
    case 'pause':
      return phrases('The pause of', 'Pausing', 'Paused', ` ${name}`);
    case 'resume':
      return phrases('Resuming', 'Resuming', 'Resumed', ` ${name}`);
    case 'partition':
      return phrases('The move of', 'Moving', 'Moved', ' the partition');
    case 'deletePod':
      return group === undefined
        ? phrases('The replacement of', 'Replacing', 'Replaced', ' the pod')
        : phrases('The restart of', 'Restarting', 'Restarted', ` group ${group}`);
    case 'approve': {
      // "Promote step 2" becomes "Promoted step 2", so that the result matches its button.
      const [verb, ...what] = (label ?? `Approve step ${step?.from ?? '?'}`).split(' ');
      return verb === 'Promote'
        ? phrases('The promotion of', 'Promoting', 'Promoted', ` ${what.join(' ')}`)
        : phrases('The approval of', 'Approving', 'Approved', ` ${what.join(' ')}`);
    }
    case 'jump':
      return phrases('The jump', 'Jumping', 'Jumped', ` to step ${step?.to ?? '?'}`);
    case 'disable':
      return phrases('Disabling', 'Disabling', 'Disabled', ` ${name}`);
    case 'enable':
      return phrases('Enabling', 'Enabling', 'Enabled', ` ${name}`);
    case 'promoteFull':
      return [`Promote full of ${name}`, `Promoting ${name} in full`, `Promoted ${name} in full`];
    case 'abort':
      return phrases('The abort of', 'Aborting', 'Aborted', ` ${name}`);
    case 'retry':
      return phrases('The retry of', 'Retrying', 'Retried', ` ${name}`);
    case 'delete':
      return phrases('The deletion of', 'Deleting', 'Deleted', ` ${name}`);
    default:
      return action satisfies never;
  }
}

function phrases(asked: string, going: string, done: string, what: string): TitlePhrases {
  return [asked + what, going + what, done + what];
}
