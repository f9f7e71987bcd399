import { type Action } from '@/lib/api/action';
import { isEndUnknown } from '@/components/queries/action';

type TitledAction = Pick<
  Action,
  'action' | 'state' | 'to' | 'name' | 'step' | 'label' | 'group' | 'unanswered' | 'endedAt'
>;

/** The progress or result of an action, in a few words with a full stop; accepted is visibly not done. */
export function stripTitle(action: TitledAction): string {
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
  const target = to ?? 'an earlier revision';
  switch (action) {
    case 'rollback':
      return [`The rollback to ${target}`, `Rolling back to ${target}`, `Rolled back to ${target}`];
    case 'restart':
      return [`The restart of ${name}`, `Restarting ${name}`, `Restarted ${name}`];
    case 'pause':
      return [`The pause of ${name}`, `Pausing ${name}`, `Paused ${name}`];
    case 'resume':
      return [`Resuming ${name}`, `Resuming ${name}`, `Resumed ${name}`];
    case 'partition':
      return ['The move of the partition', 'Moving the partition', 'Moved the partition'];
    case 'deletePod':
      if (group !== undefined)
        return [`The restart of group ${group}`, `Restarting group ${group}`, `Restarted group ${group}`];
      return ['The replacement of the pod', 'Replacing the pod', 'Replaced the pod'];
    case 'approve':
      return approvalPhrases(label ?? `Approve step ${step?.from ?? '?'}`);
    case 'jump':
      return [
        `The jump to step ${step?.to ?? '?'}`,
        `Jumping to step ${step?.to ?? '?'}`,
        `Jumped to step ${step?.to ?? '?'}`,
      ];
    case 'disable':
      return [`Disabling ${name}`, `Disabling ${name}`, `Disabled ${name}`];
    case 'enable':
      return [`Enabling ${name}`, `Enabling ${name}`, `Enabled ${name}`];
    case 'promoteFull':
      return [`Promote full of ${name}`, `Promoting ${name} in full`, `Promoted ${name} in full`];
    case 'abort':
      return [`The abort of ${name}`, `Aborting ${name}`, `Aborted ${name}`];
    case 'retry':
      return [`The retry of ${name}`, `Retrying ${name}`, `Retried ${name}`];
    case 'delete':
      return [`The deletion of ${name}`, `Deleting ${name}`, `Deleted ${name}`];
    default:
      return action satisfies never;
  }
}

/** "Promote step 2" becomes "Promoted step 2", so that the result matches its button. */
function approvalPhrases(label: string): TitlePhrases {
  const [verb, ...rest] = label.split(' ');
  const what = rest.join(' ');
  return verb === 'Promote'
    ? [`The promotion of ${what}`, `Promoting ${what}`, `Promoted ${what}`]
    : [`The approval of ${what}`, `Approving ${what}`, `Approved ${what}`];
}
